"""Writes the figures of files into docs/performance.tsv, and their table into docs/performance.md, between its two marks."""

import datetime
import pathlib
import statistics
import sys

BENCHES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHES))
import figures
from processor import machine

START, END = "<!-- files: dev/benches/files/run -->", "<!-- end of files -->"
OURS, CANDIDATES = "pqseal", ("pqseal", "pqseal, Cobblestone-128", "age", "rage")
# What the document has of each operation, for the large file.
SHOWN = ("one core, user time", "two cores, by the clock", "memory")
MIB = 1 << 20


def write(found):
    figures.insert(table(figures.replace(found)) + "\n", START, END)


def of(samples, options):
    """The figures of what was measured."""
    return [*speed(samples, options), *memory(samples), *large(samples, options)]


def figure(row, candidate, value, unit, over=""):
    return figures.Figure("files", machine(), datetime.date.today().isoformat(), row, candidate, value, unit, over)


def speed(samples, options):
    """Seconds, and how long over pqseal: medians of the ratios within a round."""
    kinds = {
        "one core, user time": (1, lambda run: run["user"]),
        "one core, user and system": (1, lambda run: run["user"] + run["system"]),
        "two cores, by the clock": (2, lambda run: run["clock"]),
    }
    for key in samples:
        if key[0] in ("encrypt", "decrypt") and key[2] == 1:
            operation, program, _ = key
            for kind, (cores, seconds) in kinds.items():
                theirs, ours = ([seconds(run) for run in samples[operation, name, cores]] for name in (program, OURS))
                over = statistics.median(one / other for one, other in zip(theirs, ours))
                row = f"{operation} {options.mib} MiB, {kind}"
                yield figure(row, program, f"{statistics.median(theirs):.2f}", "s", f"{over:.2f}")


def memory(samples):
    for key, value in samples.items():
        if key[0] == "memory":
            _, operation, program, mib = key
            yield figure(f"{operation} {mib} MiB, memory", program, f"{value / MIB:.1f}", "MiB")


def large(samples, options):
    size = f"{options.large_mib / 1024:g} GiB"
    rows = {
        "rekey": (f"rekey -o of {size}, until the copy is on the disk", OURS),
        "cp": (f"cp of {size}, and sync of the copy", "cp"),
        "rekey, in place": (f"rekey of {size}, in place, with --reserve", OURS),
        "range": (f"decrypt --range of the last MiB of {size}", OURS),
    }
    for name, (row, candidate) in rows.items():
        if name in samples:
            yield figure(row, candidate, f"{statistics.median(samples[name]):.3f}", "s")


def table(all_figures):
    """A row per operation of the machine that was measured last."""
    machines = figures.by_machine(all_figures, "files")
    (name, date), found = list(machines.items())[-1]
    rows = [row for row in dict.fromkeys(row for row, _ in found) if row.endswith(SHOWN) and " 16 MiB" not in row]
    lines = [[f"{row} ({found[row, OURS].unit})", *(cell(found, row, name) for name in CANDIDATES)] for row in rows]
    return figures.table([f"{name}, {date}", *CANDIDATES], lines)


def cell(found, row, candidate):
    return found[row, candidate].value if (row, candidate) in found else ""
