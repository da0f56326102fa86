// SPDX-License-Identifier: Apache-2.0
//! Tensors over memory of Rust or of the library.

use std::ffi::c_void;
use std::fmt;

use ge_sys as sys;

use crate::context::live;
use crate::error::check;
use crate::handle::owned;
use crate::{Context, Error, Result};

/// A data type, with the numbers of the C header.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DType(pub i32);

impl DType {
    /// Its name in lower case, e.g. "float32".
    pub fn name(self) -> String {
        // SAFETY: takes any number, gives static text.
        unsafe { crate::error::text(sys::ge_dtype_get_name(self.0)) }
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Rust types that are tensor elements. Every bit pattern of them is a value.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The data type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty = $dtype:ident),* $(,)?) => {
        $(impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType(sys::$dtype);
        })*
    };
}
elements!(
    f32 = GE_DTYPE_FLOAT32,
    f64 = GE_DTYPE_FLOAT64,
    i8 = GE_DTYPE_INT8,
    u8 = GE_DTYPE_UINT8,
    i16 = GE_DTYPE_INT16,
    u16 = GE_DTYPE_UINT16,
    i32 = GE_DTYPE_INT32,
    u32 = GE_DTYPE_UINT32,
    i64 = GE_DTYPE_INT64,
    u64 = GE_DTYPE_UINT64,
);

owned!(
    /// A tensor. Its contents do not change while it is borrowed.
    Tensor, ge_tensor, ge_tensor_destroy
);

/// Ends the use of a Vec given to the library.
///
/// SAFETY: `user_data` is a `Box<Vec<T>>` turned into a pointer, and this is its last use.
unsafe extern "C" fn drop_vec<T>(user_data: *mut c_void) {
    // SAFETY: as promised above; dropping plain numbers cannot panic.
    drop(unsafe { Box::from_raw(user_data.cast::<Vec<T>>()) });
}

fn desc_of(dtype: DType, dims: &[i64]) -> Result<sys::ge_tensor_desc> {
    // SAFETY: a struct of numbers and pointers, for which zero is valid; the call sets its defaults.
    unsafe {
        let mut desc: sys::ge_tensor_desc = std::mem::zeroed();
        check(sys::ge_tensor_desc_init(&mut desc, size_of::<sys::ge_tensor_desc>()))?;
        desc.dtype = dtype.0;
        desc.rank = i32::try_from(dims.len()).unwrap_or(i32::MAX);
        desc.dims = dims.as_ptr();
        Ok(desc)
    }
}

impl Tensor {
    /// A tensor that takes over a vector, without a copy.
    pub fn from_vec<T: Element>(dims: &[i64], data: Vec<T>) -> Result<Self> {
        Self::from_vec_in(None, dims, data)
    }

    /// The same in a context.
    pub fn from_vec_in<T: Element>(context: Option<&Context>, dims: &[i64], data: Vec<T>) -> Result<Self> {
        let desc = desc_of(T::DTYPE, dims)?;
        let mut raw = std::ptr::null_mut();
        let mut data = Box::new(data);
        // SAFETY: a struct of numbers and pointers. The vector lives until drop_vec, which the library calls once,
        // also when the call fails; nobody else touches it meanwhile.
        unsafe {
            let mut memory: sys::ge_memory = std::mem::zeroed();
            check(sys::ge_memory_init(&mut memory, size_of::<sys::ge_memory>()))?;
            memory.data = data.as_mut_ptr().cast();
            memory.data_size = std::mem::size_of_val(data.as_slice()) as u64;
            memory.user_data = Box::into_raw(data).cast();
            memory.destroy = Some(drop_vec::<T>);
            check(sys::ge_tensor_create_over(live(context), &desc, &memory, &mut raw))?;
        }
        Self::adopt(raw)
    }

    /// A tensor with a copy of a slice.
    pub fn from_slice<T: Element>(dims: &[i64], data: &[T]) -> Result<Self> {
        Self::from_slice_in(None, dims, data)
    }

    /// The same in a context.
    pub fn from_slice_in<T: Element>(context: Option<&Context>, dims: &[i64], data: &[T]) -> Result<Self> {
        let desc = desc_of(T::DTYPE, dims)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the bytes of a slice with their size, copied by the call.
        check(unsafe {
            sys::ge_tensor_create_from_data(
                live(context),
                &desc,
                data.as_ptr().cast(),
                std::mem::size_of_val(data),
                &mut raw,
            )
        })?;
        Self::adopt(raw)
    }

    fn desc(&self) -> Result<sys::ge_tensor_desc> {
        // SAFETY: a struct of numbers and pointers that the library fills; its pointers live as long as the tensor.
        unsafe {
            let mut desc: sys::ge_tensor_desc = std::mem::zeroed();
            check(sys::ge_tensor_get_desc(self.as_ptr(), &mut desc, size_of::<sys::ge_tensor_desc>()))?;
            Ok(desc)
        }
    }

    /// The data type.
    pub fn dtype(&self) -> Result<DType> {
        Ok(DType(self.desc()?.dtype))
    }

    /// The shape.
    pub fn dims(&self) -> Result<&[i64]> {
        let desc = self.desc()?;
        // SAFETY: `rank` entries that live as long as the tensor.
        Ok(unsafe { slice(desc.dims, usize::try_from(desc.rank).unwrap_or(0)) })
    }

    /// The bytes, row-major.
    pub fn bytes(&self) -> Result<&[u8]> {
        let (mut data, mut size) = (std::ptr::null(), 0);
        // SAFETY: valid out-pointers; the bytes live as long as the tensor and do not change while it is borrowed.
        unsafe {
            let mut info: sys::ge_tensor_info = std::mem::zeroed();
            check(sys::ge_tensor_get_info(self.as_ptr(), &mut info, size_of::<sys::ge_tensor_info>()))?;
            if info.is_dense == 0 {
                let message = "the tensor has strides".into();
                return Err(Error::local(sys::GE_ERR_UNSUPPORTED, "Tensor::bytes", message));
            }
            check(sys::ge_tensor_get_data(self.as_ptr(), &mut data, &mut size))?;
            Ok(slice(data, size))
        }
    }

    /// The elements, row-major.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let dtype = self.dtype()?;
        if dtype != T::DTYPE {
            let message = format!("the tensor holds {dtype:?}, not {:?}", T::DTYPE);
            return Err(Error::local(sys::GE_ERR_DTYPE, "Tensor::as_slice", message));
        }
        let bytes = self.bytes()?;
        // SAFETY: every bit pattern of an Element is a value.
        let (head, elements, tail) = unsafe { bytes.align_to::<T>() };
        if head.is_empty() && tail.is_empty() {
            return Ok(elements);
        }
        let message = "the tensor is not aligned to its elements".into();
        Err(Error::local(sys::GE_ERR_ALIGNMENT, "Tensor::as_slice", message))
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.dtype(), self.dims()) {
            (Ok(dtype), Ok(dims)) => write!(f, "Tensor {dtype:?}{dims:?}"),
            _ => f.write_str("Tensor"),
        }
    }
}

/// A slice from C: NULL means empty.
///
/// SAFETY: `data` is NULL or points to `count` values that live and do not change during 'a.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, count) }
}
