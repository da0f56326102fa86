// SPDX-License-Identifier: Apache-2.0

package ge

/*
#include "ge_shim.h"
*/
import "C"
import "unsafe"

// FileFormat is what a model file is.
type FileFormat int32

const (
	FileAuto FileFormat = C.GE_FILE_AUTO // told by the content
	FileONNX FileFormat = C.GE_FILE_ONNX // ONNX, binary protobuf
)

// Graph is a computation graph.
type Graph struct{ handle }

func adoptGraph(raw *C.ge_graph) *Graph {
	g := new(Graph)
	open(g, &g.handle, "Graph", unsafe.Pointer(raw), func(p unsafe.Pointer) { C.ge_graph_destroy((*C.ge_graph)(p)) })
	return g
}

// Open reads a model from a file; context may be nil.
func Open(context *Context, path string, format FileFormat) (*Graph, error) {
	c, leave, err := context.live()
	if err != nil {
		return nil, err
	}
	defer leave()
	var raw *C.ge_graph
	text, size := chars(path)
	if err := taken(C.ge_shim_graph_import_file(c, C.ge_file_format(format), text, size, nil, &raw)); err != nil {
		return nil, err
	}
	return adoptGraph(raw), nil
}

// Read reads a model from memory; context may be nil.
func Read(context *Context, data []byte, format FileFormat) (*Graph, error) {
	c, leave, err := context.live()
	if err != nil {
		return nil, err
	}
	defer leave()
	var raw *C.ge_graph
	bytes := (*C.uint8_t)(unsafe.SliceData(data))
	if err := taken(C.ge_shim_graph_import(c, C.ge_file_format(format), bytes, C.size_t(len(data)), nil, &raw)); err != nil {
		return nil, err
	}
	return adoptGraph(raw), nil
}

// Dump gives the graph as text.
func (g *Graph) Dump(form Dump) (string, error) {
	p, err := g.enter()
	if err != nil {
		return "", err
	}
	defer g.leave()
	return readText(func(buffer *C.char, size C.size_t, out *C.size_t) *C.ge_error {
		return C.ge_shim_graph_dump((*C.ge_graph)(p), C.ge_dump_format(form), buffer, size, out)
	})
}

// Compile makes a model of the graph as it is now.
func (g *Graph) Compile(settings Settings) (*Model, error) {
	p, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.leave()
	options, err := settings.options()
	if err != nil {
		return nil, err
	}
	defer C.ge_options_destroy(options)
	var how C.ge_compile_options
	if err := taken(C.ge_shim_compile_options_init(&how, C.size_t(unsafe.Sizeof(how)))); err != nil {
		return nil, err
	}
	how.options = options
	var raw *C.ge_model
	if err := taken(C.ge_shim_graph_compile((*C.ge_graph)(p), &how, &raw)); err != nil {
		return nil, err
	}
	return adoptModel(raw)
}
