#!/usr/bin/env python3
"""Compares dev/dist/vex.json with SOUNDNESS.md and Cargo.lock.

Each advisory of RustSec in SOUNDNESS.md has one statement, each statement is in SOUNDNESS.md, and
each version of a libcrux crate that a statement names as used is the one in Cargo.lock.
"""

import json
import re
import sys
from pathlib import Path

root = Path(__file__).parent.parent.parent


def advisories(text):
    """The ids in `text`; "RUSTSEC-2026-0207, -0208" are two."""
    found = []
    for year, numbers in re.findall(r"RUSTSEC-(\d{4})((?:(?:, )?-\d{4})+)", text):
        found += [f"RUSTSEC-{year}-{number}" for number in re.findall(r"\d{4}", numbers)]
    return found


def problems():
    statements = json.loads((root / "dev/dist/vex.json").read_text())["statements"]
    stated = [statement["vulnerability"]["name"] for statement in statements]
    answered = advisories((root / "SOUNDNESS.md").read_text())
    yield from (f"{name} is in SOUNDNESS.md and not in vex.json" for name in answered if name not in stated)
    yield from (f"{name} is in vex.json and not in SOUNDNESS.md" for name in stated if name not in answered)
    yield from (f"{name} is in vex.json twice" for name in set(stated) if stated.count(name) > 1)
    for statement in statements:
        said = statement.get("impact_statement", "") + statement.get("status_notes", "")
        needed = "justification" if statement["status"] == "not_affected" else "status_notes"
        if needed not in statement or not said:
            yield f"{statement['vulnerability']['name']} has no {needed} or no sentence"
        yield from wrong_versions(statement["vulnerability"]["name"], said)


def wrong_versions(name, said):
    locked = dict(re.findall(r'name = "(libcrux-[\w-]+)"\nversion = "([\d.]+)"', (root / "Cargo.lock").read_text()))
    crates = re.findall(r"libcrux-[\w-]+\w", said)
    used = re.findall(r"([\d.]+\d) is used", said) + re.findall(r"is (\d[\d.]+\d),", said)
    for crate in crates:
        if used and locked.get(crate) not in used:
            yield f"{name}: {crate} is {locked.get(crate)} in Cargo.lock, and {used[0]} in vex.json"
        if "not used" in said and crate in locked:
            yield f"{name}: {crate} is in Cargo.lock"


found = list(problems())
print("".join(f"{problem}\n" for problem in found), end="")
sys.exit(bool(found))
