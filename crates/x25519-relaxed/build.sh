#!/bin/sh
# Builds the module, by the profile `wasm` of the root Cargo.toml, and prints its path. Without
# names: what is exported stays.
#   crates/x25519-relaxed/build.sh
set -eu
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
# A stack of which the ladder needs half, and its address for who overwrites it.
RUSTFLAGS="-Ctarget-feature=+simd128,+relaxed-simd -Cstrip=symbols -Clink-arg=-zstack-size=16384 -Clink-arg=--export=__stack_pointer" \
    cargo build --quiet --locked --profile wasm --target wasm32-unknown-unknown -p x25519-relaxed
echo "$target/wasm32-unknown-unknown/wasm/x25519_relaxed.wasm"
