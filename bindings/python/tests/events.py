"""Log files as an edge writes them: NDJSON in gzip."""

from __future__ import annotations

import gzip
import json
import pathlib

import pqseal
import pyarrow as pa

# Of every so many records, one each: truncated, without the field, sealed to another key, cut.
PERIOD = 100


def plaintext(n: int) -> str:
    return json.dumps({"http.request.uri.path": f'/ev"il\\\n{n % 1000}/é'}, ensure_ascii=False)


def status(n: int) -> str:
    return {0: "truncated", 1: "absent", 2: "no_key_matched", 3: "bad_length"}.get(n % PERIOD, "opened")


def sealed(public_key: str, count: int = 1000) -> list[str]:
    """Returns a thousand blobs for any number of records, since sealing takes longer than writing."""
    texts = pa.array([plaintext(n) for n in range(count)])
    return pa.array(pqseal.seal_batch(public_key, texts)).to_pylist()  # type: ignore[no-any-return]


class Writer:
    def __init__(self, public_key: str) -> None:
        self.blobs = sealed(public_key)
        self.other = pqseal.seal(pqseal.generate_key_pair("x25519").public_key, b"")

    def event(self, n: int) -> dict[str, object]:
        blob = {
            "opened": self.blobs[n % len(self.blobs)],
            "truncated": "truncated",
            "absent": None,
            "no_key_matched": self.other,
            "bad_length": self.other[:60],
        }[status(n)]
        return {"RayID": n, "Action": "block", "Metadata": {"encrypted_matched_data": blob, "type": "customer"}}

    def write(self, path: pathlib.Path, numbers: range) -> pathlib.Path:
        """Writes a file that appears only when complete, like an object in a bucket, since a stream lists the folder meanwhile."""
        lines = "".join(json.dumps(self.event(n)) + "\n" for n in numbers)
        hidden = path.with_name("." + path.name)
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(hidden, "wt") as file:
            file.write(lines)
        hidden.rename(path)
        return path
