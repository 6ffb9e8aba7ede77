"""Writes the figures of `run` into docs/performance.md, between its two marks, and docs/performance.svg.

report.py [--into FOLDER] FILE...    FILEs have lines `row TAB candidate TAB us [TAB how long over ours]`, where a row is
                                     `suite: operation`, and may have a line `back end TAB name`

The document has a section per machine, with its date. That of this machine is written again, the others stay, and a table of all
comes first. FOLDER, the project's docs if none, has performance.md.
"""

import argparse
import datetime
import pathlib
import statistics
import sys

import machines
import plot

BENCHES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHES))
from processor import machine, processor

DOCS = BENCHES.parents[1] / "docs"
START, END = "<!-- figures: dev/benches/peers/run -->", "<!-- end of figures -->"
OURS, PORTABLE, SERIAL, AWS_LC = "pqseal", "pqseal, portable", "pqseal, one by one", "AWS-LC EVP_HPKE"
PRECOMPUTED = ", precomputed"
RUST = ("hpke 0", "hpke-rs", "hpke-ng")


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--into", type=pathlib.Path, default=DOCS)
    arguments.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = arguments.parse_args()
    figures, ratio, backend = read(arguments.files)
    document = arguments.into / "performance.md"
    before, rest = document.read_text().split(START)
    sections, after = rest.split(END)
    sections = machines.replaced(sections, machine(), generated(figures, ratio, backend))
    document.write_text(f"{before}{START}\n{sections}{END}{after}")
    (arguments.into / "performance.svg").write_text(plot.draw(figures))


def read(paths):
    """Two of `{suite: {operation: {candidate: value}}}`, microseconds and ratios to ours, with the medians of passes; and
    the back end that X25519 of `pqseal` ran on."""
    samples, backends = {}, set()
    for path in paths:
        for line in path.read_text().splitlines():
            row, candidate, *values = line.split("\t")
            if row == "back end":
                backends.add(candidate)
                continue
            suite, operation = row.split(": ")
            samples.setdefault(suite, {}).setdefault(operation, {}).setdefault(candidate, []).append(values)
    us, ratio = {}, {}
    for suite, operations in samples.items():
        for operation, row in operations.items():
            columns = {name: [list(map(float, column)) for column in zip(*passes)] for name, passes in row.items()}
            of_row = {name: statistics.median(times) for name, (times, *_) in columns.items()}
            # A program of its own has taken no turns with ours.
            over = {name: rest[0] if rest else [of_row[name] / of_row[OURS]] for name, (_, *rest) in columns.items()}
            us.setdefault(suite, {})[operation] = of_row
            ratio.setdefault(suite, {})[operation] = {name: statistics.median(ratios) for name, ratios in over.items()}
    if len(backends) > 1:
        raise SystemExit(f"the passes have to be of one back end, and are of {', '.join(sorted(backends))}")
    return us, ratio, backends.pop() if backends else None


def generated(figures, ratio, backend):
    day = datetime.date.today().isoformat()
    on = f"; X25519 of `pqseal` on the back end {backend}" if backend else ""
    intro = f"Measured on {day}, {processor()}, one core{on}."
    parts = [f"{intro}\n\n### How many times as fast\n\n{ratios(figures, ratio)}"]
    for suite, operations in figures.items():
        opened, sealed = (
            {name: row for name, row in operations.items() if name.startswith(f"{verb}_batch")} for verb in ("open", "seal")
        )
        singles = {name: row for name, row in operations.items() if name not in opened | sealed}
        parts.append(f"### {suite}\n\n{table(singles)}\n{table(opened)}\n{table(sealed)}")
    return "\n".join(parts)


def ratios(figures, ratio):
    """How long the others take, over how long we take."""
    heads = ["AWS-LC", "best other in Rust", "best other of all", "portable build over `hpke`"]
    lines = [f"| | {' | '.join(heads)} |", "|---" + "|---:" * len(heads) + "|"]
    for suite in figures:
        for operation, row in ratio[suite].items():
            for kind in "", PRECOMPUTED:
                if OURS in row and OURS + kind in row:
                    lines.append(f"| {suite}: {operation}{kind} | {' | '.join(cells(row, kind))} |")
    return "\n".join(lines) + "\n"


def cells(row, kind):
    """How long the others take over one kind of ours. No other has a kind but the plain one."""
    others = {name: over / row[OURS + kind] for name, over in row.items() if not name.startswith(OURS)}
    rust = {name: over for name, over in others.items() if name.startswith(RUST)}
    of_all = best(others) if others else f"{row[SERIAL]:.2f} (one by one)"
    portable = ""
    if PORTABLE + kind in row:
        crate_hpke = next(over for name, over in row.items() if name.startswith(RUST[0]))
        portable = f"{crate_hpke / row[PORTABLE + kind]:.2f}"
    return [f"{others[AWS_LC]:.2f}" if AWS_LC in row else "", best(rust), of_all, portable]


def best(row):
    name = min(row, key=row.get, default=None)
    return f"{row[name]:.2f} ({name})" if name else ""


def table(operations):
    """Microseconds, an operation a column."""
    names = dict.fromkeys(name for row in operations.values() for name in row)
    candidates = sorted(names, key=lambda name: not name.startswith(OURS))
    lines = [f"| us | {' | '.join(operations)} |", "|---" + "|---:" * len(operations) + "|"]
    for name in candidates:
        cells = (f"{row[name]:.1f}" if name in row else "" for row in operations.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


main()
