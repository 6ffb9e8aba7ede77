#!/usr/bin/env python3
"""Validates `pqseal suites --cbom`, from standard input, against the schema of CycloneDX 1.6, in
which no unknown member is allowed."""

import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = sys.stdin.read()
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if problem is not None:
    sys.exit(f"not valid: {problem}")
cbom = json.loads(text)
# The schema does not know which references exist.
known = {each["bom-ref"] for each in cbom["components"]} | {cbom["metadata"]["component"]["bom-ref"]}
named = {name for each in cbom["dependencies"] for name in [each["ref"], *each.get("provides", []), *each.get("dependsOn", [])]}
if named - known:
    sys.exit(f"not valid: {sorted(named - known)} are not in it")
print(f"{len(cbom['components'])} algorithms, CycloneDX {cbom['specVersion']}")
