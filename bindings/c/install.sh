#!/usr/bin/env bash
# Builds the C library and installs it: libpqseal.so (a link to the file of that version, as is the name that programs load) and .a, pqseal.h, pqseal.pc, pqseal(3).
#   bindings/c/install.sh [PREFIX]     # /usr/local if not given; DESTDIR is put in front of it
# BUILT=FOLDER installs the libraries that are there instead of building them.
set -euo pipefail
prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${BUILT:-}" ]; then
    target=${CARGO_TARGET_DIR:-$here/../../target}
    cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --release --target-dir "$target"
    BUILT=$target/release
fi
to=${DESTDIR:-}$prefix
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
install -d "$to/lib/pkgconfig" "$to/include" "$to/share/man/man3"
# 0.1 of 0.1.0, and 1 of 1.2.3: see build.rs.
case $version in
0.*) abi=${version%.*} ;;
*) abi=${version%%.*} ;;
esac
install -m 755 "$BUILT/libpqseal.so" "$to/lib/libpqseal.so.$version"
ln -sf "libpqseal.so.$version" "$to/lib/libpqseal.so.$abi"
ln -sf "libpqseal.so.$abi" "$to/lib/libpqseal.so"
install -m 644 "$BUILT/libpqseal.a" "$to/lib/"
install -m 644 "$here/include/pqseal.h" "$to/include/"
install -m 644 "$here/pkg/pqseal.3" "$to/share/man/man3/"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$here/pkg/pqseal.pc.in" > "$to/lib/pkgconfig/pqseal.pc"
