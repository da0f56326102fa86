// SPDX-License-Identifier: Apache-2.0

package ge

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ErrClosed is what every method of a closed object returns.
var ErrClosed = errors.New("ge: use of a closed object")

// OnLeak, when set, is told the kind of every object that the collector had to close. Set it before objects are made.
var OnLeak func(kind string)

const closed = 1 << 62

// owner holds one handle. The handle goes when it is closed and no call uses it any more.
type owner struct {
	state   atomic.Int64 // calls in flight, plus closed
	pointer unsafe.Pointer
	destroy func(unsafe.Pointer)
	kind    string
}

// handle is the part all objects share.
type handle struct {
	owner   *owner
	cleanup runtime.Cleanup
}

// open takes over a pointer for object, which embeds h. To be called when nothing can fail any more.
func open[T any](object *T, h *handle, kind string, pointer unsafe.Pointer, destroy func(unsafe.Pointer)) {
	h.owner = &owner{pointer: pointer, destroy: destroy, kind: kind}
	h.cleanup = runtime.AddCleanup(object, leaked, h.owner)
}

func leaked(o *owner) {
	if OnLeak != nil && o.state.Load()&closed == 0 {
		OnLeak(o.kind)
	}
	o.close()
}

func (o *owner) close() {
	if o.state.Or(closed) == 0 {
		o.destroy(o.pointer)
	}
}

// enter begins a call: it gives the pointer, which stays valid until leave. Calls are written as
//
//	p, err := g.enter()
//	if err != nil { return err }
//	defer g.leave()
//
// The deferred call also keeps the object reachable until the foreign call is over.
func (h *handle) enter() (unsafe.Pointer, error) {
	if h.owner == nil {
		return nil, ErrClosed
	}
	for {
		n := h.owner.state.Load()
		if n&closed != 0 {
			return nil, ErrClosed
		}
		if h.owner.state.CompareAndSwap(n, n+1) {
			return h.owner.pointer, nil
		}
	}
}

// leave ends a call; the last one out of a closed object gives the handle back.
func (h *handle) leave() {
	if h.owner.state.Add(-1) == closed {
		h.owner.destroy(h.owner.pointer)
	}
}

// Close gives the handle back. Calls that are running end normally; later ones return ErrClosed.
func (h *handle) Close() error {
	if h.owner != nil {
		h.owner.close()
		h.cleanup.Stop()
	}
	return nil
}
