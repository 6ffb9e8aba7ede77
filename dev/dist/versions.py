#!/usr/bin/env python3
"""Compares every place that has the version with the root Cargo.toml.

    dev/dist/versions.py            # in `tools/test checks`
    dev/dist/versions.py 0.1.0      # also that it is this version, for dev/dist/release

Crates, the npm package, the wheel and the C library take it from Cargo.toml. CHANGELOG.md must have
its section.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What names a version for people: the expression finds it.
WRITTEN = {
    "action.yml": r"default: (\d+\.\d+\.\d+)$|such as (\d+\.\d+\.\d+)$",
    "README.md": r"ghcr\.io/pqseal/pqseal:([\d.]+\d)|pqseal/pqseal@v([\d.]+\d)|pqseal_([\d.]+)-1_|/v([\d.]+\d)/|pqseal-([\d.]+)-flake",
    "docs/install.md": r"pqseal/pqseal@v([\d.]+\d)",
    "docs/containers/README.md": r"pqseal:(\d[\d.]+\d)",
    "docs/containers/compose.yaml": r"ghcr\.io/pqseal/pqseal:(.+)",
    "docs/containers/receiver.yaml": r"ghcr\.io/pqseal/pqseal:(.+)",
    "docs/containers/modsecurity.yaml": r"ghcr\.io/pqseal/pqseal:(.+)",
}


def problems(asked):
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    version = workspace["package"]["version"]
    if asked not in (None, version):
        yield f"Cargo.toml has version {version}, not {asked}"
    for name, dependency in workspace["dependencies"].items():
        if isinstance(dependency, dict) and "path" in dependency and dependency.get("version", version) != version:
            yield f"Cargo.toml: {name} is {dependency['version']}"
    yield from of_crates(version)
    for file, expression in WRITTEN.items():
        found = [text for match in re.finditer(expression, (ROOT / file).read_text(), re.M) for text in match.groups() if text]
        if not found:
            yield f"{file} names no version"
        yield from (f"{file} has {text}" for text in found if text != version)
    if not re.search(rf"^## {re.escape(version)} - (unreleased|\d{{4}}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no section {version}"


def of_crates(version):
    """The published crates have the workspace's version, and Cargo.lock that of each."""
    locked = {each["name"]: each["version"] for each in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"] if "source" not in each}
    names = set(subprocess.run([ROOT / "tools/published"], capture_output=True, text=True, check=True).stdout.split())
    for manifest in ROOT.glob("**/Cargo.toml"):
        if "target" in manifest.parts or "node_modules" in manifest.parts:
            continue
        package = tomllib.loads(manifest.read_text()).get("package", {})
        if package.get("name") in names and package["version"] != {"workspace": True}:
            yield f"{manifest.relative_to(ROOT)} has a version of its own"
    yield from (f"Cargo.lock has {name} {locked[name]}" for name in sorted(names) if locked[name] != version)


found = list(problems(sys.argv[1] if sys.argv[1:] else None))
print("".join(f"{problem}\n" for problem in found), end="")
sys.exit(bool(found))
