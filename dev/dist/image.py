"""Writes the container image: image.py TARGET DIST VERSION TIME, for dev/dist/steps/image.

FROM scratch: the programs, their licences and their bill of materials, a folder for events, and one
for temporary files. The user is not root. Nothing else needs to be written, so the root can be
read-only.
"""

import sys
from datetime import datetime, timezone
from pathlib import Path

from oci import Layout, entry

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ["age-plugin-pqseal", "matched-data-cli", "pqseal", "pqseal-edge"]
PROCESSORS = {"amd64": "x86_64-unknown-linux-musl", "arm64": "aarch64-unknown-linux-musl"}
USER = 65532


def content(built, bill, third_party, time):
    """The entries of the layer, in order."""
    folder = "usr/share/doc/pqseal"
    yield entry("bin", 0o755, time)
    for name in PROGRAMS:
        yield entry(f"bin/{name}", 0o755, time, data=(built / name).read_bytes())
    yield entry("tmp", 0o1777, time)
    yield from (entry(name, 0o755, time) for name in ("usr", "usr/share", "usr/share/doc", folder))
    texts = [ROOT / "LICENSE-APACHE", ROOT / "LICENSE-MIT", third_party, bill]
    yield from (entry(f"{folder}/{text.name}", 0o644, time, data=text.read_bytes()) for text in texts)
    yield from (entry(name, 0o755, time) for name in ("var", "var/lib"))
    yield entry("var/lib/pqseal", 0o700, time, owner=USER)


def main(target, dist, version, time):
    target, dist, time = Path(target), Path(dist), int(time)
    third_party = target / "dist-parts/THIRD-PARTY.txt"
    bill = dist / "pqseal-static.cdx.json"
    for part, step in ((third_party, "licences"), (bill, "sbom")):
        if not part.exists():
            return f"dist: {part} is missing: dev/dist/build {step}"
    created = datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    annotations = {
        "org.opencontainers.image.created": created,
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        "org.opencontainers.image.source": "https://github.com/pqseal/pqseal",
        "org.opencontainers.image.title": "pqseal",
        "org.opencontainers.image.version": version,
    }
    config = {
        "User": f"{USER}:{USER}",
        "Env": ["PATH=/bin"],
        "Entrypoint": ["/bin/pqseal"],
        "WorkingDir": "/var/lib/pqseal",
        "Labels": annotations,
    }
    layout, manifests = Layout(), []
    for architecture, name in PROCESSORS.items():
        built = target / name / "release"
        if not (built / "pqseal").exists():
            print(f"image: no programs for {name}", file=sys.stderr)
            continue
        entries = content(built, bill, third_party, time)
        manifests.append(layout.image(architecture, entries, created, config, annotations))
    if not manifests:
        return "dist: there are no static programs: dev/dist/build static"
    (dist / f"pqseal-{version}-oci.tar").write_bytes(layout.archive(manifests, version, annotations, time))
    return None


sys.exit(main(*sys.argv[1:]))
