"""pqseal.hpke: the RFC's vectors, every mode, contexts, exports and batches."""

from __future__ import annotations

import doctest
import itertools
import json
import os
import pickle
import threading

import pqseal.hpke
import pytest
from conftest import ROOT
from pqseal.hpke import PqsealError, PrivateKey, RecipientContext, Suite

PSK = {"psk": bytes(range(32)), "psk_id": b"id"}
EXPORT_ONLY = 0xFFFF
X448 = 0x0021


def vectors(name: str) -> list[dict]:
    entries = json.loads((ROOT / "test-vectors" / "data" / f"{name}.json").read_text())["entries"]
    return [{k: bytes.fromhex(v) if isinstance(v, str) and k != "title" else v for k, v in entry.items()} for entry in entries]


def recipient(vector: dict, suite: Suite) -> RecipientContext:
    key = PrivateKey.deserialize(vector["kem_id"], vector["sk_r"])
    assert key.public_key == vector["pk_r"]
    given = {"psk": vector.get("psk"), "psk_id": vector.get("psk_id"), "sender_public_key": vector.get("pk_s")}
    return suite.setup_recipient(vector["enc"], key, info=vector["info"], **given)


@pytest.mark.parametrize(("name", "count"), [("rfc9180", 128), ("hpke-pq", 13)])
def test_published_vectors(name: str, count: int) -> None:
    encryptions = exports = 0
    entries = vectors(name)
    for vector in entries:
        suite = Suite(vector["kem_id"], vector["kdf_id"], vector["aead_id"])
        assert suite.ids == (vector["kem_id"], vector["kdf_id"], vector["aead_id"])
        private, public = suite.derive_key_pair(vector["ikm_r"])
        assert public == vector["pk_r"]
        # The draft writes its X448 key clamped.
        assert private.serialize() == vector["sk_r"] or vector["kem_id"] == X448
        context = recipient(vector, suite)
        for sealed in vector["encryptions"]:
            aad, ct, pt = (bytes.fromhex(sealed[part]) for part in ("aad", "ct", "pt"))
            assert context.sequence == sealed["seq"]
            assert context.open_at(sealed["seq"], ct, aad=aad) == pt
            assert context.open(ct, aad=aad) == pt
            encryptions += 1
        for export in vector["exports"]:
            value = context.export(bytes.fromhex(export["exporter_context"]), export["length"])
            assert value.hex() == export["exported_value"]
            exports += 1
    assert len(entries) == count and exports >= count and encryptions >= count


SUITES = [
    (kem, kdf, aead)
    for kem, kdf, aead in [
        ("p256", "HKDF-SHA256", "AES-128-GCM"),
        ("p384", "HKDF-SHA384", "AES-256-GCM"),
        ("p521", "HKDF-SHA512", "AES-256-GCM"),
        ("x25519", "HKDF-SHA256", "ChaCha20Poly1305"),
        ("x448", "HKDF-SHA512", "ChaCha20Poly1305"),
        ("mlkem512", "SHAKE256", "AES-256-GCM"),
        ("mlkem768", "SHAKE256", "AES-256-GCM"),
        ("mlkem1024", "SHAKE256", "AES-256-GCM"),
        ("mlkem768-p256", "SHAKE256", "AES-256-GCM"),
        ("mlkem768-x25519", "TurboSHAKE128", "AES-256-GCM"),
        ("mlkem1024-p384", "SHAKE128", "AES-256-GCM"),
    ]
]


@pytest.mark.parametrize("names", SUITES)
def test_every_mode_of_every_kem(names: tuple[str, str, str]) -> None:
    suite = Suite(*names)
    private, public = suite.generate_key_pair()
    sender_private, sender_public = suite.generate_key_pair()
    assert (private.public_key, private.kem) == (public, names[0])
    authenticated = names[0] in ("p256", "p384", "p521", "x25519", "x448")
    for psk in ({}, PSK):
        enc, ct = suite.seal(public, b"message", info=b"app", aad=b"aad", **psk)
        assert suite.open(enc, private, ct, info=b"app", aad=b"aad", **psk) == b"message"
        with pytest.raises(PqsealError) as failed:
            suite.open(enc, private, ct, info=b"app", aad=b"other", **psk)
        assert failed.value.code == "open"
        if authenticated:
            enc, ct = suite.seal(public, b"message", sender_key=sender_private, **psk)
            assert suite.open(enc, private, ct, sender_public_key=sender_public, **psk) == b"message"
            with pytest.raises(PqsealError):
                suite.open(enc, private, ct, sender_public_key=public, **psk)
        else:
            with pytest.raises(PqsealError, match="no authenticated mode"):
                suite.seal(public, b"message", sender_key=sender_private, **psk)


def test_contexts_keep_their_sequence() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public, info=b"app", **PSK)
    receiver = suite.setup_recipient(enc, private, info=b"app", **PSK)
    first, second = sender.seal(b"one"), sender.seal(bytearray(b"two"), aad=b"aad")
    assert sender.sequence == 2
    with pytest.raises(PqsealError):
        receiver.open(second, aad=b"aad")
    assert receiver.open_at(1, second, aad=b"aad") == b"two"
    assert [receiver.open(first), receiver.open(second, aad=b"aad"), receiver.sequence] == [b"one", b"two", 2]
    assert sender.export(b"x", 64) == receiver.export(b"x", 64) != receiver.export(b"y", 64)
    with pytest.raises(PqsealError):
        sender.export(b"x", 255 * 32 + 1)
    assert suite.setup_recipient(enc, private, info=b"other", **PSK).export(b"x", 64) != sender.export(b"x", 64)


def test_export_only() -> None:
    suite = Suite("x25519", "HKDF-SHA256", EXPORT_ONLY)
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public)
    assert len(sender.export(b"", 32)) == 32
    with pytest.raises(PqsealError, match="export-only"):
        sender.seal(b"message")


def test_64_threads_share_a_context() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public)
    receiver = suite.setup_recipient(enc, private)
    secret = receiver.export(b"x", 32)
    threads, rounds = 64, 20
    start = threading.Barrier(threads)
    # A thread's messages are in the sequence in their order, so that one walk through it finds all
    # of them.
    found: list[list[int]] = [[] for _ in range(threads)]
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            start.wait()
            sealed = []
            for number in range(rounds):
                sealed.append(sender.seal(b"%d %d" % (thread, number)))
                assert sender.export(b"x", 32) == secret
            start.wait()
            for sequence in range(threads * rounds):
                number = len(found[thread])
                if number == rounds:
                    break
                try:
                    assert receiver.open_at(sequence, sealed[number]) == b"%d %d" % (thread, number)
                except PqsealError as error:
                    assert error.code == "open"
                else:
                    found[thread].append(sequence)
        except BaseException as error:
            failures.append(error)
            start.abort()

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert failures == []
    assert sorted(sum(found, [])) == list(range(threads * rounds))
    assert (sender.sequence, receiver.sequence) == (threads * rounds, 0)


def test_sequence_numbers_at_their_limit() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public)
    receiver, ct = suite.setup_recipient(enc, private), sender.seal(b"x")
    for sequence, code in ((2**64 - 2, "open"), (2**64 - 1, "message_limit_reached")):
        with pytest.raises(PqsealError) as failed:
            receiver.open_at(sequence, ct)
        assert failed.value.code == code
    for sequence, kind in ((2**64, OverflowError), (2**64 + 1, OverflowError), (-1, OverflowError), (0.0, TypeError)):
        with pytest.raises(kind):
            receiver.open_at(sequence, ct)  # type: ignore[arg-type]
    assert receiver.open_at(0, ct) == b"x"


@pytest.mark.parametrize(("kdf", "most"), [("HKDF-SHA256", 255 * 32), ("HKDF-SHA384", 255 * 48), ("HKDF-SHA512", 255 * 64), ("SHAKE256", 65535)])
def test_lengths_of_exports(kdf: str, most: int) -> None:
    suite = Suite("x25519", kdf, "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, sender = suite.setup_sender(public)
    receiver = suite.setup_recipient(enc, private)
    for length in (0, 1, most):
        assert sender.export(b"x", length) == receiver.export(b"x", length)
        assert len(sender.export(b"x", length)) == length
    for context in (sender, receiver):
        for length in (most + 1, 65536, 2**32):
            with pytest.raises(PqsealError) as failed:
                context.export(b"x", length)
            assert failed.value.code == "export_too_long"
        for length, kind in ((-1, OverflowError), (2**64, OverflowError), (1.5, TypeError)):
            with pytest.raises(kind):
                context.export(b"x", length)  # type: ignore[arg-type]


def test_an_empty_psk_or_id_is_not_a_missing_one() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    private, public = suite.generate_key_pair()
    enc, ct = suite.seal(public, b"x")
    given = {"psk": (None, b"", PSK["psk"]), "psk_id": (None, b"", PSK["psk_id"])}
    for psk, psk_id in itertools.product(given["psk"], given["psk_id"]):
        if bool(psk) == bool(psk_id) and b"" not in (psk, psk_id):
            continue
        for auth in (False, True):
            to = {"psk": psk, "psk_id": psk_id, **({"sender_key": private} if auth else {})}
            of = {"psk": psk, "psk_id": psk_id, **({"sender_public_key": public} if auth else {})}
            for wrong in (
                lambda: suite.seal(public, b"x", **to),
                lambda: suite.setup_sender(public, **to),
                lambda: suite.seal_batch(public, [(b"", b"x")], **to),
                lambda: suite.open(enc, private, ct, **of),
                lambda: suite.setup_recipient(enc, private, **of),
                lambda: suite.open_batch(private, [(enc, b"", ct)], **of),
            ):
                with pytest.raises(PqsealError) as failed:
                    wrong()
                assert failed.value.code == "invalid_psk"


@pytest.mark.parametrize("names", SUITES)
def test_sizes_that_are_off_by_one(names: tuple[str, str, str]) -> None:
    suite = Suite(*names)
    private, public = suite.generate_key_pair()
    enc, ct = suite.seal(public, b"x")
    off = lambda value: (value[1:], value + b"\0")  # noqa: E731
    refused = [lambda value=value: suite.open(value, private, ct) for value in off(enc)]
    refused += [lambda value=value: suite.setup_recipient(value, private) for value in off(enc)]
    refused += [lambda value=value: suite.seal(value, b"x") for value in off(public)]
    refused += [lambda value=value: PrivateKey.deserialize(names[0], value) for value in off(private.serialize())]
    for wrong in refused:
        with pytest.raises(PqsealError) as failed:
            wrong()
        assert failed.value.code == "deserialize"


def test_batches() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "ChaCha20Poly1305")
    private, public = suite.generate_key_pair()
    messages = [(b"aad %d" % n, b"message %d" % n) for n in range(330)]
    sealed = suite.seal_batch(public, messages, info=b"app")
    batch = [(enc, aad, ct) for (enc, ct), (aad, _) in zip(sealed, messages, strict=True)]
    batch[7] = (batch[7][0], b"other", batch[7][2])
    batch[8] = (b"short", b"", b"")
    opened = suite.open_batch(private, batch, info=b"app")
    for n, answer in enumerate(opened):
        if n in (7, 8):
            assert isinstance(answer, PqsealError) and answer.code
        else:
            assert answer == messages[n][1]
    assert suite.open_batch(private, []) == []


def test_wrong_arguments() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "ChaCha20Poly1305")
    private, public = suite.generate_key_pair()
    for wrong in (
        lambda: Suite("x25519", "HKDF-SHA257", "ChaCha20Poly1305"),
        lambda: Suite(0x7777, 1, 1),
        lambda: Suite("mlkem768", "SHAKE256", "AES-256-GCM", policy="standard"),
        lambda: suite.seal(public[:-1], b""),
        lambda: suite.seal(public, b"", psk=bytes(32)),
        lambda: suite.seal(public, b"", psk_id=b"id"),
        lambda: suite.seal(public, b"", psk=bytes(31), psk_id=b"id"),
        lambda: suite.open(public, Suite("p256", 1, 1).generate_key_pair()[0], b""),
        lambda: PrivateKey.deserialize("x25519", b"short"),
        lambda: PrivateKey.parse("no key"),
    ):
        with pytest.raises(PqsealError) as failed:
            wrong()
        assert failed.value.code


def test_private_keys_are_not_shown() -> None:
    private, public = Suite("x25519", 1, 3).generate_key_pair()
    assert private.serialize().hex() not in repr(private)
    with pytest.raises(TypeError):
        pickle.dumps(private)
    assert PrivateKey.parse(private.export("pem")).public_key == public


def test_the_example_of_the_module() -> None:
    assert doctest.testmod(pqseal.hpke) == doctest.TestResults(failed=0, attempted=5)


def test_a_forked_process_does_not_use_the_same_nonces() -> None:
    suite = Suite("x25519", "HKDF-SHA256", "AES-128-GCM")
    _, context = suite.setup_sender(suite.generate_key_pair()[1])
    child = os.fork()
    if child == 0:
        try:
            context.seal(b"text")
        except PqsealError as error:
            os._exit(0 if "another process" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(context.seal(b"text")) == 20
