// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include "ge_shim.h"
*/
import "C"
import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// One error per class of failure, for errors.Is.
var (
	ErrArgument    = errors.New("ge: the caller passed something wrong")
	ErrHandle      = errors.New("ge: a handle or id does not name a live object")
	ErrState       = errors.New("ge: right call, wrong time")
	ErrResource    = errors.New("ge: memory, files, threads or limits")
	ErrUnsupported = errors.New("ge: valid, but this build cannot do it")
	ErrModel       = errors.New("ge: a model file or graph is not valid")
	ErrCompile     = errors.New("ge: a valid graph could not be compiled")
	ErrDevice      = errors.New("ge: execution failed")
	ErrCancelled   = errors.New("ge: ended early on request")
	ErrInternal    = errors.New("ge: a defect of the library")
	ErrCallback    = errors.New("ge: a callback failed")
)

var classes = map[int32]error{
	C.GE_CLASS_ARGUMENT:    ErrArgument,
	C.GE_CLASS_HANDLE:      ErrHandle,
	C.GE_CLASS_STATE:       ErrState,
	C.GE_CLASS_RESOURCE:    ErrResource,
	C.GE_CLASS_UNSUPPORTED: ErrUnsupported,
	C.GE_CLASS_MODEL:       ErrModel,
	C.GE_CLASS_COMPILE:     ErrCompile,
	C.GE_CLASS_DEVICE:      ErrDevice,
	C.GE_CLASS_CANCELLED:   ErrCancelled,
	C.GE_CLASS_INTERNAL:    ErrInternal,
	C.GE_CLASS_CALLBACK:    ErrCallback,
}

// Detail is one further fact of an error, such as "offset".
type Detail struct{ Key, Value string }

// Error says that a call of the library failed, and everything its record holds.
type Error struct {
	Status        int32
	Name          string // of the status, e.g. "GE_ERR_SHAPE"
	Message       string // what was wrong, one line
	Function      string // the C function that failed
	Argument      string // name of the wrong argument or field, or ""
	ArgumentIndex int32  // its position from 0, or -1
	Node          string // name of the node concerned, or ""
	Found, Wanted string // values, or ""
	Details       []Detail
	Causes        []*Error // status, name and message only, nearest first
}

func (e *Error) Error() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Message
}

// Is reports whether target is the error of e's class.
func (e *Error) Is(target error) bool { return target != nil && classes[e.Status>>16] == target }

// Unwrap gives the causes.
func (e *Error) Unwrap() []error {
	causes := make([]error, len(e.Causes))
	for i, c := range e.Causes {
		causes[i] = c
	}
	return causes
}

// Record is the whole record as lines "key: value"; the same text in every SDK.
func (e *Error) Record() string {
	var b strings.Builder
	fmt.Fprintf(&b, "status: 0x%08x\nname: %s\nmessage: %s\nfunction: %s\nargument: %s\nargument_index: %d\n"+
		"node: %s\nfound: %s\nwanted: %s\n", e.Status, e.Name, e.Message, e.Function, e.Argument, e.ArgumentIndex,
		e.Node, e.Found, e.Wanted)
	for _, d := range e.Details {
		fmt.Fprintf(&b, "detail %s: %s\n", d.Key, d.Value)
	}
	for _, c := range e.Causes {
		fmt.Fprintf(&b, "cause %s: %s\n", c.Name, c.Message)
	}
	return b.String()
}

// taken turns the record a shim gives into an error and releases it; nil stays nil.
func taken(record *C.ge_error) error {
	if record == nil {
		return nil
	}
	defer C.ge_error_release(record)
	var info C.ge_error_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	if C.ge_error_get_info(record, &info, C.size_t(unsafe.Sizeof(info))) != C.GE_OK {
		info.status = C.GE_ERR_INTERNAL
	}
	e := &Error{
		Status:        int32(info.status),
		Name:          C.GoString(C.ge_status_name(info.status)),
		Message:       C.GoString(info.message),
		Function:      C.GoString(info.function_name),
		Argument:      C.GoString(info.argument),
		ArgumentIndex: int32(info.argument_index),
		Node:          C.GoString(info.node),
		Found:         C.GoString(info.found),
		Wanted:        C.GoString(info.wanted),
	}
	var key, value *C.char
	for i := C.size_t(0); i < C.size_t(info.details_count); i++ {
		if C.ge_error_get_detail(record, i, &key, &value) == C.GE_OK {
			e.Details = append(e.Details, Detail{C.GoString(key), C.GoString(value)})
		}
	}
	for i := C.size_t(0); i < C.size_t(info.causes_count); i++ {
		var status C.ge_status
		if C.ge_error_get_cause(record, i, &status, &value) == C.GE_OK {
			e.Causes = append(e.Causes, &Error{Status: int32(status), Name: C.GoString(C.ge_status_name(status)),
				Message: C.GoString(value), ArgumentIndex: -1})
		}
	}
	return e
}
