// SPDX-License-Identifier: Apache-2.0
//! Graphs: read from files or memory, dump, compile.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ge_sys as sys;

use crate::context::live;
use crate::error::check;
use crate::handle::owned;
use crate::{check_library, text, Context, Dump, Model, Options, Result};

/// What a model file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum FileFormat {
    /// Told by the content.
    #[default]
    Auto = sys::GE_FILE_AUTO,
    /// ONNX, binary protobuf.
    Onnx = sys::GE_FILE_ONNX,
}

owned!(
    /// A computation graph.
    Graph, ge_graph, ge_graph_destroy
);

impl Graph {
    /// Reads a model from a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(None, path, FileFormat::Auto)
    }

    /// The same in a context, for a known format.
    pub fn open_in(context: Option<&Context>, path: impl AsRef<Path>, format: FileFormat) -> Result<Self> {
        check_library()?;
        let path = path.as_ref().as_os_str().as_bytes();
        let mut raw = std::ptr::null_mut();
        // SAFETY: a path with its size, and a valid out-pointer.
        check(unsafe {
            sys::ge_graph_import_file(
                live(context),
                format as i32,
                path.as_ptr().cast(),
                path.len(),
                std::ptr::null(),
                &mut raw,
            )
        })?;
        Self::adopt(raw)
    }

    /// Reads a model from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes_in(None, bytes, FileFormat::Auto)
    }

    /// The same in a context, for a known format.
    pub fn from_bytes_in(context: Option<&Context>, bytes: &[u8], format: FileFormat) -> Result<Self> {
        check_library()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: bytes with their size, copied by the call, and a valid out-pointer.
        check(unsafe {
            sys::ge_graph_import(live(context), format as i32, bytes.as_ptr(), bytes.len(), std::ptr::null(), &mut raw)
        })?;
        Self::adopt(raw)
    }

    /// The graph as text.
    pub fn dump(&self, form: Dump) -> Result<String> {
        // SAFETY: a live handle and a buffer with its size.
        text::read(|buffer, size, out| unsafe { sys::ge_graph_dump(self.as_ptr(), form as i32, buffer, size, out) })
    }

    /// A model of the graph as it is now.
    pub fn compile(&self, options: Option<&Options>) -> Result<Model> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a struct of numbers and pointers; the handles live during the call.
        unsafe {
            let mut how: sys::ge_compile_options = std::mem::zeroed();
            check(sys::ge_compile_options_init(&mut how, size_of::<sys::ge_compile_options>()))?;
            how.options = options.map_or(std::ptr::null(), |o| o.as_ptr().cast_const());
            check(sys::ge_graph_compile(self.as_ptr(), &how, &mut raw))?;
        }
        Model::adopt(raw)
    }
}
