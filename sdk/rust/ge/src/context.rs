// SPDX-License-Identifier: Apache-2.0
//! Contexts and options.

use ge_sys as sys;

use crate::error::check;
use crate::handle::owned;
use crate::{check_library, text, Result};

owned!(
    /// Settings by key; unknown keys and values are refused.
    Options, ge_options, ge_options_destroy
);

impl Options {
    /// No settings yet.
    pub fn new() -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a valid out-pointer.
        check(unsafe { sys::ge_options_create(&mut raw) })?;
        Self::adopt(raw)
    }

    /// Sets a key from text.
    pub fn set(&mut self, key: &str, value: &str) -> Result<&mut Self> {
        // SAFETY: text with its size, copied by the call.
        check(unsafe {
            sys::ge_options_set_text(self.as_ptr(), key.as_ptr().cast(), key.len(), value.as_ptr().cast(), value.len())
        })?;
        Ok(self)
    }

    /// Sets a key from an integer; 0 and 1 for switches.
    pub fn set_int(&mut self, key: &str, value: i64) -> Result<&mut Self> {
        // SAFETY: as in set.
        check(unsafe { sys::ge_options_set_int(self.as_ptr(), key.as_ptr().cast(), key.len(), value) })?;
        Ok(self)
    }

    /// The value set, or the key's default.
    pub fn get(&self, key: &str) -> Result<String> {
        text::read(|buffer, size, out| {
            // SAFETY: a buffer with its size, and text with its size.
            unsafe { sys::ge_options_get_text(self.as_ptr(), key.as_ptr().cast(), key.len(), buffer, size, out) }
        })
    }
}

owned!(
    /// Limits, registries and counters that objects share. Most programs need none and use the process default.
    Context, ge_context, ge_context_destroy
);

impl Context {
    /// A context with settings of context level, e.g. "ge.threads".
    pub fn new(options: Option<&Options>) -> Result<Self> {
        check_library()?;
        let mut raw = std::ptr::null_mut();
        let options = options.map_or(std::ptr::null_mut(), Options::as_ptr);
        // SAFETY: a live handle or NULL, and a valid out-pointer.
        check(unsafe { sys::ge_context_create(options, &mut raw) })?;
        Self::adopt(raw)
    }

    /// Tensor bytes copied so far: unchanged over a call means that it copied nothing.
    pub fn copied_bytes(&self) -> Result<u64> {
        // SAFETY: a struct of numbers that the library fills.
        unsafe {
            let mut info: sys::ge_context_info = std::mem::zeroed();
            check(sys::ge_context_get_info(self.as_ptr(), &mut info, size_of::<sys::ge_context_info>()))?;
            Ok(info.copied_bytes)
        }
    }
}

/// The handle of a context, or NULL for the process default.
pub(crate) fn live(context: Option<&Context>) -> *mut sys::ge_context {
    context.map_or(std::ptr::null_mut(), Context::as_ptr)
}
