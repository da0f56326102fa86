// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include "ge_shim.h"

extern void geUnpin(void *user_data);

static ge_error *ge_shim_tensor_pinned(const ge_context *context, const ge_tensor_desc *desc, void *data, uint64_t size,
                                       uintptr_t pin, ge_tensor **out) {
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = data;
    memory.data_size = size;
    memory.user_data = (void *)pin;
    memory.destroy = geUnpin;
    return ge_shim_tensor_create_over(context, desc, &memory, out);
}
*/
import "C"
import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// DType is a data type, with the numbers of the C header.
type DType int32

const (
	Float32 DType = C.GE_DTYPE_FLOAT32
	Float64 DType = C.GE_DTYPE_FLOAT64
	Int8    DType = C.GE_DTYPE_INT8
	Uint8   DType = C.GE_DTYPE_UINT8
	Int16   DType = C.GE_DTYPE_INT16
	Uint16  DType = C.GE_DTYPE_UINT16
	Int32   DType = C.GE_DTYPE_INT32
	Uint32  DType = C.GE_DTYPE_UINT32
	Int64   DType = C.GE_DTYPE_INT64
	Uint64  DType = C.GE_DTYPE_UINT64
)

func (d DType) String() string { return C.GoString(C.ge_dtype_get_name(C.ge_dtype(d))) }

// Element is a Go type that tensors can hold.
type Element interface {
	float32 | float64 | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

func dtypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case int8:
		return Int8
	case uint8:
		return Uint8
	case int16:
		return Int16
	case uint16:
		return Uint16
	case int32:
		return Int32
	case uint32:
		return Uint32
	case int64:
		return Int64
	}
	return Uint64
}

// Tensor is a tensor.
type Tensor struct{ handle }

func adoptTensor(raw *C.ge_tensor) *Tensor {
	t := new(Tensor)
	open(t, &t.handle, "Tensor", unsafe.Pointer(raw), func(p unsafe.Pointer) { C.ge_tensor_destroy((*C.ge_tensor)(p)) })
	return t
}

// describe fills a desc whose dims stay where they are as long as pins holds them.
func describe(pins *runtime.Pinner, dtype DType, dims []int64) (C.ge_tensor_desc, error) {
	var desc C.ge_tensor_desc
	if err := taken(C.ge_shim_tensor_desc_init(&desc, C.size_t(unsafe.Sizeof(desc)))); err != nil {
		return desc, err
	}
	desc.dtype = C.ge_dtype(dtype)
	desc.rank = C.int32_t(len(dims))
	if len(dims) > 0 {
		pins.Pin(&dims[0])
		desc.dims = (*C.int64_t)(&dims[0])
	}
	return desc, nil
}

// NewTensor makes a tensor with a copy of data. The context is that of the models it is for, usually nil.
func NewTensor[T Element](context *Context, dims []int64, data []T) (*Tensor, error) {
	c, leave, err := context.live()
	if err != nil {
		return nil, err
	}
	defer leave()
	var pins runtime.Pinner
	defer pins.Unpin()
	desc, err := describe(&pins, dtypeOf[T](), dims)
	if err != nil {
		return nil, err
	}
	var raw *C.ge_tensor
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(*new(T))))
	err = taken(C.ge_shim_tensor_create_from_data(c, &desc, (*C.uint8_t)(unsafe.SliceData(bytes)), C.size_t(len(bytes)), &raw))
	if err != nil {
		return nil, err
	}
	return adoptTensor(raw), nil
}

// PinTensor makes a tensor over data itself, without a copy. The slice is pinned until the tensor is closed and the
// last run that uses it is over; write it only while no run does.
func PinTensor[T Element](context *Context, dims []int64, data []T) (*Tensor, error) {
	c, leave, err := context.live()
	if err != nil {
		return nil, err
	}
	defer leave()
	var pins runtime.Pinner
	defer pins.Unpin()
	desc, err := describe(&pins, dtypeOf[T](), dims)
	if err != nil {
		return nil, err
	}
	held := new(runtime.Pinner)
	pointer := unsafe.SliceData(data)
	if len(data) > 0 {
		held.Pin(pointer)
	}
	size := C.uint64_t(len(data)) * C.uint64_t(unsafe.Sizeof(*new(T)))
	var raw *C.ge_tensor
	// geUnpin runs once, also when the call fails.
	err = taken(C.ge_shim_tensor_pinned(c, &desc, unsafe.Pointer(pointer), size, C.uintptr_t(cgo.NewHandle(held)), &raw))
	if err != nil {
		return nil, err
	}
	return adoptTensor(raw), nil
}

func (t *Tensor) desc() (C.ge_tensor_desc, error) {
	var desc C.ge_tensor_desc
	p, err := t.enter()
	if err != nil {
		return desc, err
	}
	defer t.leave()
	desc.struct_size = C.uint32_t(unsafe.Sizeof(desc))
	return desc, taken(C.ge_shim_tensor_get_desc((*C.ge_tensor)(p), &desc, C.size_t(unsafe.Sizeof(desc))))
}

// DType gives the data type.
func (t *Tensor) DType() (DType, error) {
	desc, err := t.desc()
	return DType(desc.dtype), err
}

// Dims gives the shape.
func (t *Tensor) Dims() ([]int64, error) {
	if _, err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave() // the dims live as long as the tensor
	desc, err := t.desc()
	if err != nil || desc.rank <= 0 {
		return []int64{}, err
	}
	return append([]int64{}, unsafe.Slice((*int64)(desc.dims), int(desc.rank))...), nil
}

// View gives the elements themselves, row-major: valid until the tensor is closed, so keep it reachable meanwhile.
func View[T Element](t *Tensor) ([]T, error) {
	p, err := t.enter()
	if err != nil {
		return nil, err
	}
	defer t.leave()
	dtype, err := t.DType()
	if err != nil {
		return nil, err
	}
	if want := dtypeOf[T](); dtype != want {
		return nil, local(C.GE_ERR_DTYPE, "View", fmt.Sprintf("the tensor holds %v, not %v", dtype, want))
	}
	var info C.ge_tensor_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	if err := taken(C.ge_shim_tensor_get_info((*C.ge_tensor)(p), &info, C.size_t(unsafe.Sizeof(info)))); err != nil {
		return nil, err
	}
	if info.is_dense == 0 {
		return nil, local(C.GE_ERR_UNSUPPORTED, "View", "the tensor has strides")
	}
	var data *C.uint8_t
	var size C.size_t
	if err := taken(C.ge_shim_tensor_get_data((*C.ge_tensor)(p), &data, &size)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(data)), int(size)/int(unsafe.Sizeof(*new(T)))), nil
}

// Values gives a copy of the elements, row-major.
func Values[T Element](t *Tensor) ([]T, error) {
	if _, err := t.enter(); err != nil {
		return nil, err
	}
	defer t.leave()
	view, err := View[T](t)
	return append([]T{}, view...), err
}

// local is an error found on this side of the ABI.
func local(status int32, function, message string) error {
	return &Error{Status: status, Name: C.GoString(C.ge_status_name(C.ge_status(status))), Message: message,
		Function: function, ArgumentIndex: -1}
}
