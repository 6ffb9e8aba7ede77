"""Writes the figures of `run` into docs/performance.tsv, the table of all machines into docs/performance.md, between its
two marks, and docs/performance.svg.

report.py [--into FOLDER] FILE...    FILEs have lines `row TAB candidate TAB us [TAB how long over ours]`, where a row is
                                     `suite: operation`, and may have a line `back end TAB name`

Figures of this machine are replaced, those of others stay. FOLDER, the project's docs if none, has the documents.
"""

import argparse
import datetime
import pathlib
import statistics
import sys

import plot

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures
from processor import machine

START, END = "<!-- figures: dev/benches/peers/run -->", "<!-- end of figures -->"
OURS, SERIAL = "pqseal", "pqseal, one by one"
# What the table of all machines has.
OPERATIONS = {
    "X25519, ChaCha20-Poly1305": ("open 150 B", "seal 150 B", "open_batch of 64", "open 1 MiB"),
    "X-Wing, ChaCha20-Poly1305": ("open 150 B", "seal 150 B", "open_batch of 64"),
}
ROWS = [f"{suite}: {operation}" for suite, operations in OPERATIONS.items() for operation in operations]


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--into", type=pathlib.Path, default=figures.DOCS)
    arguments.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = arguments.parse_args()
    samples, backend = read(arguments.files)
    found = [*(figure(*row) for row in medians(samples)), *([figure("back end", OURS, backend, "")] if backend else [])]
    all_machines = figures.replace(found, arguments.into)
    figures.insert(table(all_machines) + "\n", START, END, arguments.into)
    (arguments.into / "performance.svg").write_text(plot.draw({(each.row, each.candidate): each for each in found}))


def figure(row, candidate, value, unit, over=""):
    return figures.Figure("hpke", machine(), datetime.date.today().isoformat(), row, candidate, value, unit, over)


def read(paths):
    """`{row: {candidate: the columns of each pass}}`, and the back end that X25519 of `pqseal` ran on."""
    samples, backends = {}, set()
    for path in paths:
        for line in path.read_text().splitlines():
            row, candidate, *values = line.split("\t")
            if row == "back end":
                backends.add(candidate)
            else:
                samples.setdefault(row, {}).setdefault(candidate, []).append([float(value) for value in values])
    if len(backends) > 1:
        raise SystemExit(f"the passes have to be of one back end, and are of {', '.join(sorted(backends))}")
    return samples, backends.pop() if backends else None


def medians(samples):
    """Of each candidate the medians of the passes: microseconds, and how long over ours."""
    for row, candidates in samples.items():
        us = {name: statistics.median(columns[0] for columns in passes) for name, passes in candidates.items()}
        for name, passes in candidates.items():
            # A program of its own has taken no turns with ours.
            turns = [columns[1] for columns in passes if len(columns) > 1]
            over = statistics.median(turns) if turns else us[name] / us[OURS]
            yield row, name, f"{us[name]:.1f}", "us", f"{over:.3f}"


def table(all_machines):
    """Microseconds of `pqseal`, and in brackets the best other and how many times as long it takes."""
    machines = figures.by_machine(all_machines, "hpke")
    heads = ["us", *(f"{name}, {backend(found)}, {date}" for (name, date), found in machines.items())]
    rows = [[row, *(cell(found, row) for found in machines.values())] for row in ROWS]
    return figures.table(heads, rows)


def backend(found):
    return found["back end", OURS].value if ("back end", OURS) in found else "AWS-LC"


def cell(found, row):
    if (row, OURS) not in found:
        return ""
    others = {name: each for (of_row, name), each in found.items() if of_row == row and not name.startswith(OURS)}
    others = {name: float(each.over) for name, each in others.items() if each.over}
    alone = found.get((row, SERIAL))
    if not others and alone and alone.over:
        others = {"one by one": float(alone.over)}
    best = min(others, key=others.get, default=None)
    brackets = f" ({best} {others[best]:.2f})" if best else ""
    return found[row, OURS].value + brackets


if __name__ == "__main__":
    main()
