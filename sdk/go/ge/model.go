// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include <time.h>
#include "ge_shim.h"

static int64_t ge_shim_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
*/
import "C"
import (
	"context"
	"errors"
	"time"
	"unsafe"
)

// Dim is one dim of an input or output: a size, or -1 with the name of its symbol, if it has one.
type Dim struct {
	Size int64
	Name string
}

// IO is an input or output of a model.
type IO struct {
	Name     string
	DType    DType
	Dims     []Dim // nil when the rank is unknown
	Optional bool  // has a default and may stay unbound
}

// Model is a compiled graph; any number of goroutines may run it at once.
type Model struct {
	handle
	inputs, outputs []IO
}

// Load reads a model from a file and compiles it.
func Load(path string) (*Model, error) {
	graph, err := Open(nil, path, FileAuto)
	if err != nil {
		return nil, err
	}
	defer graph.Close()
	return graph.Compile(nil)
}

func adoptModel(raw *C.ge_model) (*Model, error) {
	inputs, err := ios(raw, C.GE_DIRECTION_IN)
	outputs, err2 := ios(raw, C.GE_DIRECTION_OUT)
	if err := errors.Join(err, err2); err != nil {
		C.ge_model_destroy(raw)
		return nil, err
	}
	m := &Model{inputs: inputs, outputs: outputs}
	open(m, &m.handle, "Model", unsafe.Pointer(raw), func(p unsafe.Pointer) { C.ge_model_destroy((*C.ge_model)(p)) })
	return m, nil
}

func ios(raw *C.ge_model, direction C.ge_direction) ([]IO, error) {
	var count C.size_t
	stride := C.size_t(unsafe.Sizeof(C.ge_io_info{}))
	err := taken(C.ge_shim_model_get_io_infos(raw, direction, nil, 0, stride, &count))
	if err != nil || count == 0 {
		return nil, err
	}
	infos := make([]C.ge_io_info, count)
	for i := range infos {
		infos[i].struct_size = C.uint32_t(stride)
	}
	if err := taken(C.ge_shim_model_get_io_infos(raw, direction, &infos[0], count, stride, &count)); err != nil {
		return nil, err
	}
	list := make([]IO, count)
	for i, info := range infos {
		list[i] = IO{C.GoString(info.name), DType(info.dtype), nil, info.is_optional != 0}
		if info.rank < 0 {
			continue
		}
		list[i].Dims = make([]Dim, info.rank)
		var names []*C.char // none when no dim has a symbol
		if info.dim_names != nil {
			names = unsafe.Slice(info.dim_names, int(info.rank))
		}
		for j := range list[i].Dims {
			list[i].Dims[j].Size = int64(unsafe.Slice(info.dims, int(info.rank))[j])
			if names != nil {
				list[i].Dims[j].Name = C.GoString(names[j])
			}
		}
	}
	return list, nil
}

// Inputs lists the inputs in order.
func (m *Model) Inputs() []IO { return append([]IO{}, m.inputs...) }

// Outputs lists the outputs in order.
func (m *Model) Outputs() []IO { return append([]IO{}, m.outputs...) }

// Dump gives the optimised graph or a report as text.
func (m *Model) Dump(form Dump) (string, error) {
	p, err := m.enter()
	if err != nil {
		return "", err
	}
	defer m.leave()
	return readText(func(buffer *C.char, size C.size_t, out *C.size_t) *C.ge_error {
		return C.ge_shim_model_dump((*C.ge_model)(p), C.ge_dump_format(form), buffer, size, out)
	})
}

// Run runs once and gives one tensor per output. A deadline of ctx ends the run.
func (m *Model) Run(ctx context.Context, inputs ...*Tensor) ([]*Tensor, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := m.enter()
	if err != nil {
		return nil, err
	}
	defer m.leave()

	values := make([]*C.ge_value, len(inputs)+len(m.outputs))
	defer func() {
		for _, v := range values {
			C.ge_value_destroy(v)
		}
	}()
	for i, t := range inputs {
		if values[i], err = valueOf(t); err != nil {
			return nil, err
		}
	}
	options, err := runOptions(ctx)
	if err != nil {
		return nil, err
	}
	in, out := values[:len(inputs)], values[len(inputs):]
	err = taken(C.ge_shim_model_run((*C.ge_model)(p), options, (**C.ge_value)(unsafe.SliceData(in)), C.size_t(len(in)),
		(**C.ge_value)(unsafe.SliceData(out)), C.size_t(len(out))))
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	results := make([]*Tensor, len(out))
	for i, v := range out {
		if results[i], err = tensorOf(v); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func runOptions(ctx context.Context) (*C.ge_run_options, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, nil
	}
	options := new(C.ge_run_options)
	if err := taken(C.ge_shim_run_options_init(options, C.size_t(unsafe.Sizeof(*options)))); err != nil {
		return nil, err
	}
	options.deadline_ns = C.ge_shim_now() + C.int64_t(time.Until(deadline))
	return options, nil
}

func valueOf(t *Tensor) (*C.ge_value, error) {
	if t == nil {
		return nil, nil
	}
	p, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.leave()
	var value *C.ge_value
	return value, taken(C.ge_shim_value_create_from_tensor((*C.ge_tensor)(p), &value))
}

func tensorOf(value *C.ge_value) (*Tensor, error) {
	var raw *C.ge_tensor
	if err := taken(C.ge_shim_tensor_create_from_value(value, &raw)); err != nil {
		return nil, err
	}
	return adoptTensor(raw), nil
}

// Binding holds inputs bound once, to run many times; one goroutine at a time.
type Binding struct {
	handle
	outputs int
}

// Bind makes a binding with the first inputs bound.
func (m *Model) Bind(inputs ...*Tensor) (*Binding, error) {
	p, err := m.enter()
	if err != nil {
		return nil, err
	}
	defer m.leave()
	var raw *C.ge_binding
	if err := taken(C.ge_shim_binding_create((*C.ge_model)(p), &raw)); err != nil {
		return nil, err
	}
	b := &Binding{outputs: len(m.outputs)}
	open(b, &b.handle, "Binding", unsafe.Pointer(raw), func(p unsafe.Pointer) { C.ge_binding_destroy((*C.ge_binding)(p)) })
	for i, t := range inputs {
		if err := b.SetInput(i, t); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// SetInput binds a tensor to an input; each run reads its bytes anew.
func (b *Binding) SetInput(index int, t *Tensor) error {
	p, err := b.enter()
	if err != nil {
		return err
	}
	defer b.leave()
	value, err := valueOf(t)
	if err != nil {
		return err
	}
	defer C.ge_value_destroy(value)
	return taken(C.ge_shim_binding_set_input((*C.ge_binding)(p), C.size_t(index), value))
}

// Run runs once.
func (b *Binding) Run() error {
	p, err := b.enter()
	if err != nil {
		return err
	}
	defer b.leave()
	return taken(C.ge_shim_binding_run((*C.ge_binding)(p), nil))
}

// Output gives the result of the last run; the next run writes into the same memory.
func (b *Binding) Output(index int) (*Tensor, error) {
	p, err := b.enter()
	if err != nil {
		return nil, err
	}
	defer b.leave()
	var value *C.ge_value
	if err := taken(C.ge_shim_binding_get_output((*C.ge_binding)(p), C.size_t(index), &value)); err != nil {
		return nil, err
	}
	return tensorOf(value)
}
