#!/usr/bin/env python3
"""Counts the doc comments in *.rs files outside tests that begin with a question word.

A function's doc comment begins with a verb ("Returns"), any other with a noun phrase. At most 3 %
may begin with What, Whether, Where and the like. A doc comment is a run of `///` or `//!` lines.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 0.03
QUESTION = re.compile(r"(What|Whether|Where|How|Those|Which|Who|When)\b")
TEST = re.compile(r"(^|/)tests?(\.rs$|/)")


def doc_comments(lines):
    """The number of the first line and the first words of each doc comment."""
    before = None
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*(//[/!])(?!/)\s*(.*)", line)
        if found and found[1] != before:
            yield number, found[2]
        before = found and found[1]


def main():
    listed = subprocess.run(
        ["git", "ls-files", "*.rs"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    counts, questions, places = Counter(), Counter(), []
    for path in (path for path in listed if not TEST.search(path)):
        for number, text in doc_comments((ROOT / path).read_text().splitlines()):
            folder = path.partition("/")[0]
            counts.update((folder, "in all"))
            if QUESTION.match(text):
                questions.update((folder, "in all"))
                places.append(f"{path}:{number}: {text}")
    failed = questions["in all"] > MOST * counts["in all"]
    if failed:
        print("\n".join(places))
    for name in sorted(counts, key=lambda name: (name == "in all", name)):
        share = questions[name] / counts[name]
        print(f"{name}: {questions[name]} of {counts[name]} doc comments ({share:.1%})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
