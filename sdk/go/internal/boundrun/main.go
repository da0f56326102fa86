// SPDX-License-Identifier: Apache-2.0

// Command boundrun MODEL prints the nanoseconds of a bound run through package ge, best of 15 rounds;
// for `./dev bench sdk`.
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"time"

	"libge/ge"
)

const runs = 20000

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: boundrun MODEL")
	}
	model, err := ge.Load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	input, err := ge.NewTensor(nil, []int64{4}, make([]float32, 4))
	if err != nil {
		log.Fatal(err)
	}
	defer input.Close()
	binding, err := model.Bind(input)
	if err != nil {
		log.Fatal(err)
	}
	defer binding.Close()
	best := math.Inf(1)
	for range 15 {
		begin := time.Now()
		for range runs {
			if err := binding.Run(); err != nil {
				log.Fatal(err)
			}
		}
		best = min(best, float64(time.Since(begin).Nanoseconds())/runs)
	}
	fmt.Printf("%.1f\n", best)
}
