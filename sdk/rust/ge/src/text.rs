// SPDX-License-Identifier: Apache-2.0
//! Text that comes out of the library through a caller buffer.

use std::ffi::c_char;

use ge_sys as sys;

use crate::error::check;
use crate::Result;

/// Forms in which graphs and models are written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Dump {
    /// GE's protobuf text, without weights.
    GeText = sys::GE_DUMP_GE_TEXT,
    /// One line per node.
    Readable = sys::GE_DUMP_READABLE,
    /// A drawing for Graphviz.
    Dot = sys::GE_DUMP_DOT,
    /// Graph text that reads back.
    Ir = sys::GE_DUMP_IR,
    /// Models: what each pass changed.
    Passes = sys::GE_DUMP_PASSES,
    /// Models: per node the kernel chosen, and why others were refused.
    Kernels = sys::GE_DUMP_KERNELS,
    /// Models: steps with kernels, operands and offsets.
    Plan = sys::GE_DUMP_PLAN,
    /// Models: the figures of the compilation.
    Summary = sys::GE_DUMP_SUMMARY,
}

/// Calls `write` twice: for the size, then for the text.
pub(crate) fn read(mut write: impl FnMut(*mut c_char, usize, &mut usize) -> sys::ge_status) -> Result<String> {
    let mut size = 0;
    check(write(std::ptr::null_mut(), 0, &mut size))?;
    let mut bytes = vec![0u8; size + 1];
    check(write(bytes.as_mut_ptr().cast(), bytes.len(), &mut size))?;
    bytes.truncate(size);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
