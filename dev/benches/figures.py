"""The figures of docs/performance.tsv, of which docs/performance.md shows a part.

One figure per line: the benchmark, the machine, the date, what was done, by which candidate, the value, its unit, and
how many times as long the candidate takes as pqseal, where both took turns.
"""

import pathlib
import typing

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NAME = "performance.tsv"


class Figure(typing.NamedTuple):
    benchmark: str
    machine: str
    date: str
    row: str
    candidate: str
    value: str
    unit: str
    over: str = ""


def read(docs=DOCS):
    head, *lines = (docs / NAME).read_text().splitlines()
    if head.split("\t") != list(Figure._fields):
        raise SystemExit(f"{NAME}: its first line is not the names of its columns")
    return [Figure(*line.split("\t")) for line in lines]


def replace(found, docs=DOCS):
    """Writes the figures of one benchmark on one machine in the place of older ones, and returns all."""
    benchmark, machine = found[0][:2]
    kept = [figure for figure in read(docs) if figure[:2] != (benchmark, machine)]
    figures = sorted([*kept, *found], key=lambda figure: (figure.benchmark, figure.date, figure.machine))
    text = "".join("\t".join(line) + "\n" for line in (Figure._fields, *figures))
    (docs / NAME).write_text(text)
    return figures


def by_machine(figures, benchmark):
    """`{(machine, date): {(row, candidate): figure}}` of one benchmark."""
    found = {}
    for figure in figures:
        if figure.benchmark == benchmark:
            found.setdefault((figure.machine, figure.date), {})[figure.row, figure.candidate] = figure
    return found


def table(heads, rows):
    """A table of Markdown, whose first column has the names of the rows."""
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def insert(text, start, end, docs=DOCS):
    """Replaces what is between two marks of docs/performance.md."""
    document = docs / "performance.md"
    before, rest = document.read_text().split(start)
    document.write_text(f"{before}{start}\n\n{text}{end}{rest.split(end)[1]}")
