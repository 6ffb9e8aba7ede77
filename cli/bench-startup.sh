#!/bin/sh
# What one run of the command line costs: pqseal opening one blob, in the builds that README.md and
# docs/performance.md name, beside a Rust program that does nothing with the same C library, by
# turns. Prints medians of the child's processor time, of its page faults and of the wall time.
#   cli/bench-startup.sh [OTHER-TOOL]    a matched-data-cli to compare, by its path
set -eu
cd "$(dirname "$0")/.."
musl=x86_64-unknown-linux-musl
gnu=x86_64-unknown-linux-gnu
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
command -v musl-gcc >/dev/null || { echo "musl-gcc is missing; run: apt-get install musl-tools" >&2; exit 1; }
[ -d "$(rustc --print sysroot)/lib/rustlib/$musl" ] || { echo "a target is missing; run: rustup target add $musl" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'fn main() {}' >"$work/empty.rs"

# build NAME TARGET [FLAGS...]: pqseal-NAME and empty-NAME, of the last step alone with FLAGS.
build() {
  name=$1 target=$2
  shift 2
  cargo rustc --quiet --release --target "$target" -p pqseal --bin pqseal -- "$@"
  cp "$CARGO_TARGET_DIR/$target/release/pqseal" "$work/pqseal-$name"
  rustc -O --target "$target" "$@" -o "$work/empty-$name" "$work/empty.rs"
}
build musl $musl
build musl-fixed $musl -C relocation-model=static
build gnu-static $gnu -C target-feature=+crt-static
build gnu-dynamic $gnu

# A key that others can read is warned of, which costs.
cp examples/matched-data/key.txt examples/matched-data/blob.txt "$work"
chmod 600 "$work/key.txt"

python3 - "$work" "$@" <<'PYTHON'
import os, statistics, sys, time

work, *others = sys.argv[1:]
opening = ["-k", f"{work}/key.txt", f"{work}/blob.txt"]
commands = {}
for build in ("musl", "musl-fixed", "gnu-static", "gnu-dynamic"):
    commands[f"empty-{build}"] = [f"{work}/empty-{build}"]
    commands[f"pqseal-{build}"] = [f"{work}/pqseal-{build}", "open", *opening]
for path in others:
    commands[path] = [path, "decrypt", *opening]

def run(argv):
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{argv}: status {status}"
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_minflt

samples = {name: [] for name in commands}
for _ in range(1000):
    for name, argv in commands.items():
        samples[name].append(run(argv))
# What beside it is the same program that does nothing: the difference of each round, since rounds
# differ more than programs.
print("| program | CPU, us | more than the empty one, us | page faults | wall, us |\n|---|---:|---:|---:|---:|")
for name, values in samples.items():
    more = ""
    if name.startswith("pqseal-"):
        empty = samples[name.replace("pqseal-", "empty-")]
        more = f"{statistics.median(own[0] - other[0] for own, other in zip(values, empty)) * 1e6:.0f}"
    cpu, wall, faults = (statistics.median(column) for column in zip(*values))
    print(f"| {name} | {cpu * 1e6:.0f} | {more} | {faults:.0f} | {wall * 1e6:.0f} |")
PYTHON
