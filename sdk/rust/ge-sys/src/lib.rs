// SPDX-License-Identifier: Apache-2.0
//! Raw bindings of libge. `bindings.rs` is bindgen's view of the header, `constants.rs` its constants with the type of
//! their typedef; both are generated, and the tests check that they are current. Meaning and ownership are written in
//! `ge_c_api.h`; the crate `ge` is the safe layer.
#![allow(non_camel_case_types)]

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod constants;

pub use bindings::*;
pub use constants::*;
