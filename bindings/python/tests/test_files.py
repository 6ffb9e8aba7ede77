"""pqseal.files: round trips, the test kit of age, file objects of every sort, damaged and refused files."""

from __future__ import annotations

import base64
import doctest
import gzip
import hashlib
import hmac
import io
import json
import os
import pathlib
import pickle
import signal
import subprocess
import tarfile
import threading
import zipfile
import zlib

import pqseal.files
import pytest
from conftest import ROOT
from pqseal import hpke
from pqseal.files import Identity, PqsealError, Recipient, Writer

CHUNK = 65_536
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7, 3_000_000]
FORMATS = ["age", "cobblestone", "cobblestone-128"]
AGE = ROOT / "dev" / "interop" / ".build" / "age-peer"


def text(size: int) -> bytes:
    return (bytes(range(251)) * (size // 251 + 1))[:size]


def sealed(plaintext: bytes, *recipients: Recipient | str, **options: object) -> bytes:
    target = io.BytesIO()
    pqseal.files.encrypt(io.BytesIO(plaintext), target, recipients, **options)  # type: ignore[arg-type]
    return target.getvalue()


def opened(file: bytes, *identities: Identity | str, **options: object) -> bytes:
    target = io.BytesIO()
    pqseal.files.decrypt(io.BytesIO(file), target, identities, **options)  # type: ignore[arg-type]
    return target.getvalue()


def code(file: bytes, *identities: Identity | str) -> str:
    with pytest.raises(PqsealError) as failed:
        opened(file, *identities)
    return failed.value.code


@pytest.fixture(scope="module")
def identity() -> Identity:
    return Identity.generate()


@pytest.mark.parametrize("kem", [None, "x25519", "p256", "mlkem1024-p384"])
@pytest.mark.parametrize("format", FORMATS)
def test_keys_round_trip_as_objects_and_as_text(kem: str | None, format: str) -> None:
    identity = Identity.generate(kem)
    for recipient in (identity.recipient, str(identity.recipient)):
        file = sealed(b"text", recipient, format=format)
        assert opened(file, identity) == opened(file, identity.export()) == b"text"
    assert identity.export() not in repr(identity)
    assert code(file, Identity.generate(kem)) == "no_matching_key"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("size", SIZES)
def test_sizes_threads_and_readers(identity: Identity, size: int, format: str) -> None:
    plaintext = text(size)
    for threads in (1, 3):
        file = sealed(plaintext, identity.recipient, threads=threads, format=format)
        assert opened(file, identity, threads=threads) == plaintext
    assert pqseal.files.inspect(io.BytesIO(file))["plaintext_bytes"] == size
    with pqseal.files.open(io.BytesIO(file), [identity]) as reader:
        assert reader.read() == plaintext
        for place in (0, size // 2, max(size - 100, 0), size):
            assert reader.seek(place) == reader.tell() == place
            assert reader.read(70_000) == plaintext[place : place + 70_000]
        buffer = bytearray(size // 2)
        reader.seek(-len(buffer), io.SEEK_END)
        assert reader.readinto(buffer) == len(buffer) and buffer == plaintext[size - len(buffer) :]
    target = io.BytesIO()
    with Writer(target, [identity.recipient], format=format) as writer:  # type: ignore[arg-type]
        for start in range(0, size, 50_000):
            writer.write(memoryview(plaintext)[start : start + 50_000])
    assert opened(target.getvalue(), identity) == plaintext


def test_armor(identity: Identity) -> None:
    file = sealed(text(200_000), identity.recipient, armor=True)
    assert file.startswith(b"-----BEGIN AGE ENCRYPTED FILE-----\n")
    assert opened(file, identity) == text(200_000)
    assert pqseal.files.inspect(io.BytesIO(file))["armored"]
    reader = pqseal.files.open(io.BytesIO(file), [identity])
    assert not reader.seekable() and reader.read() == text(200_000)
    with pytest.raises(io.UnsupportedOperation):
        reader.seek(0)
    target = io.BytesIO()
    with Writer(target, [identity.recipient], armor=True) as writer:
        writer.write(b"text")
    assert target.getvalue().endswith(b"-----END AGE ENCRYPTED FILE-----\n")
    assert opened(target.getvalue(), identity) == b"text"
    assert opened(b"\n" + target.getvalue().replace(b"\n", b"\r\n"), identity) == b"text"


def test_files_pipes_and_libraries_over_them(identity: Identity, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "archive.zip.age"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("one", text(300_000))
        made.writestr("two", b"2")
    with open(path, "wb") as target:
        pqseal.files.encrypt(io.BytesIO(archive.getvalue()), target, [identity.recipient])
    with open(path, "rb") as source, zipfile.ZipFile(pqseal.files.open(source, [identity])) as found:
        assert (found.read("two"), found.read("one")) == (b"2", text(300_000))

    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as target:
        work = threading.Thread(target=lambda: (tar(target, identity), target.close()))
        work.start()
        with tarfile.open(fileobj=pqseal.files.open(source, [identity]), mode="r|") as found:
            assert [member.name for member in found] == ["one"]
        work.join()

    lines = io.BytesIO()
    with Writer(lines, [identity.recipient]) as writer, io.TextIOWrapper(writer) as words:
        words.write("first\nsecond\n")
    lines.seek(0)
    assert list(io.TextIOWrapper(pqseal.files.open(lines, [identity]))) == ["first\n", "second\n"]
    packed = io.BytesIO(sealed(gzip.compress(text(10_000)), identity.recipient))
    assert gzip.GzipFile(fileobj=pqseal.files.open(packed, [identity])).read() == text(10_000)


def tar(target: io.BufferedWriter, identity: Identity) -> None:
    with Writer(target, [identity.recipient]) as writer, tarfile.open(fileobj=writer, mode="w|") as made:
        member = tarfile.TarInfo("one")
        member.size = 200_000
        made.addfile(member, io.BytesIO(text(200_000)))


def test_ages_library_opens_ours_and_we_open_its(identity: Identity) -> None:
    assert AGE.exists(), "this test needs age's library in Go; run: dev/interop/setup.sh age"
    for size in SIZES[:-1]:
        command = [AGE, "decrypt", identity.export()]
        file = sealed(text(size), identity.recipient)
        assert subprocess.run(command, input=file, capture_output=True, check=True).stdout == text(size)
        made = json.loads(subprocess.run([AGE, "encrypt"], input=text(size), capture_output=True, check=True).stdout)
        assert opened(base64.b64decode(made["file"]), made["identity"]) == text(size)


def test_passphrases() -> None:
    file = sealed(b"text", Recipient.passphrase("correct horse", work=4))
    assert opened(file, Identity.passphrase("correct horse")) == b"text"
    assert code(file, Identity.passphrase("battery staple")) == "wrong_passphrase"
    assert code(file, Identity.passphrase("correct horse", max_work=3)) == "excessive_work"
    with pytest.raises(PqsealError, match="only recipient"):
        sealed(b"", Recipient.passphrase("a", work=1), Identity.generate().recipient)
    for wrong in (lambda: Recipient.passphrase(""), lambda: Recipient.passphrase("a", work=0), lambda: Recipient.passphrase("a", work=31)):
        with pytest.raises(PqsealError):
            wrong()


@pytest.mark.parametrize("format", FORMATS)
def test_rekey(identity: Identity, format: str) -> None:
    other = Identity.generate()
    file = sealed(text(100_000), identity.recipient, reserve=True, format=format)
    assert pqseal.files.inspect(io.BytesIO(file))["header_bytes"] % 4096 == 0
    target = io.BytesIO()
    pqseal.files.rekey(io.BytesIO(file), target, [identity], [other.recipient, str(other.recipient)])
    assert opened(target.getvalue(), other) == text(100_000)
    assert code(target.getvalue(), identity) == "no_matching_key"
    assert target.getvalue()[-100_000:] == file[-100_000:]
    assert len(pqseal.files.inspect(io.BytesIO(target.getvalue()))["recipients"]) == 2


def test_rekey_of_armor_is_armored(identity: Identity) -> None:
    other = Identity.generate()
    file = io.BytesIO(sealed(b"text", identity.recipient, armor=True))
    target = io.BytesIO()
    pqseal.files.rekey(file, target, [identity], [other.recipient])
    assert target.getvalue().startswith(b"-----BEGIN") and opened(target.getvalue(), other) == b"text"


def test_inspect_needs_no_key(identity: Identity) -> None:
    classical = Identity.generate("x25519")
    assert pqseal.files.inspect(io.BytesIO(sealed(text(5), identity.recipient))) == {
        "format": "age-encryption.org/v1",
        "armored": False,
        "recipients": ["mlkem768x25519"],
        "post_quantum": True,
        "header_bytes": 1627,
        "plaintext_bytes": 5,
    }
    shown = pqseal.files.inspect(io.BytesIO(sealed(text(5), classical.recipient, format="cobblestone")))
    assert (shown["format"], shown["post_quantum"], shown["plaintext_bytes"]) == ("pqseal-object/v1", False, 5)
    assert pqseal.files.inspect(io.BytesIO(sealed(b"12345", identity.recipient)[:-1]))["plaintext_bytes"] == 4


def test_the_header_of_an_object_is_what_its_document_says() -> None:
    """An independent reader of the tables in docs/files.md, on the known answers: layout, HPKE, key derivation and MAC."""
    vectors = json.loads((ROOT / "crates" / "age" / "tests" / "object.json").read_text())
    assert len(vectors) == 3
    for vector in vectors:
        file = bytes.fromhex(vector["object"])
        assert file[:9] == b"\x89pqseal\n\x01"
        length, count = int.from_bytes(file[11:15], "big"), int.from_bytes(file[15:17], "big")
        assert count == len(vector["identities"])
        place = 17
        for text_of_key in vector["identities"]:
            size = int.from_bytes(file[place : place + 2], "big")
            blob = file[place + 2 : place + 2 + size]
            assert blob[0] == 4
            suite = hpke.Suite(*(int.from_bytes(blob[at : at + 2], "big") for at in (1, 3, 5)))
            info = b"pqseal matched-data v4\0pqseal object v1"
            key = private_key(suite.ids[0], text_of_key)
            assert blob[7:15] == hashlib.sha256(b"pqseal key id" + blob[1:3] + key.public_key).digest()[:8]
            secret = suite.open(blob[15:-48], key, blob[-48:], info=info, aad=blob[:15] + file[:11])
            assert secret.hex() == vector["secret"]
            place += 2 + size
        assert not any(file[place : length - 32])
        label = b"pqseal object v1\0" + file[9:11]
        first = hmac.digest(secret, label + b"\1", "sha512")
        keys = first + hmac.digest(secret, first + label + b"\2", "sha512")
        mac_key = keys[{1: 16, 2: 32}[file[10]] + 12 :][:32]
        assert file[length - 32 : length] == hmac.digest(mac_key, file[: length - 32], "sha256")
        assert len(file) - length == vector["plaintext_length"] + 16 * (vector["plaintext_length"] // 16_384 + 1)
        plaintext = opened(file, vector["identities"][-1])
        assert plaintext == text(vector["plaintext_length"])


def private_key(kem: int, identity: str) -> hpke.PrivateKey:
    """Reads the Bech32 text of an identity, or a pqseal line."""
    if identity.startswith("pqseal-"):
        return hpke.PrivateKey.parse(identity)
    digits = ["qpzry9x8gf2tvdw0s3jn54khce6mua7l".index(c) for c in identity.lower().rsplit("1", 1)[1][:-6]]
    bits = "".join(f"{digit:05b}" for digit in digits)
    key = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))
    return hpke.PrivateKey.deserialize(kem, key[2:] if identity.startswith("AGE-PLUGIN-") else key)


@pytest.mark.parametrize("format", FORMATS)
def test_damage_is_found_and_nothing_of_it_comes_out(identity: Identity, format: str) -> None:
    file = sealed(text(200_000), identity.recipient, format=format)
    cut = file[: -len(file) // 2]
    assert code(cut, identity) in ("truncated", "altered")
    target = io.BytesIO()
    with pytest.raises(PqsealError):
        pqseal.files.decrypt(io.BytesIO(cut), target, [identity])
    assert text(200_000).startswith(target.getvalue())
    for at in (0, 10, len(file) // 3, len(file) - 1):
        altered = bytearray(file)
        altered[at] ^= 1
        assert code(bytes(altered), identity)
    reader = pqseal.files.open(io.BytesIO(cut), [identity])
    with pytest.raises(PqsealError):
        reader.read()
    with pytest.raises(PqsealError):
        pqseal.files.open(io.BytesIO(cut), [identity]).seek(0, io.SEEK_END)
    assert code(b"", identity) == code(b"text", identity) == "not_age"


KIT = json.loads((ROOT / "test-vectors" / "data" / "age-kit.json").read_text())["entries"]
# As wasm/test/files.test.mjs has them.
KIT_CODES = {
    "no match": {"no_matching_key", "wrong_passphrase"},
    "HMAC failure": {"altered_header"},
    "header failure": {"bad_header", "not_age", "excessive_work"},
    "armor failure": {"bad_armor"},
    "payload failure": {"altered", "truncated"},
}


def test_every_case_of_the_age_kit(identity: Identity) -> None:
    """Tests whole files and a reader. A failure writes nothing that does not authenticate."""
    assert len(KIT) == 143
    for case in KIT:
        file = bytes.fromhex(case["file"])
        file = zlib.decompress(file) if case["compressed"] else file
        # Some cases have none: any identity will do.
        keys = [identity, *case["identities"], *map(Identity.passphrase, case["passphrases"])]
        target = io.BytesIO()
        if case["expect"] == "success":
            pqseal.files.decrypt(io.BytesIO(file), target, keys)
            assert hashlib.sha256(target.getvalue()).hexdigest() == case["payload_sha256"], case["name"]
            assert pqseal.files.open(io.BytesIO(file), keys).read() == target.getvalue(), case["name"]
            continue
        # What does not begin as armor is not taken for it.
        codes = {"not_age"} if case["name"].startswith("armor_garbage_leading") else KIT_CODES[case["expect"]]
        with pytest.raises(PqsealError) as failed:
            pqseal.files.decrypt(io.BytesIO(file), target, keys)
        assert failed.value.code in codes, case["name"]
        with pytest.raises(PqsealError) as failed:
            pqseal.files.open(io.BytesIO(file), keys).read()
        assert failed.value.code in codes, case["name"]
        # Whole chunks that authenticate may come out before the one that does not.
        size = 1 << 16 if case["expect"] == "payload failure" else 0
        assert len(target.getvalue()) in (0, size), case["name"]


def test_a_writer_that_fails_writes_no_end(identity: Identity) -> None:
    raised, aborted, dropped = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with pytest.raises(KeyError), Writer(raised, [identity.recipient]) as writer:
        writer.write(b"text")
        raise KeyError
    writer = Writer(aborted, [identity.recipient])
    writer.write(b"text")
    writer.abort()
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"text")
    Writer(dropped, [identity.recipient]).write(b"text")
    for target in (raised, aborted, dropped):
        assert code(target.getvalue(), identity) == "truncated"


def test_exceptions_of_file_objects_come_through(identity: Identity) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ZeroDivisionError("mine")

        def write(self, data: object, /) -> int:
            raise ZeroDivisionError("mine")

    file = sealed(text(200_000), identity.recipient)
    for work in (
        lambda: pqseal.files.encrypt(Broken(), io.BytesIO(), [identity.recipient]),
        lambda: pqseal.files.encrypt(io.BytesIO(b"text"), Broken(), [identity.recipient]),
        lambda: pqseal.files.decrypt(io.BytesIO(file), Broken(), [identity]),
        lambda: pqseal.files.open(Broken(), [identity]),
        lambda: pqseal.files.inspect(Broken()),
        lambda: Writer(Broken(), [identity.recipient]),
    ):
        with pytest.raises(ZeroDivisionError, match="mine"):
            work()
    with pytest.raises(TypeError, match="binary mode"):
        pqseal.files.encrypt(io.StringIO("text"), io.BytesIO(), [identity.recipient])  # type: ignore[arg-type]


def test_ctrl_c_ends_long_work(identity: Identity) -> None:
    class Endless:
        def read(self, size: int, /) -> bytes:
            return bytes(size)

    class Nowhere:
        def write(self, data: bytes, /) -> int:
            return len(data)

    # A shell starts what is in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            pqseal.files.encrypt(Endless(), Nowhere(), [identity.recipient])
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_meanwhile(identity: Identity) -> None:
    """A source that waits for another thread would wait forever if the interpreter's lock were held."""
    reading, writing = os.pipe()
    done = threading.Event()

    def feed() -> None:
        with os.fdopen(writing, "wb") as pipe:
            for _ in range(20):
                pipe.write(text(100_000))
        done.set()

    threading.Thread(target=feed).start()
    target = io.BytesIO()
    with os.fdopen(reading, "rb") as source:
        pqseal.files.encrypt(source, target, [identity.recipient], threads=2)
    assert done.wait(60) and opened(target.getvalue(), identity) == text(100_000) * 20


def test_wrong_keys_and_arguments(identity: Identity) -> None:
    classical = Identity.generate("x25519")
    for wrong in (
        lambda: Recipient("age1nothing"),
        lambda: Recipient(identity.export()),
        lambda: Identity(str(identity.recipient)),
        lambda: Identity("text"),
        lambda: Identity.generate("sike"),
        lambda: Identity.generate("bike-l1"),
        lambda: Recipient("ssh-ed25519 AAAA"),
        lambda: Identity.passphrase("text").export(),
        lambda: Identity.passphrase("text").recipient,
        lambda: sealed(b""),
        lambda: sealed(b"", identity.recipient, classical.recipient),
        lambda: sealed(b"", identity.recipient, classical.recipient, format="cobblestone"),
        lambda: sealed(b"", Recipient.passphrase("text", work=1), format="cobblestone"),
        lambda: sealed(b"", identity.recipient, format="zip"),
        lambda: sealed(b"", identity.recipient, armor=True, reserve=True),
        lambda: sealed(b"", identity.recipient, armor=True, format="cobblestone"),
        lambda: sealed(b"", identity.recipient, threads=0),
        lambda: opened(sealed(b"", identity.recipient)),
        lambda: pqseal.files.read_identities("# nothing"),
    ):
        with pytest.raises(PqsealError) as failed:
            wrong()
        assert failed.value.code
    with pytest.raises(TypeError):
        sealed(b"", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        pickle.dumps(identity)


def test_files_of_keys() -> None:
    one, two = Identity.generate(), Identity.generate("x25519")
    file = f"# created: now\n# public key: {one.recipient}\n{one.export()}\n\n{two.export()}\n"
    found = pqseal.files.read_identities(file)
    assert [identity.export() for identity in found] == [one.export(), two.export()]
    listed = pqseal.files.read_recipients(f"# friends\n{one.recipient}\n{two.recipient}\n")
    assert [str(recipient) for recipient in listed] == [str(one.recipient), str(two.recipient)]
    with pytest.raises(PqsealError, match="line 2"):
        pqseal.files.read_recipients(f"{one.recipient}\nage1wrong\n")


def test_the_examples() -> None:
    assert doctest.testmod(pqseal.files) == doctest.TestResults(failed=0, attempted=7)
    section = (ROOT / "bindings" / "python" / "README.md").read_text().split("\n## Files\n")[1]
    exec(section.split("```python\n")[1].split("```")[0], {})


class CallsBack(io.RawIOBase):
    """A file that uses its own `Writer`."""

    def writable(self) -> bool:
        return True

    user: Writer | None = None
    calls = 0

    def write(self, data: bytes) -> int:  # type: ignore[override]
        # The header is written before there is a `Writer`.
        if self.user is not None:
            with pytest.raises(RuntimeError, match="reentrant"):
                self.user.flush()
            self.calls += 1
        return len(data)


def test_a_file_that_calls_back_is_refused_and_does_not_wait() -> None:
    target = CallsBack()
    writer = Writer(target, [Identity.generate().recipient])
    target.user = writer
    writer.write(bytes(200_000))
    writer.close()
    target.user = None
    assert target.calls > 2


def test_nothing_of_a_failed_seek_is_read() -> None:
    class Hostile(io.BytesIO):
        rest = -1

        def read(self, size: int | None = -1) -> bytes:
            if self.rest < 0:
                return super().read(size)
            if self.rest == 0:
                self.rest = -1
                raise OSError("timed out")
            self.rest -= 1
            return b"!" * min(size or 0, 1000)

    identity = Identity.generate()
    source = Hostile()
    pqseal.files.encrypt(io.BytesIO(b"7" * 300_000), source, [identity.recipient])
    source.seek(0)
    reader = pqseal.files.open(source, [identity])
    reader.seek(100)
    assert reader.read1(10) == b"7" * 10
    source.rest = 3
    with pytest.raises(OSError, match="timed out"):
        reader.seek(150_000)
    with pytest.raises(OSError):
        reader.read1(40)
