// SPDX-License-Identifier: Apache-2.0

package ge_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"libge/ge"
)

const digits = "../../../examples/digits/"

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// npy reads the first dim and the data of a .npy file of float32.
func npy(t *testing.T, name string) (int64, []float32) {
	t.Helper()
	file := must(os.ReadFile(digits + name))(t)
	start := 10 + int(binary.LittleEndian.Uint16(file[8:]))
	header := string(file[10:start])
	if !strings.Contains(header, "'<f4'") {
		t.Fatal(header)
	}
	_, shape, _ := strings.Cut(header, "'shape': (")
	first, _, _ := strings.Cut(shape, ",")
	count := must(strconv.ParseInt(first, 10, 64))(t)
	data := make([]float32, (len(file)-start)/4)
	for i := range data {
		data[i] = math.Float32frombits(binary.LittleEndian.Uint32(file[start+4*i:]))
	}
	return count, data
}

func load(t *testing.T) *ge.Model {
	t.Helper()
	model := must(ge.Load(digits + "digits.onnx"))(t)
	t.Cleanup(func() { model.Close() })
	return model
}

func images(t *testing.T) *ge.Tensor {
	t.Helper()
	count, data := npy(t, "images.npy")
	tensor := must(ge.NewTensor(nil, []int64{count, 1, 8, 8}, data))(t)
	t.Cleanup(func() { tensor.Close() })
	return tensor
}

func raw(t *testing.T, tensor *ge.Tensor) []byte {
	t.Helper()
	values := must(ge.Values[float32](tensor))(t)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// parity keeps what this language got; `./dev test` compares all languages byte for byte.
func parity(t *testing.T, name string, data []byte) {
	if folder := os.Getenv("GE_PARITY"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestModelTellsItsInputsAndOutputs(t *testing.T) {
	model := load(t)
	batch := ge.Dim{Size: -1, Name: "batch"}
	want := []ge.IO{{Name: "image", DType: ge.Float32, Dims: []ge.Dim{batch, {Size: 1}, {Size: 8}, {Size: 8}}}}
	if got := model.Inputs(); !reflect.DeepEqual(got, want) {
		t.Errorf("inputs: %v", got)
	}
	want = []ge.IO{{Name: "probabilities", DType: ge.Float32, Dims: []ge.Dim{batch, {Size: 10}}}}
	if got := model.Outputs(); !reflect.DeepEqual(got, want) {
		t.Errorf("outputs: %v", got)
	}
}

func TestModelsWithoutSymbolsAndWithScalarsRun(t *testing.T) {
	relu := must(ge.Load("../../../tests/models/relu.onnx"))(t)
	defer relu.Close()
	if got := relu.Inputs()[0].Dims; !reflect.DeepEqual(got, []ge.Dim{{Size: 4}}) {
		t.Error(got)
	}
	sum := must(ge.Load("../../../tests/models/scalar.onnx"))(t)
	defer sum.Close()
	if got := sum.Outputs()[0].Dims; got == nil || len(got) != 0 {
		t.Error(got)
	}
	a := must(ge.NewTensor(nil, nil, []float32{3}))(t)
	defer a.Close()
	outputs := must(sum.Run(context.Background(), a, a))(t)
	if got := must(ge.Values[float32](outputs[0]))(t); !reflect.DeepEqual(got, []float32{6}) {
		t.Error(got)
	}
	if dims := must(outputs[0].Dims())(t); len(dims) != 0 {
		t.Error(dims)
	}
}

func TestPredictionsAreThoseRecordedAtTraining(t *testing.T) {
	outputs := must(load(t).Run(context.Background(), images(t)))(t)
	defer outputs[0].Close()
	probabilities := must(ge.Values[float32](outputs[0]))(t)
	var expected struct{ Predictions []int }
	if err := json.Unmarshal(must(os.ReadFile(digits+"expected.json"))(t), &expected); err != nil {
		t.Fatal(err)
	}
	for i, want := range expected.Predictions {
		best := 0
		for j, p := range probabilities[10*i : 10*i+10] {
			if p > probabilities[10*i+best] {
				best = j
			}
		}
		if best != want {
			t.Errorf("image %d: %d, recorded %d", i, best, want)
		}
	}
	parity(t, "go.bin", raw(t, outputs[0]))
}

func TestProbabilitiesAgreeWithTheReference(t *testing.T) {
	count, data := npy(t, "reference_images.npy")
	input := must(ge.PinTensor(nil, []int64{count, 1, 8, 8}, data))(t)
	defer input.Close()
	outputs := must(load(t).Run(context.Background(), input))(t)
	defer outputs[0].Close()
	_, want := npy(t, "reference_probs.npy")
	for i, got := range must(ge.View[float32](outputs[0]))(t) {
		if math.Abs(float64(got-want[i])) > 1e-5 {
			t.Fatalf("element %d: %v, wanted %v", i, got, want[i])
		}
	}
	runtime.KeepAlive(outputs)
}

func TestAnErrorShowsItsFullRecord(t *testing.T) {
	wide := must(ge.NewTensor(nil, []int64{1, 1, 8, 9}, make([]float32, 72)))(t)
	defer wide.Close()
	_, err := load(t).Run(context.Background(), wide)
	var e *ge.Error
	if !errors.As(err, &e) || !errors.Is(err, ge.ErrArgument) {
		t.Fatalf("%T %v", err, err)
	}
	if e.Name != "GE_ERR_SHAPE" || !strings.Contains(e.Message, "image") || e.Function != "ge_model_run" ||
		e.Found == "" || e.Wanted == "" {
		t.Error(e.Record())
	}
	parity(t, "go.txt", []byte(e.Record()))
}

func TestABrokenFileGivesAnErrorThatNamesThePlace(t *testing.T) {
	whole := must(os.ReadFile(digits + "digits.onnx"))(t)
	_, err := ge.Read(nil, whole[:1000], ge.FileONNX)
	var e *ge.Error
	if !errors.As(err, &e) || !errors.Is(err, ge.ErrModel) || len(e.Details) == 0 {
		t.Fatalf("%v", err)
	}
}

func TestCloseTwiceIsFineAndUseAfterCloseIsAnError(t *testing.T) {
	model := must(ge.Load(digits + "digits.onnx"))(t)
	if err := errors.Join(model.Close(), model.Close()); err != nil {
		t.Error(err)
	}
	if _, err := model.Run(context.Background()); !errors.Is(err, ge.ErrClosed) {
		t.Error(err)
	}
}

func TestOutputsOutliveTheirModelAndGoroutinesShareIt(t *testing.T) {
	model := must(ge.Load(digits + "digits.onnx"))(t)
	input := images(t)
	alone := must(model.Run(context.Background(), input))(t)
	defer alone[0].Close()
	want := raw(t, alone[0])
	stop := make(chan struct{})
	go func() { // shakes out objects that die during a call
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 5 {
				outputs, err := model.Run(context.Background(), input)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := ge.Values[float32](outputs[0]); err != nil || len(got) != len(want)/4 {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	close(stop)
	model.Close()
	if !bytes.Equal(raw(t, alone[0]), want) {
		t.Error("the output changed when its model was closed")
	}
}

func TestCloseDuringRunsLetsThemEnd(t *testing.T) {
	input := images(t)
	for range 10 {
		model := must(ge.Load(digits + "digits.onnx"))(t)
		var group sync.WaitGroup
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()
				if _, err := model.Run(context.Background(), input); err != nil && !errors.Is(err, ge.ErrClosed) {
					t.Error(err)
				}
			}()
		}
		model.Close()
		group.Wait()
	}
}

func TestABindingReadsItsInputAnewAtEachRun(t *testing.T) {
	model := load(t)
	_, data := npy(t, "images.npy")
	buffer := make([]float32, 64)
	input := must(ge.PinTensor(nil, []int64{1, 1, 8, 8}, buffer))(t)
	defer input.Close()
	binding := must(model.Bind(input))(t)
	defer binding.Close()
	for i := range 5 {
		copy(buffer, data[64*i:])
		if err := binding.Run(); err != nil {
			t.Fatal(err)
		}
		bound := must(binding.Output(0))(t)
		once := must(model.Run(context.Background(), input))(t)
		if !bytes.Equal(raw(t, bound), raw(t, once[0])) {
			t.Errorf("image %d differs", i)
		}
		bound.Close()
		once[0].Close()
	}
}

func TestPinTensorCopiesNothing(t *testing.T) {
	c := must(ge.NewContext(ge.Settings{"ge.threads": 1}))(t)
	defer c.Close()
	before := must(c.Info())(t)
	data := []int64{1, 2, 3, 4, 5, 6}
	tensor := must(ge.PinTensor(c, []int64{2, 3}, data))(t)
	defer tensor.Close()
	view := must(ge.View[int64](tensor))(t)
	if &view[0] != &data[0] || must(c.Info())(t).CopiedBytes != before.CopiedBytes {
		t.Error("copied")
	}
	if dims := must(tensor.Dims())(t); !reflect.DeepEqual(dims, []int64{2, 3}) {
		t.Error(dims)
	}
	if _, err := ge.View[float32](tensor); !errors.Is(err, ge.ErrArgument) {
		t.Error(err)
	}
}

func TestWrongSizesAndSettingsAreErrors(t *testing.T) {
	if _, err := ge.PinTensor(nil, []int64{3}, make([]uint8, 4)); !errors.Is(err, ge.ErrArgument) {
		t.Error(err)
	}
	var e *ge.Error
	if _, err := ge.NewContext(ge.Settings{"ge.thread": 1}); !errors.As(err, &e) || e.Name != "GE_ERR_UNKNOWN_OPTION" {
		t.Error(err)
	}
}

func TestAnEndedContextRunsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := load(t).Run(ctx, images(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 1<<40)
	defer cancel()
	if _, err := load(t).Run(ctx, images(t)); err != nil {
		t.Error(err)
	}
}

func TestTheGraphBeforeAndAfterCanBeDumped(t *testing.T) {
	graph := must(ge.Open(nil, digits+"digits.onnx", ge.FileAuto))(t)
	defer graph.Close()
	if text := must(graph.Dump(ge.DumpReadable))(t); !strings.Contains(text, "Softmax") {
		t.Error(text)
	}
	if text := must(load(t).Dump(ge.DumpDot))(t); !strings.HasPrefix(text, "digraph") {
		t.Error(text)
	}
}
