#!/bin/sh
# The time of each operation in WebAssembly, in libcrux and in this crate, in Node: medians in
# microseconds.
#   crates/ml-kem-768/benches/webassembly.sh [PROCESSES]     7 of them if it is not said
# Needs Rust's target wasm32-unknown-unknown. Compare medians of processes: one may be unlucky with
# its addresses.
set -eu
cd "$(dirname "$0")/../../.."
RUSTFLAGS=-Ctarget-feature=+simd128 \
    cargo build --quiet --locked --profile wasm --target wasm32-unknown-unknown -p ml-kem-768 --example webassembly
module=${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/wasm/examples/webassembly.wasm
node crates/ml-kem-768/benches/webassembly.mjs "$module" "${1:-7}"
