"""Names of algorithms and public keys, the same as in every other language; numbers of messages."""

from __future__ import annotations

import concurrent.futures
import json

import pqseal
import pqseal.hpke
import pytest
from conftest import ROOT
from pqseal.hpke import PqsealError, PrivateKey, PublicKey, Suite

NAMES = json.loads((ROOT / "crates" / "keys" / "tests" / "names.json").read_text())
WRITTEN = json.loads((ROOT / "crates" / "keys" / "tests" / "written.json").read_text())


def test_names_are_those_of_every_front_end() -> None:
    """The names that the tests of every front end read."""
    for row in NAMES:
        names = {"kem": "x25519", "kdf": "HKDF-SHA256", "aead": "AES-128-GCM"} | {row["kind"]: row["name"]}
        suite = Suite(**names, policy="experimental")
        assert suite.ids[["kem", "kdf", "aead"].index(row["kind"])] == row["id"]
    for wrong, nearest in [("x25518", "x25519"), ("mlkem", "mlkem768-x25519"), (0x9999, "p256")]:
        with pytest.raises(PqsealError, match=f"there is no such KEM; choose one of {nearest}") as failed:
            Suite(wrong, 1, 1)
        assert failed.value.code == "bad_argument"
    listed = pqseal.hpke.suites()
    assert {kem["name"] for kem in listed["kems"]} >= {"x25519", "mlkem768-x25519", "x448", "bike-l1"}
    assert listed["default"] == (0x647A, 1, 3)
    for part in ("kems", "kdfs", "aeads"):
        for row in listed[part]:
            assert row["status"] in ("standard", "draft", "experimental")


@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: row["kem"])
def test_keys_of_every_language(row: dict) -> None:
    """Every language reads these texts and writes them, so each reads what another wrote."""
    for format, text in row["private"].items():
        key = PrivateKey.parse(text, kem=row["kem"])
        assert (key.kem, key.to_public().fingerprint) == (row["kem"], row["fingerprint"])
        assert {format: key.export(format) for format in row["private"]} == row["private"]
        assert binary(key, row, "private_binary") == row["private_binary"]
        public = PublicKey.parse(text, kem=row["kem"], raw="private")
        assert public == key.to_public() and hash(public) == hash(key.to_public())
        assert key == PrivateKey.deserialize(row["kem"], key.serialize()) != Suite(row["kem"], 1, 1).generate_key_pair()[0]
    for format, text in row["public"].items():
        key = PublicKey.parse(text.encode(), kem=row["kem"], raw="public")
        assert (key.kem, key.fingerprint, key.key_id) == (row["kem"], row["fingerprint"], row["fingerprint"][:16])
        assert binary(key, row, "public_binary") == row["public_binary"]
        written = {format: key.export(format) for format in row["public"]}
        assert written == {format: text if format == "pem" else text.rstrip() for format, text in row["public"].items()}
        assert key.export() == written["raw" if row["kem"] == "x25519" else "line"]
        with pytest.raises(PqsealError, match="public"):
            PrivateKey.parse(text) if format != "raw" else PublicKey.parse(text, kem=row["kem"])


def binary(key: PrivateKey | PublicKey, row: dict, half: str) -> dict[str, str]:
    """Returns the key in the formats that are bytes, after reading each."""
    written = {}
    for format, file in row[half].items():
        assert type(key).parse(bytes.fromhex(file)) == key
        alg = row.get("alg") if format == "cose-key" else None
        written[format] = key.export_binary(format, alg=alg).hex()
    return written


def test_the_algorithm_of_a_cose_key() -> None:
    key = PrivateKey.parse(WRITTEN[4]["private"]["line"])
    for format, alg in [("cose-key", None), ("cose-key", "HPKE-0"), ("cose-key", "x"), ("der", "HPKE-9"), ("pem", None)]:
        with pytest.raises(PqsealError) as failed:
            key.export_binary(format, alg=alg)
        assert failed.value.code == "bad_argument"


def test_a_public_key_goes_wherever_its_bytes_do() -> None:
    suite = Suite("mlkem768-x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    key = private.to_public()
    assert bytes(key) == public and key == PublicKey.deserialize("X-Wing", public)
    for to in (key, public, bytearray(public)):
        enc, ct = suite.seal(to, b"x")
        assert suite.open(enc, private, ct) == b"x"
        enc, context = suite.setup_sender(to)
        assert suite.setup_recipient(enc, private).open(context.seal(b"y")) == b"y"
        assert len(suite.seal_batch(to, [(b"", b"x")])) == 1
    ring = pqseal.KeyRing(private.export("line"))
    for recipient in (key, key.export(), key.export("jwk"), key.export("line").encode()):
        assert pqseal.open(ring, pqseal.seal(recipient, b"x")) == b"x"
    with pytest.raises(PqsealError) as failed:
        Suite("p256", 1, 1).seal(key, b"x")
    assert failed.value.code == "key_mismatch"
    sender, sender_public = Suite("p256", 1, 1).generate_key_pair()
    enc, ct = Suite("p256", 1, 1).seal(sender_public, b"x", sender_key=sender)
    assert Suite("p256", 1, 1).open(enc, sender, ct, sender_public_key=sender.to_public()) == b"x"


def test_a_sealed_message_comes_with_its_number() -> None:
    """Threads that share a context learn which number their message got."""
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public)
    recipient = suite.setup_recipient(enc, private)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        sealed = list(pool.map(lambda n: (n, *sender.seal_with_sequence(b"%d" % n, aad=b"a")), range(2000)))
    assert sorted(sequence for _, sequence, _ in sealed) == list(range(2000))
    for n, sequence, ct in sealed:
        assert recipient.open_at(sequence, ct, aad=b"a") == b"%d" % n
