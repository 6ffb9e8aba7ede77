"""Log records: the same bytes and counters as from the command line."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import obsigna
import pqseal
import pytest
from conftest import ROOT
from pqseal import hpke
from test_parquet import PQSEAL

Kind = Literal["ai-gateway", "agent-receipt", "jwe", "age"]


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


def test_files_of_every_kind(tmp_path: Path) -> None:
    pair = pqseal.generate_key_pair("x25519")
    key, given, written, letters = (tmp_path / name for name in ["key.txt", "in", "out", "letters"])
    key.write_text(pair.export_private_key())
    key.chmod(0o600)
    given.mkdir()
    blobs = [pqseal.seal(pair.public_key, text) for text in [b"one", b'"\n\\', b"\xff"]]
    subprocess.run([ROOT / "dev/checks/record_inputs.py", given, *blobs], check=True)
    command = [PQSEAL, "logs", "open", "-k", key, "--dead-letter", letters, "--keep-partial", "-o", f"{written}/"]
    subprocess.run([*command, f"{given}/"], capture_output=True, check=True)
    failed: dict[str, Counter[str]] = {}
    for letter in map(json.loads, letters.read_text().splitlines()):
        failed.setdefault(Path(letter["source"]).name, Counter())[letter["code"]] += 1
    ring = pqseal.KeyRing.from_files(key)
    files = sorted(given.iterdir())
    assert len(files) > 400
    for file in files:
        out, counters = pqseal.open_records(ring, file)
        assert out == (written / file.name).read_bytes(), file.name
        assert counters["failed_by_code"] == failed.get(file.name, {}), file.name


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


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "test-vectors/data" / f"{name}.json").read_text())["entries"]
    return found


def other_kinds() -> dict[str, tuple[str, object, str]]:
    """A key of each kind, a value, and the beginning of its plaintext, by other programs."""
    gateway = json.loads((ROOT / "crates/sealed/tests/ai_gateway.json").read_text())
    receipt = vectors("receipts")[0]
    [jwe] = [vector for vector in vectors("jose-hpke-pq") if vector["alg"] == "HPKE-9"]
    [age] = [case for case in vectors("age-kit") if case["name"] == "armor_x25519"]
    value = gateway["objects"][0]
    return {
        "ai-gateway": (gateway["keys"][value["key"]], value["value"], value["text"]),
        "agent-receipt": (base64.b64encode(bytes.fromhex(receipt["sk_r"])).decode(), receipt["envelope"], '{"command"'),
        "jwe": (json.dumps(jwe["jwk"]), jwe["compact"], "You can trust us"),
        "age": (age["identities"][0], bytes.fromhex(age["file"]).decode(), "age"),
    }


@pytest.mark.parametrize("kind", ["ai-gateway", "agent-receipt", "jwe", "age"])
def test_values_of_other_kinds(kind: Kind, tmp_path: Path) -> None:
    key, value, begin = other_kinds()[kind]
    file = tmp_path / "key"
    file.write_text(f"# its label\n{key}\n")
    from_file = pqseal.KeyRing.from_files(file)
    assert (len(from_file), from_file.labels) == (1, ["its label"])
    record = json.dumps({"a": value}).encode()
    for ring in [from_file, pqseal.KeyRing(key)]:
        for fixed in [None, kind]:
            out, counters = pqseal.open_records(ring, record, [".a"], into=["b"], sealed_as=fixed)
            assert json.loads(out)["b"].startswith(begin)
            assert counters["opened_by_key"] == {ring.key_ids[0]: 1}
        _, counters = pqseal.open_records(ring, record, [".a"], sealed_as="matched-data")
        assert (counters["opened"], counters["failed"]) == (0, 1)
    # Nothing binds it to its record.
    bound = pqseal.KeyRing(key, min_version=4)
    assert pqseal.open_records(bound, record, [".a"])[1]["opened"] == 0
    with pytest.raises(pqseal.PqsealError, match="bound to no record"):
        pqseal.open_records(bound, record, [".a"], sealed_as=kind)


def test_an_rsa_key_that_is_inconsistent_is_refused() -> None:
    key, _, _ = other_kinds()["ai-gateway"]
    begin, *lines, end = key.splitlines()
    der = bytearray(base64.b64decode("".join(lines)))
    der[-1] ^= 1
    with pytest.raises(pqseal.PqsealError) as failed:
        pqseal.KeyRing("\n".join([begin, base64.b64encode(der).decode(), end]))
    assert failed.value.code == "bad_key"


def test_receipts_of_obsigna() -> None:
    forensic, signing = obsigna.generate_forensic_key_pair(), obsigna.generate_key_pair()
    private, public = forensic.private_key, forensic.public_key
    parameters, response = {"command": "echo 'build' > log", "n": 1}, {"exit": 0, "stdout": "done\n"}
    ring = pqseal.KeyRing(base64.b64encode(private).decode())
    seal = obsigna.encrypt_disclosure, obsigna.encrypt_response
    sealed = [one(each, public, "sha256:" + "0" * 64) for one, each in zip(seal, (parameters, response), strict=True)]
    receipt = obsigna.create_receipt(
        obsigna.CreateReceiptInput(
            issuer=obsigna.Issuer(id="did:example:i"),
            principal=obsigna.Principal(id="did:example:p"),
            action=obsigna.ActionInput(type="system.command.execute", risk_level="low", parameters_disclosure=sealed[0]),
            outcome=obsigna.Outcome(status="success", response_disclosure=sealed[1]),
            chain=obsigna.Chain(sequence=1, previous_receipt_hash=None, chain_id="c"),
        )
    )
    line = obsigna.sign_receipt(receipt, signing.private_key, "did:example:i#k").model_dump_json(by_alias=True, exclude_unset=True)
    assert obsigna.verify_raw(line, signing.public_key)
    out, counters = pqseal.open_records(ring, f"{line}\n{line}\n".encode(), "agent-receipts")
    found = [json.loads(each) for each in out.splitlines()]
    expected = {"receipt": json.loads(line)["id"], "parameters": parameters, "response": response}
    assert found == [{**expected, "record": number} for number in (1, 2)]
    assert counters["opened"] == 2

    # The other direction: an envelope that pqseal seals.
    suite = hpke.Suite("x25519", "HKDF-SHA256", "AES-256-GCM")
    enc, ciphertext = suite.seal(public, json.dumps(parameters, separators=(",", ":")).encode())
    encode = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")  # noqa: E731
    recipient = {**sealed[0]["recipients"][0], "enc": encode(enc)}
    envelope = {**sealed[0], "ct": encode(ciphertext), "recipients": [recipient]}
    assert obsigna.decrypt_disclosure(envelope, private) == parameters
