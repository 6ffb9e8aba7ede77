#!/usr/bin/env python3
"""Checks docs/requirements.toml and the table docs/requirements.md that is made of it, and that the tests in docs/promises.md exist.

Each named function, type and test exists in its file, each test is one, and each statement that binds
us has both. `--write` makes the table; without it a table that is not current is an error.
"""

import re
import sys
import tomllib
from pathlib import Path

DATA = Path("docs/requirements.toml")
TABLE = Path("docs/requirements.md")
PROMISES = Path("docs/promises.md")
HEAD = """# Requirements and their tests

Every MUST and MUST NOT of the documents below in a short paraphrase, with the code and the test that answer it.
`dev/checks/requirements.py --write` makes this page from [requirements.toml](requirements.toml); `tools/test checks` checks that each
named function and test exists and that the page is current. Requirements of JOSE and COSE are in [formats.md](formats.md).
"""
DEFINITION = r"\b(?:fn|struct|enum|trait|type|const|static)\s+{}\b"
# Attributes and doc comments may stand between `#[test]` and its function.
TEST = r"#\[test\]\s*(?:(?:#\[[^\]]*\]|//[^\n]*)\s*)*(?:pub\s+)?fn\s+{}\b"


def problem(reference, pattern):
    """Why a reference `file name` does not hold, or None."""
    path, _, name = reference.partition(" ")
    if not Path(path).is_file():
        return f"no file {path}"
    if not name:
        return None if path == "hpke/src/mistakes.rs" else f"{path}: no name"
    if not re.search(pattern.format(re.escape(name)), Path(path).read_text()):
        return f"{path} has no {'test' if pattern is TEST else 'definition of'} {name}"
    return None


def problems(data):
    """What is wrong with the entries."""
    for entry in data["requirement"]:
        missing = {"in", "who", "text", "code", "test"} - entry.keys()
        if missing:
            yield f"{entry.get('text', entry)}: no {', '.join(sorted(missing))}"
            continue
        for pattern, references in ((DEFINITION, entry["code"]), (TEST, entry["test"])):
            yield from filter(None, (problem(each, pattern) for each in references))
        unknown = entry["in"].keys() - data["documents"].keys()
        if unknown:
            yield f"{entry['text']}: unknown document {', '.join(unknown)}"
        if not (entry["code"] and entry["test"]) and "note" not in entry:
            yield f"{entry['text']}: neither code and test nor a note that says why"


def cell(references):
    """Links to files, in the shortest form that a reader needs."""
    links = []
    for each in references:
        path, _, name = each.partition(" ")
        links.append(f"[`{name or Path(path).name}`](../{path})")
    return "<br>".join(links) or "-"


def table(data):
    """The page."""
    lines = [HEAD]
    for key, document in data["documents"].items():
        rows = [entry for entry in data["requirement"] if key in entry["in"]]
        lines += [f"## {document}", ""]
        if key in data["without"]:
            lines += [f"It {data['without'][key]}.", ""]
        lines += ["| section | statement | binds | code | test |", "|---|---|---|---|---|"]
        for entry in rows:
            text = entry["text"] + (f". *{entry['note']}*" if "note" in entry else "")
            lines.append(
                f"| {entry['in'][key]} | {text} | {entry['who']} | {cell(entry['code'])} | {cell(entry['test'])} |"
            )
        lines.append("")
    return "\n".join(lines)


def promises():
    """Names of tests in the table of promises that do not exist."""
    sources = [*Path("cli/tests").rglob("*.rs"), *Path("services").rglob("*.rs"), *Path("crates/edge").rglob("*.rs")]
    text = "".join(path.read_text() for path in sources)
    # Counters and codes have fewer words.
    for name in re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+){2,})`", PROMISES.read_text()):
        if not re.search(TEST.format(name), text):
            yield f"{PROMISES}: no test {name}"


def main():
    data = tomllib.loads(DATA.read_text())
    found = [*problems(data), *promises()]
    page = table(data)
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(page)
    elif not TABLE.is_file() or TABLE.read_text() != page:
        found.append(f"{TABLE} is not current: run dev/checks/requirements.py --write")
    print("\n".join(found), end="\n" if found else "")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
