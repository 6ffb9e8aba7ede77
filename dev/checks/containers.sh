#!/usr/bin/env bash
# Checks the examples of docs/containers: against the schemas of Compose and Kubernetes, and by
# `--check` of the programs, in PQSEAL_BIN, with a folder of this machine in the place of volumes.
set -euo pipefail
cd "$(dirname "$0")/../../docs/containers"
check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml
kubernetes-validate --strict --quiet receiver.yaml modsecurity.yaml

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/events"
(umask 077 && "$PQSEAL_BIN/pqseal" keygen -o "$work/key.pem" >"$work/edge.pub" 2>/dev/null &&
    echo 0123456789abcdef0123456789abcdef >"$work/client.secret")
sed "s|/run/secrets/pqseal|$work|; s|/var/lib/pqseal|$work/events|" pqseal.toml >"$work/pqseal.toml"
"$PQSEAL_BIN/pqseal" logs serve -c "$work/pqseal.toml" --check
"$PQSEAL_BIN/pqseal-edge" --rules rules.toml --to "$work/edge.pub" --upstream http://127.0.0.1:1 --log "$work/sealed.ndjson" --check
# Probes and health checks ask where the servers listen.
monitor=$(sed -n 's/^monitor = "0.0.0.0:\(.*\)"$/\1/p' pqseal.toml)
grep -q "containerPort: $monitor\$" receiver.yaml
grep -qF "http://127.0.0.1:$monitor/readyz" compose.yaml
