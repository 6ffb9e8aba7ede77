//! Sets the name under which programs load the shared library. `install.sh` installs it
//! under this name.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Below 1.0 a minor version may change the interface.
    let (major, minor) = (
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
    );
    let number = match major {
        "0" => format!("0.{minor}"),
        _ => major.to_owned(),
    };
    // Formats other than ELF name libraries in other ways.
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpqseal.so.{number}");
    }
}
