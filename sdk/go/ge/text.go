// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include "ge_shim.h"
static const char ge_shim_empty[1];
static const char *ge_shim_empty_text(void) { return ge_shim_empty; }
*/
import "C"
import "unsafe"

// Dump is a form in which graphs and models are written as text.
type Dump int32

const (
	DumpGEText   Dump = C.GE_DUMP_GE_TEXT  // GE's protobuf text, without weights
	DumpReadable Dump = C.GE_DUMP_READABLE // one line per node
	DumpDot      Dump = C.GE_DUMP_DOT      // a drawing for Graphviz
	DumpIR       Dump = C.GE_DUMP_IR       // graph text that reads back
	DumpPasses   Dump = C.GE_DUMP_PASSES   // models: what each pass changed
	DumpKernels  Dump = C.GE_DUMP_KERNELS  // models: the kernel of each node, and why others were refused
	DumpPlan     Dump = C.GE_DUMP_PLAN     // models: steps with kernels, operands and offsets
	DumpSummary  Dump = C.GE_DUMP_SUMMARY  // models: the figures of the compilation
)

// chars gives a string as C wants it; the string must stay reachable during the call, which passing it does.
func chars(s string) (*C.char, C.size_t) {
	if len(s) == 0 {
		return C.ge_shim_empty_text(), 0
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))
}

// readText calls write twice: for the size, then for the text.
func readText(write func(*C.char, C.size_t, *C.size_t) *C.ge_error) (string, error) {
	var size C.size_t
	if err := taken(write(nil, 0, &size)); err != nil {
		return "", err
	}
	buffer := make([]byte, size+1)
	err := taken(write((*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer)), &size))
	if err != nil {
		return "", err
	}
	return string(buffer[:size]), nil
}
