#!/usr/bin/env python3
"""Reports phrases that are not plain English, of the kind of CONTRIBUTING's table, in all texts.

Only phrases of several words, which are hardly ever right; the other rows of the table need a
reader.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
THINGS = "(?:blob|call|file|key|lane|level|line|message|record|row)"
IDIOMS = re.compile(
    r"\b(?:(?:to|not|cannot|can) be had|told apart|passed over|side doors?|g[ai]ves? way to"
    r"|goes away|stands in|(?<!there )(?-i:is none)(?! of)|all but (?:the|one|two)"
    r"|forms? of keys?|prepared keys?|(?:key|file|line|name) alone|belongs? into"
    r"|something else than|need be|in vectors"
    rf"|one a {THINGS}|one \w+ a {THINGS})\b",
    re.I,
)
# `for each in vectors` is code.
CODE = re.compile(r"\bfor\b.* in vectors\b|\bone (?:takes|without|for) a ")
ENDINGS = {".rs", ".md", ".ts", ".mjs", ".js", ".py", ".sh", ".toml", ".html", ".supp", ".yml"}
# Not ours, or older than the rule.
LEFT_OUT = re.compile(r"^(test-vectors/data|cli/tests/fixtures)/|^dev/checks/idioms\.py$")
# Lines that may have one: file and part of the line.
ALLOWED = [
    ("CONTRIBUTING.md", "| "),
]


def text(path):
    """The text of a file, which is empty if it is data. Programs may have no ending."""
    suffix = Path(path).suffix
    if LEFT_OUT.search(path) or (suffix and suffix not in ENDINGS):
        return ""
    content = (ROOT / path).read_bytes() if (ROOT / path).is_file() else b""
    return content.decode() if suffix or content.startswith(b"#!") else ""


def main():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    count = 0
    for path in listed:
        for number, line in enumerate(text(path).splitlines(), 1):
            found = IDIOMS.search(line)
            allowed = any(path == file and part in line for file, part in ALLOWED)
            if found and not allowed and not CODE.search(line):
                print(f"{path}:{number}: {found[0]!r} is not plain English: {line.strip()}")
                count += 1
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
