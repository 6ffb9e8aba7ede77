#!/usr/bin/env bash
# Builds the package and runs every test of it. The last line is `N passed, N failed`.
#   wasm/test.sh
#   wasm/test.sh quick   a package that is hardly optimized, the vectors and the API in Node
# PQSEAL_BIN names the folder of the command `pqseal`, which is built if it is not set. Needs Node;
# all but `quick` needs chromium and chromedriver (Debian: chromium, chromium-driver), `npm ci
# --ignore-scripts` in this folder, and `dev/interop/setup.sh hpke-js`.
set -uo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$PWD/../target}
log=$(mktemp)
trap 'rm -f "$log" "$log.said"' EXIT
passed=0
failed=0

# step NAME PATTERN COMMAND...: PATTERN is what precedes or follows the count of passed tests. A
# step without any has failed.
step() {
    echo "== $1"
    "${@:3}" 2>&1 | tee "$log"
    local status=$? count
    count=$(grep -oE "$2" "$log" | grep -oE '[0-9]+' | awk '{ n += $1 } END { print n + 0 }')
    passed=$((passed + count))
    if [ "$status" -ne 0 ] || [ "$count" -eq 0 ]; then
        failed=$((failed + 1))
        echo "== $1 FAILED"
    fi
}

# As others may build it, who need not have vectors everywhere.
cargo_x25519() { CARGO_ENCODED_RUSTFLAGS='' cargo test --locked -p x25519-simd128 --target wasm32-unknown-unknown "$@"; }
# Once more where the engine has relaxed SIMD, where it does not know it, and where it rounds
# products twice: the tests say which they took.
cargo_relaxed_field() {
    RUSTFLAGS=-Ctarget-feature=+simd128,+relaxed-simd NODE_ARGS=$relaxed \
        cargo test --locked -p x25519-relaxed --target wasm32-unknown-unknown "$@"
}
cargo_relaxed() { cargo test --locked -p x25519-simd128 --features relaxed --target wasm32-unknown-unknown --test vectors "$@" -- --nocapture; }
# says WHICH COMMAND...
says() {
    "${@:2}" 2>&1 | tee "$log.said"
    [ "${PIPESTATUS[0]}" -eq 0 ] && grep -q "relaxed SIMD: $1" "$log.said"
}
x25519_relaxed() { NODE_ARGS=$relaxed says true cargo_relaxed; }
x25519_refused() { NODE_ARGS=--import,$PWD/test/without-relaxed-simd.mjs says false cargo_relaxed; }
x25519_rounded_twice() { NODE_ARGS=${relaxed:+$relaxed,}--no-enable-fma3 says false cargo_relaxed; }
x25519_in_page() { WASM_BINDGEN_USE_BROWSER=1 says true cargo_relaxed; }
cargo_ml_kem() { CARGO_ENCODED_RUSTFLAGS='' cargo test --locked -p ml-kem-768 --target wasm32-unknown-unknown --lib --test it "$@"; }
ml_kem_in_page() { WASM_BINDGEN_USE_BROWSER=1 cargo_ml_kem; }
cargo_bike() { cargo test --locked -p pqseal-kem-pq --lib --target wasm32-unknown-unknown "$@"; }
cargo_vectors() { cargo test --locked -p pqseal-wasm --target wasm32-unknown-unknown --test vectors "$@"; }
in_page() { WASM_BINDGEN_USE_BROWSER=1 cargo_vectors; }
in_worker() { WASM_BINDGEN_USE_DEDICATED_WORKER=1 cargo_vectors; }
types() {
    node_modules/.bin/tsc -p test/types && node_modules/.bin/tsc -p test/types/hpke-js.json &&
        node_modules/.bin/tsc -p test/types/hpke-js-theirs.json && echo "5 programs compile"
}

# wasm-bindgen of the pinned version, as for build.sh.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=$target/wasm-tools/debug/wasm-bindgen-test-runner
# In seconds: a loaded machine starts a browser slowly.
export CHROMEDRIVER=${CHROMEDRIVER:-$(command -v chromedriver)} WASM_BINDGEN_TEST_TIMEOUT=600 WASM_BINDGEN_TEST_DRIVER_TIMEOUT=300

X25519_RELAXED=$(../crates/x25519-relaxed/build.sh) || exit 1
relaxed=$(node test/relaxed-simd.mjs)
export X25519_RELAXED
# shellcheck disable=SC2086 # nothing or a word
./build.sh ${1:-} || exit 1
summary() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
if [ "${1:-}" = quick ]; then
    step "vectors in Node" '[0-9]+ passed' cargo_vectors
    step "API" '^# pass [0-9]+' node --test --test-reporter=tap test/{api,jwe,keys,records,sealed}.test.mjs
    # shellcheck disable=SC2086 # nothing or a word
    step "wrong computations" '^# pass [1-9][0-9]*' node $relaxed --test --test-reporter=tap test/faults.test.mjs
    summary
fi
# As bindings/python/test.sh builds it.
[ -n "${PQSEAL_BIN:-}" ] || cargo build --quiet --locked --workspace --bin pqseal || exit 1
export PQSEAL_BIN=${PQSEAL_BIN:-$target/debug}
step "X25519 with SIMD" '[0-9]+ passed' cargo_x25519
step "the field of relaxed SIMD" '[0-9]+ passed' cargo_relaxed_field
step "X25519 by relaxed SIMD" '[0-9]+ passed' x25519_relaxed
step "X25519, relaxed SIMD refused" '[0-9]+ passed' x25519_refused
[ "$(uname -m)" != x86_64 ] || step "X25519, relaxed SIMD without fused multiply-add" '[0-9]+ passed' x25519_rounded_twice
step "X25519 by relaxed SIMD in a page" '[0-9]+ passed' x25519_in_page
step "ML-KEM-768 with SIMD" '[0-9]+ passed' cargo_ml_kem
step "ML-KEM-768 with SIMD in a page" '[0-9]+ passed' ml_kem_in_page
step "BIKE's parts on each back end" '[0-9]+ passed' cargo_bike
step "vectors in Node" '[0-9]+ passed' cargo_vectors
step "vectors in a page" '[0-9]+ passed' in_page
step "vectors in a worker" '[0-9]+ passed' in_worker
step "types" '[0-9]+ program' types
step "API, memory, package, command line" '^# pass [0-9]+' \
    node --import ./test/without-relaxed-simd.mjs --test --test-reporter=tap test/*.test.mjs
step "API and memory with relaxed SIMD" '^# pass [0-9]+' \
    node $relaxed --test --test-reporter=tap test/{api,core,keys,faults,interop,jwe,files,sealed,memory,memory-core,memory-jwe,memory-files,memory-sealed}.test.mjs
summary
