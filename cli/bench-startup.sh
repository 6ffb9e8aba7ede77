#!/bin/sh
# What one run of the command line costs: pqseal linked statically and dynamically, opening one blob, beside a Rust program that does
# nothing, by turns. Prints medians of the child's processor time and of the wall time.
#   cli/bench-startup.sh [OTHER-TOOL]    a matched-data-cli to compare, by its path
set -eu
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As README.md says. A target named aloud keeps the flag from build scripts and macros, which cannot be linked statically.
RUSTFLAGS="-C target-feature=+crt-static" cargo build --quiet --release --target $target -p pqseal
cargo build --quiet --release -p pqseal
echo 'fn main() {}' >"$work/empty.rs"
rustc -O -C target-feature=+crt-static --target $target -o "$work/empty-static" "$work/empty.rs"
rustc -O --target $target -o "$work/empty-dynamic" "$work/empty.rs"

key=$PWD/examples/matched-data/key.txt
blob=$PWD/examples/matched-data/blob.txt
cp "$CARGO_TARGET_DIR/$target/release/pqseal" "$work/pqseal-static"
cp "$CARGO_TARGET_DIR/release/pqseal" "$work/pqseal-dynamic"

python3 - "$work" "$key" "$blob" "$@" <<'PYTHON'
import os, statistics, sys, time

work, key, blob, *others = sys.argv[1:]
commands = {name: [f"{work}/{name}"] for name in ("empty-static", "empty-dynamic")}
for name in ("pqseal-static", "pqseal-dynamic"):
    commands[name] = [f"{work}/{name}", "open", "-k", key, blob]
for path in others:
    commands[path] = [path, "decrypt", "-k", key, blob]

def run(argv):
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{argv}: status {status}"
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start

samples = {name: [] for name in commands}
for _ in range(1000):
    for name, argv in commands.items():
        samples[name].append(run(argv))
floor = statistics.median(cpu for cpu, _ in samples["empty-static"])
print("| program | CPU, us | more than empty-static, us | wall, us |\n|---|---:|---:|---:|")
for name, values in samples.items():
    cpu, wall = (statistics.median(column) * 1e6 for column in zip(*values))
    print(f"| {name} | {cpu:.0f} | {cpu - floor * 1e6:.0f} | {wall:.0f} |")
PYTHON
