// SPDX-License-Identifier: Apache-2.0

package ge_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"libge/ge"
)

// The code a process asked for: what comes out at its end.
const asked = 7

// life makes objects, lets goroutines use them, closes some in some order and leaves the rest, and says how the process ends.
func life(seed uint64) (code int, err error) {
	chance := rand.New(rand.NewPCG(seed, 1))
	var own *ge.Context
	if chance.IntN(3) > 0 {
		if own, err = ge.NewContext(ge.Settings{"ge.threads": 1 + chance.IntN(3)}); err != nil {
			return 0, err
		}
	}
	graph, err := ge.Open(own, digits+"digits.onnx", ge.FileAuto)
	if err != nil {
		return 0, err
	}
	model, err := graph.Compile(nil)
	if err != nil {
		return 0, err
	}
	count := []int{1, 8, 200}[chance.IntN(3)]
	image, err := ge.NewTensor(own, []int64{int64(count), 1, 8, 8}, make([]float32, 64*count))
	if err != nil {
		return 0, err
	}
	binding, err := model.Bind(image)
	if err != nil {
		return 0, err
	}
	for range chance.IntN(4) {
		other := rand.New(rand.NewPCG(chance.Uint64(), 2))
		go func() {
			for {
				step(model, image, binding, other)
			}
		}()
	}
	for range chance.IntN(6) {
		step(model, image, binding, chance)
	}
	closers := []func() error{graph.Close, model.Close, image.Close, binding.Close}
	if own != nil {
		closers = append(closers, own.Close)
	}
	chance.Shuffle(len(closers), func(i, j int) { closers[i], closers[j] = closers[j], closers[i] })
	for _, end := range closers[:chance.IntN(len(closers)+1)] {
		if err := end(); err != nil {
			return 0, err
		}
	}
	if chance.IntN(2) == 0 {
		runtime.GC()
	}
	time.Sleep(time.Duration(chance.IntN(3)) * time.Millisecond)
	switch chance.IntN(3) {
	case 0:
		return 0, nil
	case 1:
		go os.Exit(asked)
		time.Sleep(20 * time.Second)
	}
	return asked, nil
}

func step(model *ge.Model, image *ge.Tensor, binding *ge.Binding, chance *rand.Rand) {
	var err error
	switch chance.IntN(6) {
	case 0:
		err = binding.Run()
	case 1:
		_, err = ge.Read(nil, []byte("no model"), ge.FileAuto)
	case 2:
		limited, cancel := context.WithTimeout(context.Background(), time.Duration(chance.IntN(200))*time.Microsecond)
		_, err = model.Run(limited, image)
		cancel()
	default:
		var results []*ge.Tensor
		if results, err = model.Run(context.Background(), image); err == nil && chance.IntN(2) == 0 {
			err = results[0].Close()
		}
	}
	var ours *ge.Error
	if err != nil && !errors.As(err, &ours) && !errors.Is(err, ge.ErrClosed) && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// TestMain is also the program of the teardowns.
func TestMain(m *testing.M) {
	seed, err := strconv.ParseUint(os.Getenv("GE_TEARDOWN_SEED"), 10, 64)
	if err != nil {
		os.Exit(m.Run())
	}
	code, err := life(seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 99
	}
	os.Exit(code)
}

// A hundred processes end in the middle of their work, each with the code it was asked for and nothing said.
// GE_TEARDOWN_SEED=N with the test program does one again.
func TestProcessesEndInTheMiddleOfWork(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("GE_TEARDOWNS"))
	if err != nil {
		count = 100
	}
	var all sync.WaitGroup
	for half := range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			for seed := 1 + half; seed <= count; seed += 2 {
				child := exec.Command(os.Args[0])
				child.Env = append(os.Environ(), fmt.Sprintf("GE_TEARDOWN_SEED=%d", seed))
				said, _ := child.CombinedOutput()
				if code := child.ProcessState.ExitCode(); code != 0 && code != asked || len(said) > 0 {
					t.Errorf("seed %d: code %d\n%s", seed, code, said)
				}
			}
		}()
	}
	all.Wait()
}
