#!/usr/bin/env python3
"""How many machines a number of records a day takes: measures what a record costs on this one, predicts
the run with two workers from the run with one, and prints the tables of docs/siem/scale.md.

    cargo build --release -p pqseal --features edge,serve
    dev/benches/capacity.py [--programs FOLDER] [--python PROGRAM] [--records N] [--rounds N]

A worker is a thread of `pqseal logs open`. Two may be slower than twice one because of the machine, which
two processes at once show, or because of the program. The prediction has only the first; its error is the
second. --python names an interpreter with the wheel `pqseal` and pyarrow; it stands for an executor of
Spark, without what Spark itself does. Run it while nothing else runs.
"""

import argparse
import asyncio
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import edge
import serve
from processor import processor

DAYS = {"1 million": 1e6, "1 billion": 1e9, "100 billion": 1e11}
# Logs of a day do not come evenly: the busiest minute has three times the mean, and then a core is used
# to 70 %.
PEAK, USED = 3, 0.7
EXECUTOR = """
import json, pathlib, sys, time
import pqseal
blobs = [json.loads(line)["Metadata"]["encrypted_matched_data"] for line in open(sys.argv[2]) if "encrypted_matched_data" in line]
ring = pqseal.KeyRing.from_files(sys.argv[1])
start = time.process_time()
opened = pqseal.open_batch(ring, blobs)
took = time.process_time() - start
memory = int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
print(json.dumps([took / len(blobs) * 1e6, memory]))
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", default="target/release", help="the folder of pqseal and pqseal-edge")
    parser.add_argument("--python", default="bindings/python/.venv/bin/python")
    parser.add_argument("--records", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=7)
    return parser.parse_args()


def memory(process):
    """The peak of a process until now, in MiB; 0 if it has ended."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return int(status.split("VmHWM:")[1].split()[0]) / 1024 if "VmHWM:" in status else 0


class Run:
    """One or more processes at once, each with the same work."""

    def __init__(self, folder, words, processes=1):
        start, before = time.monotonic(), os.times()
        # Each writes to a file, as a run in production does.
        outs = [open(folder / f"out-{number}", "wb") for number in range(processes)]
        running = [subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.DEVNULL) for out in outs]
        self.memory = 0
        # The peak that the system reports at the end includes the memory of this program.
        while running_now := [one for one in running if one.poll() is None]:
            self.memory = max([self.memory, *map(memory, running_now)])
            time.sleep(0.01)
        assert all(one.returncode == 0 for one in running), words
        self.seconds = time.monotonic() - start
        after = os.times()
        self.processor = (after.children_user - before.children_user + after.children_system - before.children_system) / processes


OPEN = ["logs", "open", "-k", "key.pem", "events.ndjson.gz"]


def files(folder, pqseal, records, rounds):
    """What a record costs, and how two workers compare with one."""
    words = [pqseal, *OPEN]
    runs = {"one": [], "two": [], "apart": []}
    for _ in range(rounds):
        runs["one"].append(Run(folder, [*words, "-j1"]))
        runs["two"].append(Run(folder, [*words, "-j2"]))
        runs["apart"].append(Run(folder, [*words, "-j1"], processes=2))
    seconds = {name: statistics.median(run.seconds for run in of) for name, of in runs.items()}
    rates = {"one": records / seconds["one"], "two": records / seconds["two"], "apart": 2 * records / seconds["apart"]}
    predicted = rates["apart"]
    print(f"one worker {rates['one']:,.0f} records a second, two {rates['two']:,.0f}")
    print(f"two processes with one worker each {rates['apart']:,.0f}, which is the prediction for two workers")
    print(f"error of the prediction {predicted / rates['two'] - 1:+.1%}; of twice one worker {2 * rates['one'] / rates['two'] - 1:+.1%}")
    processor_time = statistics.median(run.processor for run in runs["one"]) / records * 1e6
    return processor_time, max(run.memory for run in runs["two"])


def hybrid(folder, pqseal, records):
    """What a record costs that is sealed to X-Wing."""
    events = folder / "hybrid"
    events.mkdir()
    (events / "events.ndjson.gz").write_bytes(gzip.compress(b"".join(serve.prepare(events, pqseal, records, "mlkem768-x25519")), 6))
    runs = [Run(events, [pqseal, *OPEN, "-j1"]) for _ in range(3)]
    return statistics.median(run.processor for run in runs) / records * 1e6, max(run.memory for run in runs)


def receiver(folder, pqseal, lines):
    """The receiver's cost of an event, which serve.py measures against `logs open`."""
    batches = [gzip.compress(b"".join(lines[at : at + 1000]), 6) for at in range(0, len(lines), 1000)]
    running = serve.Receiver(folder, pqseal)
    running.send(batches[:10], 4)
    start = running.seconds()
    running.send(batches, 4)
    took, peak = running.seconds() - start, memory(running.process)
    running.process.terminate()
    assert running.process.wait() == 0
    return took / len(lines) * 1e6, peak


async def proxy(folder, program):
    """The edge's cost of a request with eight rules that match nothing, and of one that is sealed."""
    server = await asyncio.start_server(edge.answer, "127.0.0.1", 0)
    upstream = "http://127.0.0.1:{}".format(server.sockets[0].getsockname()[1])
    costs = []
    for name in ["rules, no match", "rules, one matches"]:
        running = edge.Edge(folder, name, program, upstream)
        await running.run(1000)
        cost = await running.run(5000)
        costs.append((cost, memory(running.process)))
        await running.end()
    await asyncio.sleep(0.1)
    return costs


def executor(folder, python):
    said = subprocess.run([python, "-c", EXECUTOR, "key.pem", "events.ndjson"], cwd=folder, check=True, capture_output=True, text=True)
    return tuple(json.loads(said.stdout))


def rounded(cores):
    return f"{cores:.2g}" if cores < 10 else f"{cores:,.0f}"


def row(name, cost, mib):
    cores = [rounded(records / 86_400 * PEAK * cost / 1e6 / USED) for records in DAYS.values()]
    print(f"| {name} | {cost:.1f} | {mib:.0f} | {' | '.join(cores)} |")


def main():
    asked = arguments()
    programs = pathlib.Path(asked.programs).resolve()
    # The path of a virtual environment's interpreter is what names the environment.
    pqseal, python = str(programs / "pqseal"), os.path.abspath(asked.python)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = serve.prepare(folder, pqseal, asked.records)
        packed = gzip.compress(b"".join(lines), 6)
        (folder / "events.ndjson.gz").write_bytes(packed)
        print(f"{processor()}, load {os.getloadavg()[0]:.1f}, {asked.records:,} records, {asked.rounds} rounds")
        rows = {"files, stores, Kafka: `pqseal logs open`": files(folder, pqseal, asked.records, asked.rounds)}
        rows["the same, sealed to X-Wing"] = hybrid(folder, pqseal, asked.records)
        rows["receiver: `pqseal logs serve`"] = receiver(folder, pqseal, lines)
        rows["Spark: `open_batch` in an executor"] = executor(folder, python)
        no_match, one = asyncio.run(proxy(folder, str(programs / "pqseal-edge")))
        rows["edge, requests: eight rules, none matches"] = no_match
        rows["edge, requests: one rule matches"] = one
        size = sum(map(len, lines)) / len(lines)
        print(f"\na record has {size:,.0f} bytes, and {len(packed) / len(lines):,.0f} with gzip\n")
    print(f"| way | us a record | MiB | {' | '.join(DAYS)} a day |\n|---|---|---|---|---|---|")
    for name, (cost, mib) in rows.items():
        row(name, cost, mib)
    for unit, each in [("bytes", size), ("with gzip", len(packed) / len(lines))]:
        print(f"{unit}: " + ", ".join(f"{name} {each * records / 1e9:,.1f} GB a day, {each * records * 8 * PEAK / 86_400 / 1e6:,.1f} Mbit/s" for name, records in DAYS.items()))


if __name__ == "__main__":
    sys.exit(main())
