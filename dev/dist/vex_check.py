#!/usr/bin/env python3
"""Compares dev/dist/vex.json with SOUNDNESS.md and Cargo.lock.

Each advisory of RustSec and each CVE in SOUNDNESS.md has one statement, each statement is in
SOUNDNESS.md, and in both each "CRATE VERSION is used" is what Cargo.lock has, and each "CRATE is
not used" is of a crate that it has not.
"""

import json
import re
import sys
from pathlib import Path

root = Path(__file__).parent.parent.parent


def advisories(text):
    """The ids in `text`; "RUSTSEC-2026-0207, -0208" are two."""
    found = re.findall(r"CVE-\d{4}-\d+", text)
    for year, numbers in re.findall(r"RUSTSEC-(\d{4})((?:(?:, )?-\d{4})+)", text):
        found += [f"RUSTSEC-{year}-{number}" for number in re.findall(r"\d{4}", numbers)]
    return found


def problems():
    statements = json.loads((root / "dev/dist/vex.json").read_text())["statements"]
    stated = [statement["vulnerability"]["name"] for statement in statements]
    soundness = (root / "SOUNDNESS.md").read_text()
    answered = advisories(soundness)
    yield from (f"{name} is in SOUNDNESS.md and not in vex.json" for name in answered if name not in stated)
    yield from (f"{name} is in vex.json and not in SOUNDNESS.md" for name in stated if name not in answered)
    yield from (f"{name} is in vex.json twice" for name in set(stated) if stated.count(name) > 1)
    yield from wrong_versions("SOUNDNESS.md", soundness)
    for statement in statements:
        said = statement.get("impact_statement", "") + statement.get("status_notes", "")
        needed = "justification" if statement["status"] == "not_affected" else "status_notes"
        if needed not in statement or not said:
            yield f"{statement['vulnerability']['name']} has no {needed} or no sentence"
        yield from wrong_versions(statement["vulnerability"]["name"], said)


def wrong_versions(name, said):
    locked = re.findall(r'name = "([\w-]+)"\nversion = "([\d.]+)"', (root / "Cargo.lock").read_text())
    for used in re.findall(r"([\w-]+) (\d[\d.]+\d) is used", said):
        if used not in locked:
            yield f"{name}: {' '.join(used)} is not in Cargo.lock"
    for crate in re.findall(r"([\w-]+) is (?:not used|only a peer)", said):
        if crate in dict(locked):
            yield f"{name}: {crate} is in Cargo.lock"


found = list(problems())
print("".join(f"{problem}\n" for problem in found), end="")
sys.exit(bool(found))
