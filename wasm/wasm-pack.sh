#!/usr/bin/env bash
# wasm-pack from a clone, with nothing set before: builds for web, bundler and nodejs, runs the tests
# in Node, and makes a round trip with what it built, in Node and, through Vite, in Chromium. The last
# line is `N passed, N failed`.
#   wasm/wasm-pack.sh
# Needs wasm-pack, Node, Chromium and the packages of web-ui. wasm-pack takes wasm-bindgen from PATH if
# it is of the right version, and would otherwise fetch or build it.
set -uo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
unset X25519_RELAXED RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
command -v wasm-pack >/dev/null || { echo "no wasm-pack: cargo install --locked wasm-pack" >&2; exit 1; }
dev/wasm-tools/build.sh || exit 1
export PATH=$target/wasm-tools/debug:$PATH
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
passed=0
failed=0

step() {
    echo "== $1"
    if "${@:2}"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "== $1 FAILED"
    fi
}

# build TARGET: elsewhere than in wasm/pkg, where the npm package is.
build() { wasm-pack --quiet build wasm --target "$1" --out-dir "$built/$1" && whole "$built/$1"; }

whole() {
    local file
    for file in README.md LICENSE-APACHE LICENSE-MIT package.json pqseal_wasm.d.ts; do
        [ -s "$1/$file" ] || { echo "wasm-pack made no $file"; return 1; }
    done
}

for each in web bundler nodejs; do step "wasm-pack build --target $each" build "$each"; done
step "wasm-pack test --node" wasm-pack test --node wasm
for each in node vite types; do step "round trip: $each" node wasm/test/wasm-pack.mjs "$built" "$each"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
