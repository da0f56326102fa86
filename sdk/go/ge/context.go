// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include "ge_shim.h"
*/
import "C"
import (
	"fmt"
	"unsafe"
)

// Settings are options by key; values are strings, integers, floats or bools. Unknown keys are refused.
type Settings map[string]any

// options makes the C object; the caller destroys it.
func (s Settings) options() (*C.ge_options, error) {
	var raw *C.ge_options
	if err := taken(C.ge_shim_options_create(&raw)); err != nil {
		return nil, err
	}
	for key, value := range s {
		if err := set(raw, key, value); err != nil {
			C.ge_options_destroy(raw)
			return nil, err
		}
	}
	return raw, nil
}

func set(raw *C.ge_options, key string, value any) error {
	k, n := chars(key)
	switch v := value.(type) {
	case string:
		text, size := chars(v)
		return taken(C.ge_shim_options_set_text(raw, k, n, text, size))
	case bool:
		var number C.int64_t
		if v {
			number = 1
		}
		return taken(C.ge_shim_options_set_int(raw, k, n, number))
	case int:
		return taken(C.ge_shim_options_set_int(raw, k, n, C.int64_t(v)))
	case int64:
		return taken(C.ge_shim_options_set_int(raw, k, n, C.int64_t(v)))
	case float64:
		return taken(C.ge_shim_options_set_float(raw, k, n, C.double(v)))
	}
	return fmt.Errorf("ge: setting %q: %T is none of string, bool, int, int64, float64", key, value)
}

// Context holds limits, registries and counters that objects share. Most programs need none: nil is the process default.
type Context struct{ handle }

// NewContext makes a context with settings such as "ge.threads".
func NewContext(settings Settings) (*Context, error) {
	if checked != nil {
		return nil, checked
	}
	options, err := settings.options()
	if err != nil {
		return nil, err
	}
	defer C.ge_options_destroy(options)
	var raw *C.ge_context
	if err := taken(C.ge_shim_context_create(options, &raw)); err != nil {
		return nil, err
	}
	c := new(Context)
	open(c, &c.handle, "Context", unsafe.Pointer(raw), func(p unsafe.Pointer) { C.ge_context_destroy((*C.ge_context)(p)) })
	return c, nil
}

// ContextInfo holds counters of a context.
type ContextInfo struct {
	Threads        int
	CopiedBytes    uint64 // unchanged over a call means that it copied nothing
	AllocatedBytes uint64
	PeakBytes      uint64
	Objects        uint64
}

// Info reads the counters.
func (c *Context) Info() (ContextInfo, error) {
	p, leave, err := c.live()
	if err != nil {
		return ContextInfo{}, err
	}
	defer leave()
	var info C.ge_context_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	if err := taken(C.ge_shim_context_get_info(p, &info, C.size_t(unsafe.Sizeof(info)))); err != nil {
		return ContextInfo{}, err
	}
	return ContextInfo{int(info.threads), uint64(info.copied_bytes), uint64(info.allocated_bytes),
		uint64(info.peak_bytes), uint64(info.objects_count)}, nil
}

// live gives the handle of a context, nil for the process default, and what ends its use.
func (c *Context) live() (*C.ge_context, func(), error) {
	if c == nil {
		return nil, func() {}, checked
	}
	p, err := c.enter()
	return (*C.ge_context)(p), c.leave, err
}
