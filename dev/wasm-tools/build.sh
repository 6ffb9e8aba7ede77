#!/bin/sh
# Builds wasm-bindgen and its test runner at the pinned version into
# $CARGO_TARGET_DIR/wasm-tools/debug. Some minutes the first time.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$PWD/../../target}
cargo build --quiet --locked --target-dir "$target/wasm-tools"
