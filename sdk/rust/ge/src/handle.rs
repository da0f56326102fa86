// SPDX-License-Identifier: Apache-2.0
//! Owned handles: one pointer, given back once.

/// Defines `$name` over a handle of the C library. Dropping it gives the handle back; the library keeps what others
/// still need. Calls marked "const" in the header take `&self`, "exclusive" ones `&mut self`, "free" ones either, so:
///
/// SAFETY of Send and Sync: handles are valid on any thread and destroy is "free"; Rust's borrow rules give what the
/// header asks of the caller.
macro_rules! owned {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $destroy:ident) => {
        $(#[$doc])*
        pub struct $name {
            raw: std::ptr::NonNull<ge_sys::$raw>,
        }

        impl $name {
            /// Takes over a handle just received.
            #[allow(dead_code)]
            pub(crate) fn adopt(raw: *mut ge_sys::$raw) -> $crate::Result<Self> {
                match std::ptr::NonNull::new(raw) {
                    Some(raw) => Ok(Self { raw }),
                    None => Err($crate::Error::local(
                        ge_sys::GE_ERR_INTERNAL,
                        stringify!($name),
                        "the library gave no handle".into(),
                    )),
                }
            }

            pub(crate) fn as_ptr(&self) -> *mut ge_sys::$raw {
                self.raw.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: ours, and nobody uses it after this.
                unsafe { ge_sys::$destroy(self.raw.as_ptr()) };
            }
        }

        // SAFETY: see the macro.
        unsafe impl Send for $name {}
        // SAFETY: see the macro.
        unsafe impl Sync for $name {}
    };
}

pub(crate) use owned;
