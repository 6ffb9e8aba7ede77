#!/usr/bin/env bash
# Builds the wheel, installs it into .venv and runs every test of it. The last line is `N passed, N
# failed`.
#   bindings/python/test.sh [ARGUMENT of pytest...]
# PQSEAL_BIN names the folder of the command `pqseal`, which is built if it is not set.
# Needs what tools/setup puts there: .venv with requirements.txt in it, Java 17 and rsyslog.
set -uo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}
results=$(mktemp)
trap 'rm -f "$results"' EXIT
python=.venv/bin/python

fail() {
    echo "bindings/python/test.sh: $*"
    echo "0 passed, 1 failed"
    exit 1
}

[ -x .venv/bin/maturin ] && [ -x .venv/bin/pyright ] || fail ".venv is missing or not whole: run tools/setup"

# Not optimised as a release is. With the features that the whole workspace gives to what the
# command depends on: `cargo build -p pqseal` has other ones and would compile Arrow and Parquet
# again.
rm -rf .wheels
[ -n "${PQSEAL_BIN:-}" ] || cargo build --quiet --locked --workspace --bin pqseal || fail "the command does not build"
export PQSEAL_BIN=${PQSEAL_BIN:-$CARGO_TARGET_DIR/debug}
.venv/bin/maturin build --quiet --locked --out .wheels &&
    $python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .wheels/*.whl ||
    fail "the wheel does not build or cannot be installed"

# -P: the installed package, not the folder beside this file. Errors and skipped tests count as
# failed.
$python -P -m pytest -q --junit-xml="$results" "$@"
status=$?
$python - "$results" "$status" <<'EOF'
import sys
import xml.etree.ElementTree as xml

suite = xml.parse(sys.argv[1]).getroot().find("testsuite").attrib
failed = sum(int(suite[kind]) for kind in ("failures", "errors", "skipped"))
passed = int(suite["tests"]) - failed
print(f"{passed} passed, {max(failed, int(sys.argv[2] != '0'))} failed")
EOF
exit "$status"
