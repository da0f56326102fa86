// SPDX-License-Identifier: Apache-2.0
//! One place where the library's error record becomes a Rust error.

use std::ffi::{c_char, CStr};
use std::fmt;

use ge_sys as sys;

/// Result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The caller passed something wrong.
    Argument,
    /// A handle or id does not name a live object.
    Handle,
    /// Right call, wrong time.
    State,
    /// Memory, files, threads, limits.
    Resource,
    /// Valid, but this build cannot do it.
    Unsupported,
    /// A model file or graph is not valid.
    Model,
    /// A valid graph could not be compiled.
    Compile,
    /// Execution failed.
    Device,
    /// Ended early on request.
    Cancelled,
    /// A defect of the library.
    Internal,
    /// A callback of the caller failed.
    Callback,
    /// A class this crate does not know.
    Other(i32),
}

impl Class {
    fn of(status: i32) -> Self {
        match status >> 16 {
            sys::GE_CLASS_ARGUMENT => Self::Argument,
            sys::GE_CLASS_HANDLE => Self::Handle,
            sys::GE_CLASS_STATE => Self::State,
            sys::GE_CLASS_RESOURCE => Self::Resource,
            sys::GE_CLASS_UNSUPPORTED => Self::Unsupported,
            sys::GE_CLASS_MODEL => Self::Model,
            sys::GE_CLASS_COMPILE => Self::Compile,
            sys::GE_CLASS_DEVICE => Self::Device,
            sys::GE_CLASS_CANCELLED => Self::Cancelled,
            sys::GE_CLASS_INTERNAL => Self::Internal,
            sys::GE_CLASS_CALLBACK => Self::Callback,
            other => Self::Other(other),
        }
    }
}

/// One cause of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Number of its status.
    pub status: i32,
    /// Name of its status.
    pub name: String,
    /// What was wrong.
    pub message: String,
    next: Option<Box<Cause>>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.next.as_deref().map(|c| c as _)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Record {
    status: i32,
    name: String,
    message: String,
    function: String,
    argument: String,
    argument_index: i32,
    node: String,
    found: String,
    wanted: String,
    details: Vec<(String, String)>,
    cause: Option<Box<Cause>>,
}

/// A call of the library failed; holds everything its record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Record>);

impl Error {
    /// Number of the status.
    pub fn status(&self) -> i32 {
        self.0.status
    }
    /// Name of the status, e.g. "GE_ERR_SHAPE".
    pub fn name(&self) -> &str {
        &self.0.name
    }
    /// What kind of failure it was.
    pub fn class(&self) -> Class {
        Class::of(self.0.status)
    }
    /// What was wrong, one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// The C function that failed.
    pub fn function(&self) -> &str {
        &self.0.function
    }
    /// Name of the wrong argument or field, or "".
    pub fn argument(&self) -> &str {
        &self.0.argument
    }
    /// Position of the wrong argument from 0, or -1.
    pub fn argument_index(&self) -> i32 {
        self.0.argument_index
    }
    /// Name of the node concerned, or "".
    pub fn node(&self) -> &str {
        &self.0.node
    }
    /// The value found, or "".
    pub fn found(&self) -> &str {
        &self.0.found
    }
    /// The value wanted, or "".
    pub fn wanted(&self) -> &str {
        &self.0.wanted
    }
    /// Further facts, such as "offset".
    pub fn details(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.details.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }
    /// Causes, nearest first.
    pub fn causes(&self) -> impl Iterator<Item = &Cause> {
        std::iter::successors(self.0.cause.as_deref(), |c| c.next.as_deref())
    }

    /// The whole record as lines "key: value"; the same text in every SDK.
    pub fn record(&self) -> String {
        let r = &*self.0;
        let mut text = format!(
            "status: {:#010x}\nname: {}\nmessage: {}\nfunction: {}\nargument: {}\nargument_index: {}\nnode: {}\nfound: {}\nwanted: {}\n",
            r.status, r.name, r.message, r.function, r.argument, r.argument_index, r.node, r.found, r.wanted
        );
        for (key, value) in &r.details {
            text += &format!("detail {key}: {value}\n");
        }
        for cause in self.causes() {
            text += &format!("cause {}: {}\n", cause.name, cause.message);
        }
        text
    }

    /// An error found on this side of the ABI.
    pub(crate) fn local(status: i32, function: &str, message: String) -> Self {
        Self(Box::new(Record {
            status,
            name: status_name(status),
            message,
            function: function.into(),
            argument_index: -1,
            ..Record::default()
        }))
    }

    /// Takes the record of the call that just failed on this thread.
    fn take() -> Self {
        let mut error = std::ptr::null_mut();
        // SAFETY: a valid out-pointer; the accessors below accept any handle, and their text lives until the release.
        unsafe {
            sys::ge_error_take(&mut error);
            let record = read(error);
            sys::ge_error_release(error);
            Self(Box::new(record))
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.message.is_empty() { &self.0.name } else { &self.0.message })
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|c| c as _)
    }
}

/// Turns the status of a call into a result. Must be given the status before any other call of the library on this
/// thread, which is why calls are written as `check(unsafe { ... })?`.
pub(crate) fn check(status: sys::ge_status) -> Result<()> {
    if status == sys::GE_OK {
        Ok(())
    } else {
        Err(Error::take())
    }
}

fn status_name(status: i32) -> String {
    // SAFETY: takes any number, gives static text.
    unsafe { text(sys::ge_status_name(status)) }
}

/// SAFETY: `p` is NULL or zero-terminated text that lives during the call.
pub(crate) unsafe fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// SAFETY: `error` is a handle that nobody releases during the call.
unsafe fn read(error: *const sys::ge_error) -> Record {
    // SAFETY: a struct of numbers and pointers, for which zero is valid; the library fills it and its text lives as
    // long as the handle.
    unsafe {
        let mut info: sys::ge_error_info = std::mem::zeroed();
        if sys::ge_error_get_info(error, &mut info, size_of::<sys::ge_error_info>()) != sys::GE_OK {
            info.status = sys::GE_ERR_INTERNAL;
        }
        let mut record = Record {
            status: info.status,
            name: status_name(info.status),
            message: text(info.message),
            function: text(info.function_name),
            argument: text(info.argument),
            argument_index: info.argument_index,
            node: text(info.node),
            found: text(info.found),
            wanted: text(info.wanted),
            ..Record::default()
        };
        let (mut key, mut value) = (std::ptr::null(), std::ptr::null());
        for i in 0..info.details_count as usize {
            if sys::ge_error_get_detail(error, i, &mut key, &mut value) == sys::GE_OK {
                record.details.push((text(key), text(value)));
            }
        }
        for i in (0..info.causes_count as usize).rev() {
            let mut status = sys::GE_OK;
            if sys::ge_error_get_cause(error, i, &mut status, &mut value) == sys::GE_OK {
                let next = record.cause.take();
                let (name, message) = (status_name(status), text(value));
                record.cause = Some(Box::new(Cause { status, name, message, next }));
            }
        }
        record
    }
}
