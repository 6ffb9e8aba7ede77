#!/bin/sh
# Builds the npm package `pqseal` into wasm/pkg: the wasm, the JavaScript around it, types. The same bytes from any folder.
#   wasm/build.sh
set -eu
cd "$(dirname "$0")/.."
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
dev/wasm-tools/build.sh
# The module for engines with relaxed SIMD: the package's module contains its bytes.
X25519_RELAXED=$(x25519/relaxed/build.sh)
export X25519_RELAXED

# One build for all, by the profile `wasm` of the root Cargo.toml. Symbols stay until wasm-bindgen has read the target features in them.
# The registry's and the project's folders are in panic messages, unless they are given other names. Vectors for all code, not only that
# which asks for them: the compiler makes ML-KEM and ciphers of them too, which are faster and smaller then.
RUSTFLAGS="-Ctarget-feature=+simd128 --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/cargo --remap-path-prefix=$root=/src" \
    cargo build --quiet --locked --profile wasm --target wasm32-unknown-unknown --lib -p pqseal-wasm

pkg=$root/wasm/pkg
rm -rf "$pkg"
mkdir -p "$pkg/dist"
"$target/wasm-tools/debug/wasm-bindgen" --target web --omit-default-module-path --ts-typed-array-buffers \
    --remove-name-section --remove-producers-section --out-dir "$pkg/dist" --out-name core \
    "$target/wasm32-unknown-unknown/wasm/pqseal_wasm.wasm"

node wasm/npm/errors.mjs "$pkg/dist/core.js"
cp wasm/npm/index.js wasm/npm/slim.js wasm/npm/workerd.js wasm/npm/index.d.ts wasm/npm/slim.d.ts "$pkg/dist"
node wasm/npm/inline.mjs "$pkg/dist/core_bg.wasm" "$pkg/dist/inline.js"
cp wasm/npm/README.md LICENSE-APACHE LICENSE-MIT "$pkg"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
sed "s/@VERSION@/$version/" wasm/npm/package.json >"$pkg/package.json"
