// SPDX-License-Identifier: Apache-2.0
//! Load a computation graph, compile it, run it.
//!
//! ```no_run
//! # fn main() -> ge::Result<()> {
//! let model = ge::Model::load("digits.onnx")?;
//! let image = ge::Tensor::from_vec(&[1, 1, 8, 8], vec![0.0f32; 64])?;
//! let outputs = model.run(&[&image])?;
//! # Ok(()) }
//! ```

mod context;
mod error;
mod graph;
mod handle;
mod model;
mod tensor;
mod text;

pub use context::{Context, Options};
pub use error::{Cause, Class, Error, Result};
pub use graph::{FileFormat, Graph};
pub use model::{Binding, Dim, Io, Model, Output};
pub use tensor::{DType, Element, Tensor};
pub use text::Dump;

use ge_sys as sys;

/// Version of the library in use, e.g. "0.1.0".
pub fn library_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three valid out-pointers.
    unsafe { sys::ge_get_version(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// Checks that the library in use fits what this crate was built against; every constructor does so itself.
pub fn check_library() -> Result<()> {
    let pointer = std::mem::size_of::<*const ()>() as u32;
    // SAFETY: plain numbers.
    error::check(unsafe { sys::ge_check_header(sys::GE_HEADER_ABI, sys::GE_HEADER_MAJOR, pointer) })
}
