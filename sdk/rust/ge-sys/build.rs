// SPDX-License-Identifier: Apache-2.0
//! Finds libge: GE_LIB_DIR (a folder with libge.so), else pkg-config's ge-1. Documentation builds link nothing.

use std::env;
use std::process::Command;

fn main() {
    for name in ["GE_LIB_DIR", "GE_INCLUDE_DIR", "PKG_CONFIG_PATH", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    if let Ok(folder) = env::var("GE_LIB_DIR") {
        link(&folder);
        if let Ok(include) = env::var("GE_INCLUDE_DIR") {
            println!("cargo:include={include}");
        }
        return;
    }
    let folder = ask("--variable=libdir");
    link(folder.trim());
    println!("cargo:include={}", ask("--variable=includedir").trim());
}

fn link(folder: &str) {
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=dylib=ge");
}

/// What pkg-config says; a build script's way to fail is to panic with the reason.
fn ask(question: &str) -> String {
    let how = Command::new("pkg-config").args([question, "ge-1 >= 0.1"]).output();
    match how {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        Ok(out) => panic!(
            "pkg-config does not find ge-1 (set GE_LIB_DIR or PKG_CONFIG_PATH): {}",
            String::from_utf8_lossy(&out.stderr)
        ),
        Err(e) => panic!("pkg-config cannot be run ({e}); set GE_LIB_DIR"),
    }
}
