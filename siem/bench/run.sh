#!/usr/bin/env bash
# Records a second, on one core, of `pqseal logs open` and of what people write instead; then our peak memory by the number of records.
# Rounds are interleaved, medians taken, ratios printed. Needs what tools/setup installs.
#   siem/bench/run.sh [RECORDS [ROUNDS [LARGEST]]]     20000 records, 5 rounds, memory up to 1000000
set -euo pipefail
cd "$(dirname "$0")/../.."
records=${1:-20000} rounds=${2:-5} largest=${3:-1000000}
public=Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=
key=examples/matched-data/key.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
interop/setup.sh python
cargo build --quiet --release -p pqseal
programs=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release
(cd siem/bench/go && GOTOOLCHAIN=local go build -o "$work/go-loop" .)
cp "$key" "$work/key" && chmod 600 "$work/key"

events() { "$programs/pqseal" logs generate "$1" | "$programs/pqseal" logs seal --to "$public"; }

pqseal() { "$programs/pqseal" logs open -j1 -k "$work/key"; }
go() { GOMAXPROCS=1 "$work/go-loop" "$work/key"; }
python() { interop/.build/venv/bin/python siem/bench/loop.py "$work/key"; }
node() { command node siem/bench/loop.mjs "$work/key" "$PWD/wasm"; }
# One process a record, as the existing tool is used; ours is a drop-in for it.
process() {
    jq -r '.Metadata.encrypted_matched_data // "truncated" | select(. != "truncated")' | while read -r blob; do
        "$programs/matched-data-cli" decrypt -k "$work/key" - <<<"$blob"
    done
}

# rate NAME FILE COUNT: appends records a second to that name's list.
rate() {
    local start end
    start=$(date +%s%N)
    "$1" <"$2" >"$work/out"
    end=$(date +%s%N)
    echo $(($3 * 1000000000 / (end - start))) >>"$work/rates-$1"
}

median() { sort -n "$1" | awk '{ rate[NR] = $1 } END { print rate[int((NR + 1) / 2)] }'; }

events "$records" >"$work/events"
events 200 >"$work/few"
for _ in $(seq "$rounds"); do
    for name in pqseal go python node; do rate $name "$work/events" "$records"; done
    rate process "$work/few" 200
done
ours=$(median "$work/rates-pqseal")
for name in pqseal go python node process; do
    theirs=$(median "$work/rates-$name")
    echo "$name: $theirs records/s; pqseal is $(awk "BEGIN { printf \"%.2f\", $ours / $theirs }") times as fast"
done

count=10000
while [ "$count" -le "$largest" ]; do
    events "$count" | gzip -1 >"$work/events.gz"
    python3 - "$programs/pqseal" "$work" "$count" <<'END'
import resource, subprocess, sys
program, work, count = sys.argv[1:]
subprocess.run([program, "logs", "open", "-k", work + "/key", work + "/events.gz"], stdout=subprocess.DEVNULL, check=True)
print(f"{count} records: peak memory {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
END
    count=$((count * 10))
done
