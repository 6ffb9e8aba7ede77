//! Sets the name under which programs load the shared library. `install.sh` installs it
//! under this name.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
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
    if is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpqseal.so.{number}");
    }
}
