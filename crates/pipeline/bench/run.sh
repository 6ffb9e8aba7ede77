#!/usr/bin/env bash
# Records a second, on one core, of `pqseal logs open` and of what people write instead; then a run
# of many records: what became of them, and our peak memory by their number. Rounds are interleaved;
# the ratios are of medians. The tables are for ../../../docs/siem/speed.md. A shared machine is
# noisy: rates are given by the clock and of processor time, the median and the best of the rounds.
# Slower programs get fewer records, so that a run of each takes a second or some. The last row is
# what the cores of this machine can do together: a process of its own on each.
#   crates/pipeline/bench/run.sh [RECORDS [ROUNDS [LARGEST]]]     60000 records, 9 rounds, memory up to 1000000
# Fetches what it needs of npm and PyPI. Needs a C compiler, Rust, Go 1.26, Python 3.10, Node 20, jq
# and taskset; tools/setup installs them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
records=${1:-60000} rounds=${2:-9} largest=${3:-1000000}
public=Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in cargo go python3 npm jq taskset; do
    command -v "$tool" >/dev/null || { echo "run.sh: $tool is missing: run tools/setup" >&2; exit 1; }
done
dev/interop/setup.sh python >/dev/null
# Two of the packages that the tests of wasm/ use, in the same versions.
read -r -a packages < <(jq -r '[.devDependencies | to_entries[] | select(.key | IN("@hpke/core", "@hpke/chacha20poly1305"))
    | "\(.key)@\(.value)"] | join(" ")' wasm/package.json)
npm install --prefix "$work" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "${packages[@]}" >/dev/null
cargo build --quiet --release -p pqseal
programs=$(cargo metadata --format-version 1 --no-deps | jq -r .target_directory)/release
(cd crates/pipeline/bench/go && GOTOOLCHAIN=local go build -o "$work/go-loop" .)
install -m 600 examples/matched-data/key.txt "$work/key"

events() { "$programs/pqseal" logs generate "$1" | "$programs/pqseal" logs seal --to "$public"; }

# Each takes records from standard input; all except the last two stay on one core with all their
# threads.
read -r -a cores < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
core=${cores[-1]}
one() { taskset -c "$core" "$@"; }
run_pqseal() { one "$programs/pqseal" logs open -j1 -k "$work/key"; }
run_go() { GOMAXPROCS=1 one "$work/go-loop" "$work/key"; }
run_python() { one dev/interop/.build/venv/bin/python crates/pipeline/bench/loop.py "$work/key"; }
run_node() { one node crates/pipeline/bench/loop.mjs "$work/key" "$work"; }
# One process per record, as the existing tool is used; ours is a drop-in for it.
run_process() {
    jq -r '.Metadata.encrypted_matched_data // "truncated" | select(. != "truncated")' |
        one bash -c 'while read -r blob; do "$0" decrypt -k "$1" - <<<"$blob"; done' "$programs/matched-data-cli" "$work/key"
}
run_all() { "$programs/pqseal" logs open -k "$work/key"; }
run_apart() {
    local core processes=() process
    for core in "${cores[@]}"; do
        taskset -c "$core" "$programs/pqseal" logs open -j1 -k "$work/key" <"$work/in-pqseal" >"$work/apart-$core" &
        processes+=($!)
    done
    for process in "${processes[@]}"; do wait "$process" || return 1; done
}

declare -A label=(
    [pqseal]='`pqseal logs open -j1`' [go]='Go, crypto/hpke' [python]='Python, pyca/cryptography' [node]='Node, hpke-js'
    [process]='one process of matched-data-cli a record' [all]="\`pqseal logs open\`, ${#cores[@]} cores"
    [apart]="${#cores[@]} processes of \`pqseal logs open -j1\`"
)
order=(pqseal go python node process all apart)
declare -A count=(
    [pqseal]=$records [go]=$((records / 6)) [python]=$((records / 6)) [node]=$((records / 12)) [process]=$((records / 120))
    [all]=$((records * ${#cores[@]})) [apart]=$((records * ${#cores[@]}))
)

# round NAME: adds seconds a record, by the clock and of processor time, to that name's lists.
round() {
    local TIMEFORMAT='%R %U %S' times
    times=$({ time "run_$1" <"$work/in-$1" >"$work/out-$1"; } 2>&1)
    awk -v count="${count[$1]}" -v clock="$work/clock-$1" -v cpu="$work/cpu-$1" \
        'END { print $1 / count >> clock; print ($2 + $3) / count >> cpu }' <<<"$times"
}

median() { sort -g "$1" | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }
best() { sort -g "$1" | head -n 1; }

events "${count[all]}" >"$work/in-all"
for name in "${order[@]}"; do [ "$name" = all ] || head -n "${count[$name]}" "$work/in-all" >"$work/in-$name"; done
for _ in $(seq "$rounds"); do
    for name in "${order[@]}"; do round "$name"; done
done

# A program that opens less is faster: all have opened the same, of the records that they had.
differs() { echo "run.sh: $1 has opened something else" >&2; exit 1; }
opened() { jq -cS .Metadata.decrypted_matched_data "$work/out-$1"; }
opened all >"$work/opened"
for name in pqseal go python node; do
    cmp -s <(opened "$name") <(head -n "${count[$name]}" "$work/opened") || differs "$name"
done
cmp -s "$work/out-process" <(head -n "${count[process]}" "$work/opened" | jq -r 'select(. != null)') || differs process
for core in "${cores[@]}"; do cmp -s "$work/apart-$core" "$work/out-pqseal" || differs "the process of core $core"; done

grep -m1 '^model name' /proc/cpuinfo | sed 's/.*: //'
echo "crates/pipeline/bench/run.sh $records $rounds $largest: $rounds rounds of $records records on one core"
echo
echo '| | records/s | best | records per second of processor time | best | pqseal is faster by (clock) | (processor time) |'
echo '|---|---|---|---|---|---|---|'
for name in "${order[@]}"; do
    awk -v label="${label[$name]}" -v clock="$(median "$work/clock-$name")" -v cpu="$(median "$work/cpu-$name")" \
        -v best_clock="$(best "$work/clock-$name")" -v best_cpu="$(best "$work/cpu-$name")" \
        -v our_clock="$(median "$work/clock-pqseal")" -v our_cpu="$(median "$work/cpu-pqseal")" \
        'BEGIN { printf "| %s | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f |\n", label,
            1 / clock, 1 / best_clock, 1 / cpu, 1 / best_cpu, clock / our_clock, cpu / our_cpu }'
done

echo
echo '| records, gzip | opened | without a field | truncated | failed | seconds | peak memory |'
echo '|---|---|---|---|---|---|---|'
count=10000
while [ "$count" -le "$largest" ]; do
    events "$count" | gzip -1 >"$work/events.gz"
    python3 - "$programs/pqseal" "$work" "$count" <<'END'
import json, resource, subprocess, sys

program, work, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
command = [program, "logs", "open", "-k", work + "/key", "--stats", "json", work + "/events.gz"]
with open(work + "/opened", "wb") as opened:
    ran = subprocess.run(command, stdout=opened, stderr=subprocess.PIPE, check=True)
stats = json.loads(ran.stderr)
kinds = ("opened", "absent", "truncated", "failed")
with open(work + "/opened", "rb") as opened:
    lines = sum(chunk.count(b"\n") for chunk in iter(lambda: opened.read(1 << 20), b""))
assert sum(stats[kind] for kind in (*kinds, "already")) == stats["records"] == count == lines, stats
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print("|", count, *(f"| {stats[kind]}" for kind in kinds), f"| {stats['seconds']:.1f} | {peak} MiB |")
END
    count=$((count * 10))
done
