#!/usr/bin/env bash
# Builds the C library and installs it: libpqseal.so and .a, pqseal.h, pqseal.pc, pqseal(3).
#   ffi/install.sh [PREFIX]     # /usr/local if not given; DESTDIR is put in front of it
# BUILT=FOLDER installs the libraries that are there instead of building them.
set -euo pipefail
prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${BUILT:-}" ]; then
    target=${CARGO_TARGET_DIR:-$here/../target}
    cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --release --target-dir "$target"
    BUILT=$target/release
fi
to=${DESTDIR:-}$prefix
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
install -d "$to/lib/pkgconfig" "$to/include" "$to/share/man/man3"
install -m 755 "$BUILT/libpqseal.so" "$to/lib/"
install -m 644 "$BUILT/libpqseal.a" "$to/lib/"
install -m 644 "$here/include/pqseal.h" "$to/include/"
install -m 644 "$here/pkg/pqseal.3" "$to/share/man/man3/"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$here/pkg/pqseal.pc.in" > "$to/lib/pkgconfig/pqseal.pc"
