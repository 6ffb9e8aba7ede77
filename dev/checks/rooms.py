#!/usr/bin/env python3
"""Prints how finely the Rust code is cut, by folder and in all: files with fewer than 60 lines of
code, `pub(super)` and `pub(in ...)`, `pub(crate)`, closures bound by `let`, and private functions
with one caller. Tests, benchmarks and examples of a crate are left out. It fails nothing: small
rooms cost plumbing, large ones are hard to hold in the head.

    dev/checks/rooms.py
"""

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
APART = re.compile(r"(^|/)(tests|benches|examples)/|tests\.rs$")
CLOSURE = re.compile(r"^\s*let (?:mut )?\w+(?:: [^=]+)? = (?:move )?\|", re.MULTILINE)
FUNCTION = re.compile(r"^\s*(?:const |unsafe |async )*fn (\w+)", re.MULTILINE)
WORD = re.compile(r"\b[a-z_][a-z0-9_]*\b")
# Called by the language.
CALLED_OTHERWISE = {"main", "fmt", "drop", "from", "next", "clone", "deref"}
COLUMNS = ["files", "small", "pub(super)", "pub(crate)", "closures", "functions", "one caller", "code"]


def counts(text):
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
    words = Counter(WORD.findall(re.sub(r"//.*", "", text)))
    functions = [name for name in FUNCTION.findall(text) if name not in CALLED_OTHERWISE]
    return Counter({
        "files": 1,
        "small": len(code) < 60,
        "pub(super)": len(re.findall(r"\bpub\((?:super|in )", text)),
        "pub(crate)": len(re.findall(r"\bpub\(crate\)", text)),
        "closures": len(CLOSURE.findall(text)),
        "functions": len(functions),
        # Once where it is written, and once where it is called.
        "one caller": sum(words[name] == 2 for name in functions),
        "code": len(code),
    })


def row(name, count):
    print(f"{name:24}" + "".join(f"{count[column]:>12}" for column in COLUMNS))


names = subprocess.run(["git", "ls-files", "*.rs"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
folders = defaultdict(Counter)
lines = 0
for name in names:
    text = (ROOT / name).read_text()
    lines += text.count("\n")
    if not APART.search(name):
        without_tests = re.split(r"#\[cfg\(test\)\]\s*mod tests? \{", text)[0]
        folders["/".join(name.split("/")[:2])].update(counts(without_tests))
print(" " * 24 + "".join(f"{column:>12}" for column in COLUMNS))
for name, count in sorted(folders.items(), key=lambda folder: -folder[1]["code"]):
    row(name, count)
total = sum(folders.values(), Counter())
row("in all", total)
print(f"{total['small'] / total['files']:.1%} small, {total['one caller'] / total['functions']:.1%} with one caller, {lines} lines of Rust with tests")
