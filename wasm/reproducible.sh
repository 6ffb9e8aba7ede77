#!/bin/sh
# Builds the package again, from a copy of the sources in another folder and with another target folder, and compares every byte.
#   wasm/reproducible.sh
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
wasm/build.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files --cached --others --exclude-standard -z | tar --create --null --files-from=- --ignore-failed-read 2>/dev/null | tar --extract --directory="$copy"
# The tools are the same: what they make is under test, not they.
mkdir "$copy/target"
ln -s "$target/wasm-tools" "$copy/target/wasm-tools"
CARGO_TARGET_DIR="$copy/target" "$copy/wasm/build.sh"
diff --recursive wasm/pkg "$copy/wasm/pkg"
sha256sum wasm/pkg/dist/core_bg.wasm wasm/pkg/dist/full/core_bg.wasm wasm/pkg/dist/jwe/core_bg.wasm wasm/pkg/dist/files/core_bg.wasm
