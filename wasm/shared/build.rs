//! Says whether the module for relaxed SIMD was built, as wasm/build.sh does. Without it X25519
//! takes twice the time.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(relaxed_module)");
    println!("cargo::rerun-if-env-changed=X25519_RELAXED");
    if std::env::var_os("X25519_RELAXED").is_some() {
        println!("cargo::rustc-cfg=relaxed_module");
    }
}
