#!/usr/bin/env python3
"""Opens logs with a key calendar, and with a ring of one key of the same KEM, in turn.

    dev/benches/calendar_open.py PQSEAL [RECORDS [ROUNDS]]
    dev/benches/calendar_open.py PQSEAL counts [RECORDS]

Records are in order of time over 730 days, on one thread and on all; then in random order over
8,760 hours, with the memory; then one record, to open and to seal, with these 8,760 keys; then
10,000 version 3 records beside 730 X25519 days. Prints the median seconds of user and system time
together, which other work on the machine disturbs least.

`counts` seals 100,000 records to their days, 90 of them, shreds half, and checks the counts and
reasons of the command line, of Python (if `pqseal` can be imported), and of the npm package that
the page uses (if it is built).
"""

import collections
import datetime
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PQSEAL = Path(sys.argv[1]).resolve()
COUNTS = sys.argv[2:3] == ["counts"]
if COUNTS:
    del sys.argv[2]
RECORDS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000 if COUNTS else 1_000_000
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
KEM = "mlkem768-x25519"


def run(line, folder):
    """Runs a command, and returns its processor time in seconds and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [PQSEAL, *line.split()]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True,)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, done.stdout


def calendar(folder, name, kem, days, period):
    """Makes a calendar that ends tomorrow."""
    first = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=days - 1)
    new = f"calendar new --kem {kem} --from {first} --days {days} --period {period} -o {name}"
    (folder / f"{name}.pub").write_text(run(new, folder)[1])
    return first


def records(folder, name, first, days, count, in_order):
    """Writes records over the days."""
    start = datetime.datetime(first.year, first.month, first.day, tzinfo=datetime.timezone.utc)
    start = int(start.timestamp())
    numbers = list(range(count))
    if not in_order:
        random.Random(1).shuffle(numbers)
    with open(folder / name, "w", encoding="utf-8") as file:
        for number in numbers:
            at = start + number * days * 86_400 // count
            file.write(f'{{"at":{at},"payload":"{number:0100}"}}\n')


def compare(folder, what, lines):
    """Runs the commands in turn, and prints the median of each."""
    times = {name: [] for name in lines}
    for _ in range(ROUNDS):
        for name, line in lines.items():
            times[name].append(run(line, folder)[0])
    medians = {name: statistics.median(found) for name, found in times.items()}
    base = next(iter(medians.values()))
    shown = ", ".join(f"{name} {median:.2f} s ({median / base:.3f})" for name, median in medians.items())
    print(f"{what}: {shown}", flush=True)


JAVASCRIPT = """
import { readFileSync } from "node:fs";
const { Calendar, KeyRing } = await import(process.argv[1]);
const ring = new KeyRing();
ring.addCalendar(Calendar.parse(readFileSync("days")));
const blobs = readFileSync("sealed", "utf8").trim().split("\\n").map((line) => JSON.parse(line).encrypted_payload);
const counts = {};
for (const { ok, error } of ring.openMany(blobs)) counts[ok ? "opened" : error.code] = (counts[ok ? "opened" : error.code] ?? 0) + 1;
console.log(JSON.stringify(counts));
"""


def count(folder):
    """Checks the counts and reasons of records of which half the days are shredded."""
    first = calendar(folder, "days", KEM, 90, "day")
    records(folder, "clear", first, 90, RECORDS, False)
    run("logs seal --field .payload --time-from .at --skew 91d --to days.pub clear -o sealed", folder)
    run(f"calendar shred days --before {first + datetime.timedelta(days=45)}", folder)
    expected = {"opened": RECORDS // 2, "key_shredded": RECORDS - RECORDS // 2}

    def check(what, found):
        assert found == expected, f"{what}: {found}, and not {expected}"
        print(f"{what}: {found}", flush=True)

    opened = "logs open --field .encrypted_payload -k days --stats json -o opened sealed"
    ran = subprocess.run([PQSEAL, *opened.split()], cwd=folder, capture_output=True, text=True)
    stats = json.loads(ran.stderr.splitlines()[-1])
    check("command line", {"opened": stats["opened"], **stats["failed_by_code"]})
    try:
        import pqseal
    except ImportError:
        print("Python: not installed")
    else:
        ring = pqseal.KeyRing.from_files(folder / "days")
        _, stats = pqseal.open_records(ring, str(folder / "sealed"), [".encrypted_payload"])
        check("Python", {"opened": stats["opened"], **stats["failed_by_code"]})
    package = Path(__file__).parents[2] / "wasm/pkg/dist/full/index.js"
    if not package.exists():
        print("npm: not built")
        return
    node = ["node", "--input-type=module", "--eval", JAVASCRIPT, str(package)]
    ran = subprocess.run(node, cwd=folder, check=True, capture_output=True, text=True)
    check("npm", dict(collections.Counter(json.loads(ran.stdout))))


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if COUNTS:
            count(folder)
            return
        seal = "logs seal --field .payload --time-from .at --skew 9999d"
        # Not into a file: the disk would be measured.
        opened = "logs open --strict --field .encrypted_payload -o /dev/null"
        (folder / "one.pub").write_text(run(f"keygen --kem {KEM} -o one.key", folder)[1])
        for what, name, days, period, in_order in [
            ("in order of time over 730 days", "days", 730, "day", True),
            ("in random order over 8,760 hours", "hours", 365, "hour", False),
        ]:
            first = calendar(folder, name, KEM, days, period)
            records(folder, "clear", first, days, RECORDS, in_order)
            run(f"{seal} --to {name}.pub clear -o {name}.sealed", folder)
            run("logs seal --field .payload --to one.pub clear -o one.sealed", folder)
            for threads in [1, 0]:
                limit = f"--jobs {threads}" if threads else ""
                lines = {
                    "one key": f"{opened} {limit} -k one.key one.sealed",
                    "calendar": f"{opened} {limit} -k {name} {name}.sealed",
                }
                compare(folder, f"{RECORDS} records {what}, {threads or 'all'} threads", lines)
        (folder / "record").write_text((folder / "clear").read_text().splitlines()[0] + "\n")
        for command, one, many in [
            (f"{opened} -k", "one.key one.record", "hours hours.record"),
            ("logs seal --field .payload -o opened --to", "one.pub record", "hours.pub record"),
        ]:
            for name in ["one", "hours"]:
                run(f"logs seal --field .payload --to {name}.pub record -o {name}.record", folder)
            compare(folder, f"{command.split(' --')[0]}, one record", {"one key": f"{command} {one}", "calendar": f"{command} {many}"})
        kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"most memory of any command: {kilobytes // 1024} MiB")
        first = calendar(folder, "x25519", "x25519", 730, "day")
        (folder / "old.pub").write_text(run("keygen --kem x25519 -o old.key", folder)[1])
        records(folder, "clear", first, 730, 10_000, True)
        run("logs seal --field .payload --to old.pub clear -o old.sealed", folder)
        lines = {
            "alone": f"{opened} -k old.key old.sealed",
            "beside": f"{opened} -k old.key -k x25519 old.sealed",
        }
        compare(folder, "10000 version 3 records, without and with 730 X25519 days", lines)


if __name__ == "__main__":
    main()
