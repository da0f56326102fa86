// SPDX-License-Identifier: Apache-2.0
//! Models: compiled graphs to run, from any number of threads.

use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

use ge_sys as sys;

use crate::error::{check, text};
use crate::handle::owned;
use crate::tensor::slice;
use crate::{DType, Dump, Graph, Result, Tensor};

/// One dim of an input or output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// Known.
    Known(i64),
    /// Any size, the same wherever the name stands.
    Named(String),
    /// Any size.
    Any,
}

/// An input or output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Io {
    /// Its name.
    pub name: String,
    /// Its data type.
    pub dtype: DType,
    /// Its shape; None when the rank is unknown.
    pub dims: Option<Vec<Dim>>,
    /// Whether it has a default and may stay unbound.
    pub is_optional: bool,
}

owned!(
    /// A compiled model: immutable, to be shared by threads.
    Model, ge_model, ge_model_destroy
);

owned!(
    /// A value on its way into or out of a run.
    Value, ge_value, ge_value_destroy
);

impl Value {
    fn of(tensor: &Tensor) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a live handle and a valid out-pointer.
        check(unsafe { sys::ge_value_create_from_tensor(tensor.as_ptr(), &mut raw) })?;
        Self::adopt(raw)
    }

    fn tensor(raw: *const sys::ge_value) -> Result<Tensor> {
        let mut tensor = std::ptr::null_mut();
        // SAFETY: the library checks the handle; a valid out-pointer.
        check(unsafe { sys::ge_tensor_create_from_value(raw, &mut tensor) })?;
        Tensor::adopt(tensor)
    }
}

impl Model {
    /// Reads a model from a file and compiles it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Graph::open(path)?.compile(None)
    }

    /// Its inputs, in order.
    pub fn inputs(&self) -> Result<Vec<Io>> {
        self.ios(sys::GE_DIRECTION_IN)
    }

    /// Its outputs, in order.
    pub fn outputs(&self) -> Result<Vec<Io>> {
        self.ios(sys::GE_DIRECTION_OUT)
    }

    fn ios(&self, direction: sys::ge_direction) -> Result<Vec<Io>> {
        let stride = size_of::<sys::ge_io_info>();
        let mut count = 0;
        // SAFETY: no array asks for the count; then an array of that many structs for which zero is valid. Their
        // pointers live as long as the model.
        unsafe {
            check(sys::ge_model_get_io_infos(self.as_ptr(), direction, std::ptr::null_mut(), 0, stride, &mut count))?;
            let mut blank: sys::ge_io_info = std::mem::zeroed();
            blank.struct_size = stride as u32;
            let mut infos = vec![blank; count];
            check(sys::ge_model_get_io_infos(
                self.as_ptr(),
                direction,
                infos.as_mut_ptr(),
                infos.len(),
                stride,
                &mut count,
            ))?;
            Ok(infos.iter().map(|info| io_of(info)).collect())
        }
    }

    /// Runs once; gives one tensor per output.
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let inputs = inputs.iter().map(|t| Value::of(t)).collect::<Result<Vec<_>>>()?;
        let raw: Vec<*const sys::ge_value> = inputs.iter().map(|v| v.as_ptr().cast_const()).collect();
        let mut count = 0;
        // SAFETY: live handles and arrays with their counts. The library owns nothing of them after the call; what
        // it gives is adopted at once.
        unsafe {
            check(sys::ge_model_get_io_infos(
                self.as_ptr(),
                sys::GE_DIRECTION_OUT,
                std::ptr::null_mut(),
                0,
                size_of::<sys::ge_io_info>(),
                &mut count,
            ))?;
            let mut outputs = vec![std::ptr::null_mut(); count];
            check(sys::ge_model_run(
                self.as_ptr(),
                std::ptr::null(),
                raw.as_ptr(),
                raw.len(),
                outputs.as_mut_ptr(),
                outputs.len(),
            ))?;
            let values = outputs.into_iter().map(Value::adopt).collect::<Result<Vec<_>>>()?;
            values.iter().map(|v| Value::tensor(v.as_ptr())).collect()
        }
    }

    /// The optimised graph or a report as text.
    pub fn dump(&self, form: Dump) -> Result<String> {
        // SAFETY: a live handle and a buffer with its size.
        crate::text::read(|buffer, size, out| unsafe {
            sys::ge_model_dump(self.as_ptr(), form as i32, buffer, size, out)
        })
    }

    /// A binding, to run many times on inputs bound once.
    pub fn bind(&self, inputs: &[&Tensor]) -> Result<Binding> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a live handle and a valid out-pointer.
        check(unsafe { sys::ge_binding_create(self.as_ptr(), &mut raw) })?;
        let mut binding = Binding::adopt(raw)?;
        for (i, tensor) in inputs.iter().enumerate() {
            binding.set_input(i, tensor)?;
        }
        Ok(binding)
    }
}

/// SAFETY: the pointers of `info` are live.
unsafe fn io_of(info: &sys::ge_io_info) -> Io {
    let rank = usize::try_from(info.rank);
    // SAFETY: `rank` entries each, or NULL.
    let dims = rank.ok().map(|rank| unsafe {
        let names = slice(info.dim_names, rank);
        let name = |i: usize| names.get(i).copied().filter(|p| !p.is_null());
        slice(info.dims, rank)
            .iter()
            .enumerate()
            .map(|(i, &dim)| match name(i) {
                _ if dim >= 0 => Dim::Known(dim),
                Some(symbol) => Dim::Named(text(symbol)),
                None => Dim::Any,
            })
            .collect()
    });
    // SAFETY: zero-terminated text or NULL.
    let name = unsafe { text(info.name) };
    Io { name, dtype: DType(info.dtype), dims, is_optional: info.is_optional != 0 }
}

owned!(
    /// Inputs bound once and run many times. Runs write the outputs, so a run needs the binding exclusively.
    Binding, ge_binding, ge_binding_destroy
);

impl Binding {
    /// Binds a tensor to an input; the binding keeps its memory.
    pub fn set_input(&mut self, index: usize, tensor: &Tensor) -> Result<()> {
        let value = Value::of(tensor)?;
        // SAFETY: live handles.
        check(unsafe { sys::ge_binding_set_input(self.as_ptr(), index, value.as_ptr()) })
    }

    /// Runs once.
    pub fn run(&mut self) -> Result<()> {
        // SAFETY: a live handle.
        check(unsafe { sys::ge_binding_run(self.as_ptr(), std::ptr::null()) })
    }

    /// The result of the last run; lent, because the next run writes into the same memory.
    pub fn output(&self, index: usize) -> Result<Output<'_>> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a live handle and a valid out-pointer; the value belongs to the binding.
        check(unsafe { sys::ge_binding_get_output(self.as_ptr(), index, &mut raw) })?;
        Ok(Output { tensor: Value::tensor(raw)?, binding: PhantomData })
    }
}

/// A tensor lent by a binding.
pub struct Output<'a> {
    tensor: Tensor,
    binding: PhantomData<&'a Binding>,
}

impl Deref for Output<'_> {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.tensor
    }
}
