#!/usr/bin/env bash
# Runs the built package in WebKit's engine, `jsc`, compiled anew in each round, in four processes
# per processor: load brings the engine's faults out (SOUNDNESS.md). Prints each result that left
# the package wrong, and how often the package noticed a fault. The last line is `N passed, N
# failed`.
#   wasm/soak.sh [MINUTES]   ten if left out; wasm/build.sh has built the package
# Needs jsc: Debian's libjavascriptcoregtk-4.0-bin, or what JSC names.
set -uo pipefail
cd "$(dirname "$0")"
jsc=${JSC:-jsc}
minutes=${1:-10}
[ -e pkg/dist/core_bg.wasm ] || { echo "no package; run wasm/build.sh" >&2; exit 1; }
command -v "$jsc" >/dev/null || { echo "no $jsc: apt-get install libjavascriptcoregtk-4.0-bin, or name it by JSC" >&2; exit 1; }
said=$(mktemp)
trap 'rm -f "$said"' EXIT
processes=$((${PROCESSES:-4 * $(nproc)}))
for ((i = 1; i <= processes; i++)); do
    # One that crashes leaves its sum out.
    "$jsc" test/soak.js -- pkg/dist "$((60 * minutes))" "$((RANDOM * 32768 + RANDOM))" 2>&1 &
done >"$said"
wait
grep -v '^[0-9]* rounds, ' "$said"
awk -v processes="$processes" '
    /^[0-9]+ rounds, / { ended++; rounds += $1; corrected += $3; reopened += $5; wrong += $7 }
    END {
        printf "%d rounds, %d corrected, %d reopened, %d wrong\n", rounds, corrected, reopened, wrong
        passed = ended == processes && rounds > 0 && wrong == 0
        printf "%d passed, %d failed\n", passed, !passed
        exit !passed
    }' "$said"
