#!/usr/bin/env bash
# X25519 in WebAssembly, with and without relaxed SIMD, next to AWS-LC's. The last line is `N
# passed, N failed`.
#   crates/x25519-simd128/differential.sh POINTS     how many, such as 10000000, or which, such as 10000000..20000000
# The points are those of crates/x25519-batch/examples/differential.rs, which computes the answers.
# Both together take some 120 us per point: 20 minutes of a processor for 10000000. Needs Node, and
# Rust's target wasm32-unknown-unknown.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
[ $# -eq 1 ] || {
    echo "crates/x25519-simd128/differential.sh: say how many points, such as 10000000" >&2
    exit 2
}
command -v node >/dev/null || {
    echo "crates/x25519-simd128/differential.sh: node is missing; install it (Debian: apt install nodejs)" >&2
    exit 1
}
cargo build --quiet --locked --release -p x25519-batch --example differential
RUSTFLAGS=-Ctarget-feature=+simd128 \
    cargo build --quiet --locked --profile wasm --target wasm32-unknown-unknown -p x25519-simd128 --example differential
relaxed=$(crates/x25519-relaxed/build.sh)
option=$(node wasm/test/relaxed-simd.mjs)
# An engine that knows no such option, or whose processor would round twice, tests one module.
# shellcheck disable=SC2086 # an option or nothing
node $option -e 'process.exit(WebAssembly.validate(require("fs").readFileSync(process.argv[1])) ? 0 : 1)' "$relaxed" || relaxed=
# shellcheck disable=SC2086
"$target/release/examples/differential" "$1" answers |
    node $option crates/x25519-simd128/differential.mjs "$target/wasm32-unknown-unknown/wasm/examples/differential.wasm" $relaxed
