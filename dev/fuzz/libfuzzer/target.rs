//! Runs the target that the environment variable `FUZZ_TARGET` names.

#![no_main]

use std::{env, sync::LazyLock};

use fuzz_targets::Target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    Target::of(&name).expect("FUZZ_TARGET is the name of a target")
});

libfuzzer_sys::fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
    },
    |bytes: &[u8]| (TARGET.run)(bytes)
);
