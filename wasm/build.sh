#!/bin/sh
# Builds the npm package `pqseal` into wasm/pkg: the wasm, the JavaScript around it, types. The same
# bytes from any folder.
# wasm-pack is not used: it builds one crate for one target with one set of features, and this package
# has seven modules around which the JavaScript is our own.
#   wasm/build.sh
#   wasm/build.sh quick   in a fifth of the time, for tests: hardly optimized, and `core` has what `sealed` has
set -eu
cd "$(dirname "$0")/.."
quick=no
[ "${1:-}" != quick ] || quick=yes
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
dev/wasm-tools/build.sh
# The module for engines with relaxed SIMD: the package's module contains its bytes.
X25519_RELAXED=$(crates/x25519-relaxed/build.sh)
export X25519_RELAXED

pkg=$root/wasm/pkg
rm -rf "$pkg"

# module CRATE FOLDER PROFILE OPTIONS...: builds a module, and puts it into that folder of the
# package. entry EXPORTS CRATE FOLDER PROFILE OPTIONS...: the same, and the JavaScript around it.
# and_from FOLDER FILE EXPORTS: exports these too, from FILE.js of the folder. The profiles are
# in the root Cargo.toml. Symbols stay until wasm-bindgen has read the target features in them. The
# registry's and the project's folders are in panic messages, unless they are given other names.
# Vectors for all code, not only that which asks for them: the compiler makes ML-KEM and ciphers of
# them too, which are faster and smaller then. Each crate is built by itself: features that only
# another one needs would be in it too.
module() {
    crate=$1 folder=$2 profile=$3
    shift 3
    if [ "$quick" = yes ]; then
        profile=debug
        cargo build --quiet --locked --target wasm32-unknown-unknown --lib -p pqseal-wasm -p pqseal-wasm-files -p pqseal-wasm-jwe -p pqseal-wasm-records --features pqseal-wasm/sealed
    else
        RUSTFLAGS="-Ctarget-feature=+simd128 --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/cargo --remap-path-prefix=$root=/src" \
            cargo build --quiet --locked --profile "$profile" --target wasm32-unknown-unknown --lib -p "$crate" "$@"
    fi
    mkdir -p "$folder"
    "$target/wasm-tools/debug/wasm-bindgen" --target web --omit-default-module-path --ts-typed-array-buffers \
        --remove-name-section --remove-producers-section --out-dir "$folder" --out-name core \
        "$target/wasm32-unknown-unknown/$profile/$(echo "$crate" | tr - _).wasm"
    node wasm/npm/errors.mjs "$folder/core.js"
    node wasm/npm/inline.mjs "$folder/core_bg.wasm" "$folder/inline.js"
}

entry() {
    names=$1
    shift
    module "$@"
    for file in index.js slim.js workerd.js index.d.ts slim.d.ts; do
        sed "s/@EXPORTS@/$names/" "wasm/npm/$file" >"$folder/$file"
    done
}

and_from() {
    for file in index.js slim.js workerd.js index.d.ts slim.d.ts; do
        echo "export { $3 } from \"./$2.js\";" >>"$1/$file"
    done
}

hpke="PqsealError, PrivateKey, PublicKey, RecipientContext, SenderContext, Suite, faults, suites"
entry "$hpke" pqseal-wasm "$pkg/dist/hpke" wasm-core --no-default-features
exports="$hpke, Calendar, KeyRing, derivePublicKey, generateKeyPair, inspect, open, seal"
module pqseal-wasm "$pkg/dist" wasm-core --no-default-features --features matched-data
for file in wasm/npm/core/*; do
    sed "s/@EXPORTS@/$exports/" "$file" >"$pkg/dist/$(basename "$file")"
done
entry "$exports" pqseal-wasm "$pkg/dist/full" wasm
# `full` is to take the place of `core`, whose types are its own: calendars are only in `full`.
if diff "$pkg/dist/core.d.ts" "$pkg/dist/full/core.d.ts" | grep '^<'; then
    echo "core has these lines of types, and full does not" >&2
    exit 1
fi
cp "$pkg/dist/full/core.d.ts" "$pkg/dist/core.d.ts"
# What `full` has, and what others seal in logs, with JavaScript that unwraps keys by WebCrypto.
entry "$exports, SealedRing, inspectSealed, sealedKind" pqseal-wasm "$pkg/dist/sealed" wasm --features sealed
cp wasm/sealed/* "$pkg/dist/sealed"
and_from "$pkg/dist/sealed" sealed "SealedKeys, readKeys"
entry "PqsealError, PrivateKey, algorithms, faults, generateKeyPair, inspect, open, seal" pqseal-wasm-jwe "$pkg/dist/jwe" wasm
# The adapter is JavaScript over the entry `full`.
cp -R wasm/npm/hpke-js "$pkg/dist/hpke-js"
entry "Decryptor, Encryptor, PqsealError, decrypt, decryptPem, encrypt, faults, generateHybridIdentity, generateX25519Identity, identityToRecipient, inspect" \
    pqseal-wasm-files "$pkg/dist/files" wasm
cp wasm/files/streams/* "$pkg/dist/files"
and_from "$pkg/dist/files" streams "DecryptStream, EncryptStream"
# Only the page has it: this folder is not packed.
module pqseal-wasm-records "$pkg/records" wasm
for file in slim.js slim.d.ts; do
    sed "s/@EXPORTS@/RecordFinder, RecordReader/" "wasm/npm/$file" >"$pkg/records/$file"
done
cp wasm/npm/README.md LICENSE-APACHE LICENSE-MIT "$pkg"
node wasm/npm/licences.mjs "$pkg/licences.txt" pqseal-wasm pqseal-wasm-jwe pqseal-wasm-files pqseal-wasm-records x25519-relaxed
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
sed "s/@VERSION@/$version/" wasm/npm/package.json >"$pkg/package.json"
[ "$quick" = yes ] || node wasm/npm/sizes.mjs "$pkg/dist"
