"""Log records: the same bytes and counters as from the command line."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pqseal
import pytest
from test_parquet import PQSEAL


def inputs(blob: str) -> dict[str, bytes]:
    record = {"ray": "8f\u00e9", "Metadata": {"encrypted_matched_data": blob}}
    pairs = {"metadata": [{"key": "encrypted_matched_data", "value": blob}]}
    line = json.dumps(record)
    inside = json.dumps({"log": line + "\n"})
    cell = line.replace('"', '""')
    return {
        "lines.ndjson": f"{line}\n\n{json.dumps(pairs)}\r\n{{cut\n".encode(),
        "array.json": json.dumps([record, pairs, 1]).encode(),
        "inside.ndjson": f"{inside}\n{json.dumps({'outer': inside})}\n".encode(),
        "table.csv": f'ray,Metadata\n8f,"{cell}"\n'.encode(),
        "packed.ndjson.gz": gzip.compress(line.encode()),
        "marks.ndjson": f"\ufeff{line}\n\ufeff{line}\n".encode(),
        "sequence.ndjson": f"\x1e{line}\n\x1e{line}\n".encode(),
        "altered.ndjson": line.replace(blob[40], "A" if blob[40] != "A" else "B").encode(),
    }


def test_the_command_line_gives_the_same(tmp_path: Path) -> None:
    pair = pqseal.generate_key_pair("x25519")
    key = tmp_path / "key.txt"
    key.write_text(pair.export_private_key())
    key.chmod(0o600)
    ring = pqseal.KeyRing.from_files(key)
    for name, data in inputs(pqseal.seal(pair.public_key, b"' OR 1=1")).items():
        file = tmp_path / name
        file.write_bytes(data)
        command = [PQSEAL, "logs", "open", "--stats", "json", "-k", key, file]
        ran = subprocess.run(command, capture_output=True, check=True)
        expected = json.loads(ran.stderr.splitlines()[-1])
        for given in [file, str(file), *([data] if file.suffix != ".csv" else [])]:
            out, counters = pqseal.open_records(ring, given)
            assert out == ran.stdout, name
            for count in ["records", "opened", "absent", "failed", "failed_by_code", "opened_by_key"]:
                assert counters[count] == expected[count], (name, count)


def test_paths_and_choices() -> None:
    pair = pqseal.generate_key_pair("x25519")
    ring = pqseal.KeyRing(pair.export_private_key())
    record = json.dumps({"s": pqseal.seal(pair.public_key, b"[1]")}).encode()
    out, counters = pqseal.open_records(ring, record, [".s"], into=["t"], mode="drop", form="json")
    assert (out, counters["opened"]) == (b'{"t": [1]}', 1)
    out, _ = pqseal.open_records(ring, b"s\n" + json.loads(record)["s"].encode(), ["s"], input_format="csv")
    assert out.endswith(b",[1],opened")
    for arguments in [{"rules": "any"}, {"rules": ["a..b"]}, {"mode": "x"}, {"form": "x"}, {"input_format": "x"}]:
        with pytest.raises(pqseal.PqsealError) as failed:
            pqseal.open_records(ring, record, **arguments)  # type: ignore[arg-type]
        assert failed.value.code == "bad_argument"
    with pytest.raises(pqseal.PqsealError):
        pqseal.open_records(ring, b"\xfd7zXZ\0\0")
    with pytest.raises(FileNotFoundError):
        pqseal.open_records(ring, "/no/such/file")
