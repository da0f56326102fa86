// SPDX-License-Identifier: Apache-2.0

package ge

import "C"
import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// geUnpin is the destroy of PinTensor's memory: called once, from any thread.
//
//export geUnpin
func geUnpin(userData unsafe.Pointer) {
	h := cgo.Handle(uintptr(userData))
	h.Value().(*runtime.Pinner).Unpin()
	h.Delete()
}
