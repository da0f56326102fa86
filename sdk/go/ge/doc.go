// SPDX-License-Identifier: Apache-2.0

// Package ge loads a computation graph, compiles it and runs it.
//
//	model, err := ge.Load("digits.onnx")
//	...
//	defer model.Close()
//	image, err := ge.NewTensor(nil, []int64{1, 1, 8, 8}, pixels)
//	...
//	outputs, err := model.Run(ctx, image)
//
// Every object holds a handle of the C library: Close gives it back, may be called twice and from several goroutines,
// and never waits for calls that are running. An object that is dropped without Close is closed by the collector, and
// [OnLeak] is told.
package ge

/*
#cgo pkg-config: ge-1
#include "ge_shim.h"
*/
import "C"
import "fmt"

// Version is that of the library in use, e.g. "0.1.0".
func Version() string {
	var major, minor, patch C.uint32_t
	C.ge_get_version(&major, &minor, &patch)
	return fmt.Sprintf("%d.%d.%d", major, minor, patch)
}

// checked is the result of comparing the library in use with the header this package was built against.
var checked = taken(C.ge_shim_check_header(C.GE_HEADER_ABI, C.GE_HEADER_MAJOR, 8))
