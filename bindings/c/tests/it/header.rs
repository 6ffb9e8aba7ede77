//! The header equals cbindgen's output for the sources. PQSEAL_HEADER=write writes
//! it.

use std::{env, fs, path::Path};

#[test]
fn the_header_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(here, config).unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let file = here.join("include/pqseal.h");
    if env::var_os("PQSEAL_HEADER").is_some_and(|value| value == "write") {
        fs::write(&file, &made).unwrap();
    }
    let found = fs::read(&file).unwrap_or_default();
    assert!(
        found == made,
        "include/pqseal.h is not what the sources say; write it with PQSEAL_HEADER=write cargo test -p pqseal-c header::"
    );
}
