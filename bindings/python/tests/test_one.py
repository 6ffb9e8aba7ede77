"""One blob, keys and errors."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import subprocess
import sys

import pqseal
import pytest

from conftest import PLAINTEXT, ROOT
from pqseal.files import Recipient

VECTORS = json.loads((ROOT / "test-vectors/data/matched-data.json").read_text())


def code(call: object, *arguments: object, **options: object) -> str:
    with pytest.raises(pqseal.PqsealError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    assert str(caught.value)
    return caught.value.code


def test_the_published_blob_opens(ring: pqseal.KeyRing, blob: str) -> None:
    assert pqseal.open(ring, blob) == PLAINTEXT
    assert pqseal.open(ring, f"\n {blob[:50]}\r\n{blob[50:]} ".encode()) == PLAINTEXT


def import_with_backend(name: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PQSEAL_BACKEND": name}
    command = [sys.executable, "-P", "-c", "import pqseal"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_environment_names_a_back_end_or_the_import_fails() -> None:
    assert import_with_backend("portable").returncode == 0
    unknown = import_with_backend("cray")
    assert unknown.returncode == 1
    assert 'ImportError: PQSEAL_BACKEND: there is no back end "cray"; this machine has portable' in unknown.stderr


def test_a_blob_opens_as_its_bytes(ring: pqseal.KeyRing, blob: str) -> None:
    import base64

    assert pqseal.open(ring, base64.b64decode(blob)) == PLAINTEXT


@pytest.mark.parametrize("kem", [None, "x25519", "p256", "mlkem768", "mlkem768-x25519"])
def test_what_is_sealed_opens(kem: str | None) -> None:
    pair = pqseal.generate_key_pair(kem)
    ring = pqseal.KeyRing(pair.export_private_key())
    assert pqseal.public_key(pair.export_private_key()) == pair.public_key
    # A public key stays what it is.
    assert pqseal.public_key(pair.public_key, raw="public") == pair.public_key
    assert ring.key_ids == [pair.key_id]
    assert pqseal.open(ring, pqseal.seal(pair.public_key, b"\x00\xff")) == b"\x00\xff"
    blob = pqseal.seal(pair.public_key, b"x", info=b"zone", aad=b"event", aead="AES-256-GCM")
    assert pqseal.open(ring, blob, info=b"zone", aad=b"event") == b"x"
    assert code(pqseal.open, ring, blob, info=b"zone") == "altered"
    assert code(pqseal.open, ring, blob, aad=b"event") == "altered"


def test_x25519_gets_version_3_unless_more_is_asked_for() -> None:
    public = pqseal.generate_key_pair("x25519").public_key
    assert pqseal.inspect(pqseal.seal(public, b"12345"))["version"] == 3
    facts = pqseal.inspect(pqseal.seal(public, b"12345", aad=b"1"))
    assert facts == {
        "version": 4,
        "specification": "RFC 9180",
        "kem": "x25519",
        "kdf": "HKDF-SHA256",
        "aead": "ChaCha20Poly1305",
        "key_id": facts["key_id"],
        "blob_length": 15 + 32 + 5 + 16,
        "plaintext_length": 5,
        "trailing_length": 0,
    }
    assert code(pqseal.seal, public, b"", version=3, aad=b"1") == "bad_argument"
    assert code(pqseal.seal, public, b"", version=5) == "bad_argument"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("truncated\n", "truncated"),
        ("!", "bad_base64"),
        ("CQ==", "unsupported_version"),
        ("AwAA", "bad_length"),
        (b"\x03\x00", "bad_length"),
    ],
)
def test_bad_blobs_have_codes(ring: pqseal.KeyRing, text: str | bytes, expected: str) -> None:
    assert code(pqseal.open, ring, text) == expected


def test_other_failures_have_codes(ring: pqseal.KeyRing, blob: str) -> None:
    other = pqseal.KeyRing(pqseal.generate_key_pair("x25519").export_private_key())
    hybrid = pqseal.generate_key_pair()
    assert code(pqseal.open, other, blob) == "no_key_matched"
    assert code(pqseal.open, pqseal.KeyRing(hybrid.export_private_key()), blob) == "wrong_kem"
    assert code(pqseal.open, ring, pqseal.seal(hybrid.public_key, b"")) == "no_key_with_id"
    assert code(pqseal.open, ring, blob, policy="any") == "bad_argument"
    assert code(pqseal.generate_key_pair, "sike") == "refused_kem"
    assert code(pqseal.generate_key_pair, "rsa") == "bad_argument"
    assert code(pqseal.generate_key_pair, "mlkem768-x25519", format="pem") == "bad_argument"
    assert code(pqseal.KeyRing, hybrid.public_key) == "bad_key"
    assert code(pqseal.seal, "no key", b"") == "bad_key"


def test_a_policy_refuses_drafts() -> None:
    pair = pqseal.generate_key_pair()
    ring, blob = pqseal.KeyRing(pair.export_private_key()), pqseal.seal(pair.public_key, b"")
    assert code(pqseal.open, ring, blob, policy="standard") == "unsupported_suite"


def test_an_experimental_kem_needs_the_policy() -> None:
    for policy in ({}, {"policy": "standard"}, {"policy": "draft"}):
        assert code(pqseal.generate_key_pair, "x25519-bike-l1", **policy) == "unsupported_suite"
    pair = pqseal.generate_key_pair("x25519-bike-l1", policy="experimental")
    ring = pqseal.KeyRing(pair.export_private_key())
    blob = pqseal.seal(pair.public_key, b"one", policy="experimental")
    assert pqseal.open(ring, blob, policy="experimental") == b"one"
    for policy in ({}, {"policy": "standard"}, {"policy": "draft"}):
        assert code(pqseal.seal, pair.public_key, b"one", **policy) == "unsupported_suite"
    assert code(pqseal.generate_key_pair, policy="any") == "bad_argument"
    assert code(pqseal.seal, pair.public_key, b"one", policy="any") == "bad_argument"


def test_a_ring_refuses_earlier_versions(ring: pqseal.KeyRing, blob: str) -> None:
    pair = pqseal.generate_key_pair("x25519")
    sealed = {version: pqseal.seal(pair.public_key, b"one", version=version) for version in (3, 4)}
    for minimum in (1, 2, 3, 4):
        for version, text in sealed.items():
            strict = pqseal.KeyRing(pair.export_private_key(), min_version=minimum)
            if version < minimum:
                assert code(pqseal.open, strict, text) == "version_refused"
            else:
                assert pqseal.open(strict, text) == b"one"
    for minimum in (0, 5):
        assert code(pqseal.KeyRing, min_version=minimum) == "bad_argument"
        assert code(pqseal.KeyRing.from_files, min_version=minimum) == "bad_argument"


def test_wrong_types_are_type_errors(ring: pqseal.KeyRing, blob: str) -> None:
    for wrong in (lambda: pqseal.open(ring, 5), lambda: pqseal.open("key", blob), lambda: pqseal.KeyRing(5)):  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            wrong()


def test_key_files(tmp_path: pathlib.Path, key_file: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="cannot read the key file"):
        pqseal.KeyRing.from_files(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        pqseal.KeyRing.from_files(tmp_path)
    large = tmp_path / "large"
    large.write_bytes(b"A" * 70_000)
    with pytest.raises(pqseal.PqsealError, match="64 KiB"):
        pqseal.KeyRing.from_files(large)
    large.write_text("no key")
    with pytest.raises(pqseal.PqsealError, match="large: "):
        pqseal.KeyRing.from_files(large)
    pem = tmp_path / "key.pem"
    pem.write_text(pqseal.generate_key_pair("p256").export_private_key())
    ring = pqseal.KeyRing.from_files(key_file, str(pem))
    ring.add(pqseal.generate_key_pair().export_private_key().encode())
    ring.add_file(key_file)
    assert len(ring) == 4 and len(set(ring.key_ids)) == 3


def test_key_files_of_several_keys(tmp_path: pathlib.Path, ring: pqseal.KeyRing, blob: str, key_file: pathlib.Path) -> None:
    other = [pqseal.generate_key_pair("x25519", format="json"), pqseal.generate_key_pair()]
    several = tmp_path / "ring"
    several.write_text(f"# zone a\n{other[0].export_private_key()}\n{other[1].export_private_key()}\n{key_file.read_text().strip()} # zone b\n")
    found = pqseal.KeyRing.from_files(several)
    assert found.key_ids == [other[0].key_id, other[1].key_id, *ring.key_ids]
    assert found.labels == ["zone a", None, "zone b"]
    assert pqseal.open(found, blob) == pqseal.open(ring, blob)
    several.write_text(f"{key_file.read_text()}# zone b\nAAAA\n")
    with pytest.raises(pqseal.PqsealError, match="ring: line 3: a key of x25519 has 32 bytes"):
        found.add_file(several)
    assert len(found) == 3


def test_forms_of_keys() -> None:
    for form in ("raw", "json", "pem", "jwk", "line"):
        pair = pqseal.generate_key_pair("x25519", format=form)  # type: ignore[arg-type]
        assert pqseal.KeyRing(pair.export_private_key()).key_ids == [pair.key_id]
    raw = pqseal.generate_key_pair("x448", format="raw")
    assert pqseal.public_key(raw.export_private_key(), kem="x448", raw="private") == raw.public_key


@pytest.mark.parametrize("kem", ["x25519", "x448", "p256", "mlkem768", "mlkem768-x25519"])
def test_a_raw_key_has_to_say_which_half_it_is(kem: str) -> None:
    """A public key that is read as a private key gives the public key of a key pair that everyone knows."""
    pair = pqseal.generate_key_pair(kem, format="raw")
    private, line = pair.export_private_key(), pqseal.public_key(pair.export_private_key(), kem=kem, raw="private", format="line")
    public = pqseal.public_key(line, format="raw")
    for text in (private, public, private.encode(), public.encode()):
        for format in ("line", "raw"):
            with pytest.raises(pqseal.PqsealError, match='raw="private" or raw="public"') as failed:
                pqseal.public_key(text, kem=kem, format=format)
            assert failed.value.code == "bad_argument"
    for text in (public, public.encode()):
        assert pqseal.public_key(text, kem=kem, raw="public", format="line") == line
    assert code(pqseal.public_key, private, kem=kem, raw="half") == "bad_argument"
    # Other formats say it themselves.
    assert pqseal.public_key(f"# for dashboards: {public}\n{line}\n") == pqseal.public_key(line)


def test_what_keygen_writes_is_read() -> None:
    """A comment with the base64 above the line."""
    pair = pqseal.generate_key_pair("x25519")
    text = f"# for dashboards: {pair.public_key}\n{pqseal.public_key(pair.export_private_key(), format='line')}\n"
    ring = pqseal.KeyRing(pair.export_private_key())
    assert pqseal.open(ring, pqseal.seal(text, b"x")) == b"x"
    assert str(Recipient(text)).startswith("age1")
    assert code(pqseal.KeyRing, text) == "bad_key"


def test_keys_are_not_shown_and_do_not_travel() -> None:
    pair = pqseal.generate_key_pair("x25519", format="raw")
    ring = pqseal.KeyRing(pair.export_private_key())
    assert repr(pair) == f"<pqseal.KeyPair {pair.key_id}>"
    assert repr(ring) == str(ring) == f"<pqseal.KeyRing [{pair.key_id}]>"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="path of the key file"):
            pickle.dumps(ring, protocol)
    with pytest.raises(TypeError):
        pickle.dumps(pair)


@pytest.mark.parametrize("vector", VECTORS["entries"], ids=lambda entry: entry["name"])
def test_every_known_blob(vector: dict[str, str]) -> None:
    ring = pqseal.KeyRing(vector["private_key"])
    assert pqseal.open(ring, vector["blob"]).hex() == vector["plaintext_hex"]
