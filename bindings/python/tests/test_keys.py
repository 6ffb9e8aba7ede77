"""Names of algorithms and public keys, the same as in every other language; numbers of messages."""

from __future__ import annotations

import array
import concurrent.futures
import json
import pathlib
import subprocess

import numpy as np
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
    for format in ("der", "cose-key"):
        blob = pqseal.seal(sender.to_public().export_binary(format), b"x")
        assert pqseal.open(pqseal.KeyRing(sender.export_binary(format)), blob) == b"x"


def test_any_buffer_is_taken_where_bytes_are() -> None:
    """The peers of pyca take the same."""
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    for make in (bytearray, memoryview, lambda b: array.array("B", b), lambda b: memoryview(b"".join(b"%c_" % c for c in b))[::2]):
        enc, ct = suite.seal(make(public), make(b"text"), info=make(b"i"), aad=make(b"a"))
        assert suite.open(make(enc), private, make(ct), info=b"i", aad=b"a") == b"text"
        enc, sender = suite.setup_sender(public, psk=make(bytes(32)), psk_id=make(b"id"))
        recipient = suite.setup_recipient(make(enc), private, psk=bytes(32), psk_id=b"id")
        assert recipient.open(make(sender.seal(make(b"text")))) == b"text"
        assert suite.open_batch(private, [(make(enc), make(b"a"), make(ct)) for enc, ct in suite.seal_batch(public, [(make(b"a"), make(b"x"))])]) == [b"x"]
        key = PrivateKey.parse(make(private.export("pem").encode()))
        assert key == private == PrivateKey.deserialize("x25519", make(private.serialize()))
        ring = pqseal.KeyRing(make(private.export("pem").encode()))
        blob = pqseal.seal(make(private.to_public().export("pem").encode()), make(b"text"), info=make(b"i"), aad=make(b"a"))
        assert pqseal.open(ring, make(blob.encode()), info=make(b"i"), aad=make(b"a")) == b"text"
    with pytest.raises(TypeError, match="bytes-like"):
        suite.seal(public, "text")  # type: ignore[arg-type]
    # Their bytes would be numbers in the machine's order, addresses of objects, and joined texts.
    for wrong in (array.array("Q", [1]), np.array(["text"], dtype=object), np.array([b"id1", b"id2"])):
        with pytest.raises(TypeError, match="the items of this buffer have the format"):
            suite.seal(public, wrong)
        with pytest.raises(TypeError):
            pqseal.KeyRing(wrong)
        with pytest.raises(TypeError):
            pqseal.seal(private.to_public(), b"text", aad=wrong)


def test_keys_under_a_passphrase(tmp_path: pathlib.Path) -> None:
    private, public = Suite("p256", "HKDF-SHA256", "AES-128-GCM").generate_key_pair()
    with pytest.raises(PqsealError, match="the passphrase is empty"):
        private.export("pem", passphrase="")
    pem = private.export("pem", passphrase="correct horse")
    assert pem.startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----") and pem.endswith("-----\n")
    assert PrivateKey.parse(pem, passphrase="correct horse") == private
    openssl = subprocess.run(["openssl", "pkey", "-passin", "pass:correct horse"], input=pem, capture_output=True, text=True, check=True)
    assert PrivateKey.parse(openssl.stdout) == private
    file = tmp_path / "key.pem"
    file.write_text("# zone a\n" + pem)
    ring = pqseal.KeyRing.from_files(file, passphrase="correct horse")
    ring.add(pem, passphrase="correct horse")
    ring.add_file(file, passphrase="correct horse")
    assert ring.labels == ["zone a", None, "zone a"] and len(set(ring.key_ids)) == 1
    assert pqseal.open(ring, pqseal.seal(private.to_public(), b"x")) == b"x"
    codes = {"wrong": "wrong_passphrase", None: "bad_key"}
    for passphrase, code in codes.items():
        for read in (PrivateKey.parse, pqseal.KeyRing().add):
            with pytest.raises(PqsealError) as failed:
                read(pem, passphrase=passphrase)
            assert failed.value.code == code
        with pytest.raises(PqsealError, match="cannot use the key in") as failed:
            pqseal.KeyRing.from_files(file, passphrase=passphrase)
        assert failed.value.code == code
    with pytest.raises(PqsealError) as failed:
        PrivateKey.parse(private.export("pem"), passphrase="correct horse")
    assert failed.value.code == "bad_key"
    with pytest.raises(PqsealError) as failed:
        private.export("jwk", passphrase="correct horse")
    assert failed.value.code == "bad_argument"


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
