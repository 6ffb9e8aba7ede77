#!/usr/bin/env python3
"""Sums llvm-cov's summary, from standard input, by crate: `report.py CRATE...` prints a line for each.

BIKE has a line of its own, which is a part of that of kem-pq.
"""

import json
import sys
from pathlib import Path

KINDS = ("lines", "regions", "functions")
ROOT = Path(__file__).resolve().parents[2]


def main():
    files = json.load(sys.stdin)["data"][0]["files"]
    print(f"{'crate':<12}" + "".join(f"{kind:>24}" for kind in KINDS))
    folders = {crate: [f"{crate}/", f"crates/{crate}"] for crate in sys.argv[1:]}
    if "kem-pq" in folders:
        folders["- bike"] = ["kem-pq/src/bike/", "kem-pq/src/bike.rs"]
    for name, begins in folders.items():
        print(line(name, [file for file in files if belongs(file, begins)]))


def belongs(file, begins):
    path = Path(file["filename"]).relative_to(ROOT).as_posix()
    return path.startswith(tuple(begins))


def line(name, files):
    cells = []
    for kind in KINDS:
        run, all_of_it = (sum(file["summary"][kind][key] for file in files) for key in ("covered", "count"))
        if all_of_it == 0:
            sys.exit(f"report.py: no {kind} of {name} were compiled")
        cells.append(f"{f'{run} of {all_of_it}':>16}{run / all_of_it:>8.1%}")
    return f"{name:<12}" + "".join(cells)


if __name__ == "__main__":
    main()
