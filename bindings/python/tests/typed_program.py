"""A program as users write it. mypy and pyright accept it in strict mode, with the expected errors. It is never run."""

from __future__ import annotations

import io
from typing import BinaryIO

import pqseal
from pqseal import files, hpke
from pqseal import open as open_blob


def one_blob(path: str) -> bytes:
    pair = pqseal.generate_key_pair("x25519", format="pem")
    ring = pqseal.KeyRing(pair.export_private_key(), min_version=3)
    ring.add_file(path)
    blob: str = pqseal.seal(pair.public_key, b"text", version=4, info=b"app", policy="draft")
    version: int = pqseal.inspect(blob)["version"]
    key: str = pqseal.public_key(b"key", kem="x25519", format="pem", raw="public")
    names: list[str | None] = ring.labels
    try:
        return open_blob(ring, blob) + pqseal.open(ring, blob, info=b"app")
    except pqseal.PqsealError as error:
        print(version, key, names, error.code == "altered")
        raise


def contexts(suite: hpke.Suite) -> int:
    private_key, public_key = suite.generate_key_pair()
    enc, ciphertext = suite.seal(public_key, b"message", info=b"app")
    plaintext: bytes = suite.open(enc, private_key, ciphertext, info=b"app")
    enc, sender = suite.setup_sender(public_key, psk=bytes(32), psk_id=b"id")
    recipient: hpke.RecipientContext = suite.setup_recipient(enc, private_key, psk=bytes(32), psk_id=b"id")
    for result in suite.open_batch(private_key, [(enc, b"", sender.seal(plaintext))]):
        if isinstance(result, hpke.PqsealError):
            print(result.code)
        else:
            print(result.decode())
    return recipient.sequence


def file(source: BinaryIO) -> bytes:
    identity = files.Identity.generate()
    target = io.BytesIO()
    with files.Writer(target, [identity.recipient], armor=True) as writer:
        writer.write(source.read())
    with files.open(target, [identity]) as reader:
        return reader.read()


def wrong(suite: hpke.Suite, ring: pqseal.KeyRing) -> None:
    suite.seal("key", b"message")  # type: ignore[arg-type]
    suite.open(b"", b"key", b"")  # type: ignore[arg-type]
    pqseal.open(ring, b"", policy="all")  # type: ignore[arg-type]
    pqseal.KeyRing(min_version=5)  # type: ignore[arg-type]
    pqseal.seal("key", "text")  # type: ignore[arg-type]
    pqseal.inspect(b"")["versions"]  # type: ignore[typeddict-item]
    hpke.Suite("x25519", 1)  # type: ignore[call-arg]
