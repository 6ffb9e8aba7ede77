"""Writes the section of files in docs/performance.md, between its two marks."""

import datetime
import pathlib
import statistics
import sys

BENCHES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHES))
from processor import machine

DOCUMENT = BENCHES.parents[1] / "docs/performance.md"
START, END = "<!-- files: dev/benches/files/run -->", "<!-- end of files -->"
MIB = 1 << 20


def write(text):
    before, rest = DOCUMENT.read_text().split(START)
    DOCUMENT.write_text(f"{before}{START}\n{text}{END}{rest.split(END)[1]}")


def section(figures, options):
    parts = [f"Measured on {datetime.date.today().isoformat()}, {machine()}, medians of {options.rounds} rounds by turns.\n"]
    for part in (speed, memory, large):
        parts += part(figures, options)
    return "\n".join(parts) + "\n"


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def speed(figures, options):
    """Seconds and ratios of each program; ratios are medians of those within a round."""
    found = [key for key in figures if len(key) == 3 and key[0] in ("encrypt", "decrypt")]
    if not found:
        return
    yield f"{options.mib} MiB from and to files in memory, in seconds, and how many times as fast as age and rage:\n"
    yield "| | one core, user time | times age | times rage | one core, user and system | two cores, by the clock | times age | times rage |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for operation, program, cores in found:
        if cores == 1:
            row = lambda name, cores: figures[operation, name, cores]
            one, two = row(program, 1), row(program, 2)
            over = lambda name, cores, key: ratio(row(name, cores), row(program, cores), key)
            both = statistics.median(found["user"] + found["system"] for found in one)
            cells = [
                f"{median(one, 'user'):.2f}", over("age", 1, "user"), over("rage", 1, "user"), f"{both:.2f}",
                f"{median(two, 'clock'):.2f}", over("age", 2, "clock"), over("rage", 2, "clock"),
            ]
            yield f"| {program}: {operation} | {' | '.join(cells)} |"
    yield ""


def ratio(others, ours, key):
    return f"{statistics.median(other[key] / our[key] for other, our in zip(others, ours)):.2f}"


def memory(figures, _options):
    found = {key[1:]: value for key, value in figures.items() if key[0] == "memory"}
    if not found:
        return
    sizes = sorted({size for *_, size in found})
    yield "The most memory (resident), in MiB:\n"
    yield f"| | {' | '.join(f'of {size} MiB' for size in sizes)} |"
    yield "|---" + "|---:" * len(sizes) + "|"
    for operation, program in dict.fromkeys(key[:2] for key in found):
        cells = (f"{found[operation, program, size] / MIB:.1f}" for size in sizes)
        yield f"| {program}: {operation} | {' | '.join(cells)} |"
    yield ""


def large(figures, options):
    size = f"{options.large_mib / 1024:g} GiB"
    lines = {
        "rekey": f"`rekey -o` of {size}, until the copy is on the disk",
        "cp": f"`cp` of {size}, and `sync` of the copy",
        "rekey, in place": f"`rekey` of {size}, in place, with `--reserve`",
        "range": f"`decrypt --range` of the last MiB of {size}",
    }
    found = {name: text for name, text in lines.items() if name in figures}
    if not found:
        return
    yield "Large files on the disk, by the clock, in seconds:\n"
    yield "| | median |"
    yield "|---|---:|"
    for name, text in found.items():
        yield f"| {text} | {statistics.median(figures[name]):.3f} |"
    yield ""
