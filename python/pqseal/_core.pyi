from collections.abc import Sequence
from os import PathLike
from typing import Final, Literal, NoReturn, Protocol, TypeAlias, TypedDict, final

__all__ = [
    "Opened",
    "open_batch",
    "seal_batch",
    "inspect",
    "open",
    "seal",
    "Column",
    "PqsealError",
    "KeyRing",
    "KeyPair",
    "generate_key_pair",
    "public_key",
    "FileReader",
    "FileWriter",
    "Identity",
    "Recipient",
    "file_decrypt",
    "file_encrypt",
    "file_inspect",
    "file_rekey",
    "read_identities",
    "read_recipients",
    "PrivateKey",
    "RecipientContext",
    "SenderContext",
    "Suite",
    "__version__",
]

# Arrow's PyCapsule interface: an array of pyarrow, or a chunked one, or a series of Polars.
class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Column: TypeAlias = _Array | _Stream
_Format: TypeAlias = Literal["raw", "json", "pem", "jwk", "line"]
_Half: TypeAlias = Literal["private", "public"]
_Version: TypeAlias = Literal[1, 2, 3, 4]
_Policy: TypeAlias = Literal["standard", "draft", "experimental"]
_Code: TypeAlias = Literal[
    "altered",
    "altered_header",
    "auth_unsupported",
    "bad_argument",
    "bad_armor",
    "bad_base64",
    "bad_header",
    "bad_key",
    "bad_length",
    "bad_recipients",
    "decap",
    "derive_key_pair",
    "deserialize",
    "empty",
    "encap",
    "excessive_work",
    "export_only",
    "export_too_long",
    "input_too_long",
    "invalid_psk",
    "key_length",
    "key_mismatch",
    "message_limit_reached",
    "no_key_matched",
    "no_key_with_id",
    "no_matching_key",
    "no_seed",
    "not_age",
    "open",
    "refused_kem",
    "rng",
    "trailing_bytes",
    "truncated",
    "unsupported_suite",
    "unsupported_version",
    "validation",
    "version_refused",
    "wrong_kem",
    "wrong_passphrase",
]

class _Inspected(TypedDict):
    """What a blob says without a key. Lengths are in bytes."""

    version: int
    specification: str
    kem: str
    kdf: str
    aead: str
    key_id: str | None
    blob_length: int
    plaintext_length: int
    trailing_length: int

__version__: Final[str]

class PqsealError(ValueError):
    """What went wrong, in a sentence. `code` is for programs; codes are added, never changed."""

    code: _Code

@final
class KeyPair:
    """A private key and its public key, as text. The private key is not in the repr."""

    def export_private_key(self) -> str:
        """The private key as text: write it to a file that only its owner can read.

        Each call makes a string, which Python cannot overwrite.
        """

    @property
    def public_key(self) -> str:
        """The public key: give it to the sender."""

    @property
    def key_id(self) -> str:
        """Eight bytes in hexadecimal, by which a version 4 blob names the key that it was sealed to."""

@final
class KeyRing:
    """Private keys to open with.

    A version 4 blob names its key; for versions 1 to 3 each x25519 key is tried, in the order of adding.
    The keys stay outside Python, and are overwritten when the ring is deleted. A ring cannot be pickled.
    """

    def __new__(cls, *keys: str | bytes, min_version: _Version = 1) -> KeyRing:
        """A ring of these keys, each the text or the bytes of a key file in any format.

        Blobs of versions below `min_version` are refused. Only version 4 can be bound to its record with
        an `aad`, so 4 prevents that an older blob is put in its place.
        """

    @staticmethod
    def from_files(*paths: str | PathLike[str], min_version: _Version = 1) -> KeyRing:
        """A ring of the keys in these files. A file may hold several keys.

        `#` starts a comment, which labels the key next to it, or else the key on the next line.
        """

    def add(self, key: str | bytes, *, kem: str | None = None) -> None:
        """Adds a key at the end. `kem` says whose key base64 is (x25519 if left out)."""

    def add_file(self, path: str | PathLike[str], *, kem: str | None = None) -> None:
        """Adds the keys in a file at the end, or none if one of them is not valid."""

    @property
    def key_ids(self) -> list[str]:
        """The ids of the keys, in the order of adding."""

    @property
    def labels(self) -> list[str | None]:
        """The labels of the keys, from the comments in their files, in the order of adding."""

    def __len__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...

@final
class Column:
    """An Arrow column. `pyarrow.array(column)`, `polars.Series(column)` and others take it without a copy."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Opened:
    """What `open_batch` returns, also as an Arrow column of structs: `pyarrow.record_batch(opened)`."""

    @property
    def plaintext(self) -> Column:
        """What was sealed, binary or string; null where nothing was opened."""

    @property
    def status(self) -> Column:
        """`opened`, `lossy`, `absent`, `truncated` or an error code, for each record."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def generate_key_pair(kem: str | None = None, *, format: _Format | None = None, policy: _Policy = "draft") -> KeyPair:
    """Makes a key pair of a KEM; without a name, of a hybrid that is post-quantum and classical at once.

    `kem="x25519"` makes a key for today's matched data and dashboards. `format` is that of the private key;
    if left out, PEM, or a pqseal line for KEMs that PEM does not hold. An experimental KEM needs
    `policy="experimental"`, here and wherever its key is used.
    """

def public_key(
    key: str | bytes, *, kem: str | None = None, format: _Format | None = None, raw: _Half | None = None
) -> str:
    """The public key of a private key, or a public key in another format: the text or the bytes of a key file.

    `kem` says whose key base64 is (x25519 if left out), and `raw`, which base64 needs, which half of a key pair it is.
    Without `format`, base64 for x25519, as dashboards take it, and a pqseal line for other KEMs.
    """

def seal(
    public_key: str,
    plaintext: bytes | bytearray,
    *,
    info: bytes | None = None,
    aad: bytes | None = None,
    kdf: str | None = None,
    aead: str | None = None,
    version: Literal[3, 4] | None = None,
    policy: _Policy = "draft",
) -> str:
    """Seals to a public key in any format, and returns base64.

    An x25519 key without `kdf`, `aead`, `info` and `aad` gets a version 3 blob, which dashboards open.
    Everything else is version 4, which names its suite and its key and opens only with the same `info`
    and `aad`. Raises `PqsealError`.
    """

def open(
    keyring: KeyRing,
    blob: str | bytes | bytearray,
    *,
    info: bytes | None = None,
    aad: bytes | None = None,
    policy: _Policy = "draft",
) -> bytes:
    """Opens a blob: base64, or its bytes. `info` and `aad` are only for version 4.

    The plaintext is bytes: what was sealed came from outside, and need not be text. Raises `PqsealError`.
    """

def inspect(blob: str | bytes | bytearray) -> _Inspected:
    """What a blob says without a key. Bytes after a blob of versions 1 to 3 are counted, not refused."""

def open_batch(
    keyring: KeyRing,
    blobs: _Column,
    *,
    aad: bytes | _Column | None = None,
    info: bytes | None = None,
    policy: _Policy = "draft",
    text: bool = False,
) -> Opened:
    """Opens an Arrow column of blobs (string or binary) on all cores, without the interpreter's lock.

    One record in, one out, in order; what does not open does not stop the others. `aad` is what each blob
    was bound to: bytes for all, or a column of as many records. `plaintext` is binary, or with `text=True`
    string, in which bytes that are not UTF-8 are replaced (`lossy`).
    """

def seal_batch(
    public_key: str,
    plaintexts: _Column,
    *,
    info: bytes | None = None,
    aad: bytes | _Column | None = None,
    kdf: str | None = None,
    aead: str | None = None,
    version: Literal[3, 4] | None = None,
    policy: _Policy = "draft",
) -> Column:
    """Seals an Arrow column of string or binary, as a column of base64; null stays null.

    The other arguments are those of `seal`, and `aad` may be a column of as many records.
    """

# What pqseal.hpke exports.
_Algorithm: TypeAlias = str | int
_Bytes: TypeAlias = bytes | bytearray

@final
class PrivateKey:
    """A private key of one KEM.

    It stays in Rust and is overwritten when the last object that uses it is dropped. It cannot be pickled.
    """

    @staticmethod
    def parse(key: str | bytes, *, kem: str | None = None) -> PrivateKey:
        """Reads a key in any format that pqseal reads: base64 (of X25519, unless kem is given), PEM, DER, JWK, a pqseal line."""
    @staticmethod
    def deserialize(kem: _Algorithm, serialized: _Bytes) -> PrivateKey:
        """DeserializePrivateKey (RFC 9180, section 4): Nsk bytes, which are the seed for ML-KEM and the hybrids."""
    def serialize(self) -> bytes:
        """SerializePrivateKey: Nsk bytes. Python cannot overwrite them."""
    def write(self, format: _Format) -> str:
        """The key as the text of a key file."""
    @property
    def public_key(self) -> bytes:
        """The public key, serialized: Npk bytes."""
    @property
    def kem(self) -> str:
        """The name of its KEM."""
    def __reduce__(self) -> NoReturn: ...

@final
class SenderContext:
    """Seals, and exports. From Suite.setup_sender. Threads may share one."""

    def seal(self, plaintext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Seals the next message: ciphertext and tag, 16 bytes longer than plaintext."""
    def export(self, exporter_context: _Bytes, length: int) -> bytes:
        """length secret bytes that the recipient's context exports too, one value for each exporter_context."""
    @property
    def sequence(self) -> int:
        """The number of the next message, from 0."""

@final
class RecipientContext:
    """Opens, and exports. From Suite.setup_recipient. Threads may share one."""

    def open(self, ciphertext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Opens the next message. After a failure the same message is still the next."""
    def open_at(self, sequence: int, ciphertext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Opens the message of that number, in any order; sequence stays. Detecting replays is up to the caller."""
    def export(self, exporter_context: _Bytes, length: int) -> bytes:
        """As SenderContext.export, with the same result."""
    @property
    def sequence(self) -> int:
        """The number of the next message, from 0."""

@final
class Suite:
    """A ciphersuite: a KEM, a KDF and an AEAD, each by name or id.

    The mode follows from the arguments: with psk and psk_id it is mode_psk, with the sender's key mode_auth, with both
    mode_auth_psk. A psk has at least 32 bytes. policy says which algorithms are allowed: "standard" what RFCs define, "draft" what
    Internet-Drafts define too, "experimental" all.
    """

    def __new__(cls, kem: _Algorithm, kdf: _Algorithm, aead: _Algorithm, *, policy: _Policy = "draft") -> Suite: ...
    @property
    def ids(self) -> tuple[int, int, int]:
        """The ids of KEM, KDF and AEAD."""
    def generate_key_pair(self) -> tuple[PrivateKey, bytes]:
        """GenerateKeyPair: a private key, and the public key serialized."""
    def derive_key_pair(self, ikm: _Bytes) -> tuple[PrivateKey, bytes]:
        """DeriveKeyPair: the same ikm gives the same key pair. It should have at least Nsk bytes, all of them secret."""
    def seal(
        self,
        public_key: _Bytes,
        plaintext: _Bytes,
        *,
        info: _Bytes | None = None,
        aad: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_key: PrivateKey | None = None,
    ) -> tuple[bytes, bytes]:
        """Seals one message under a fresh encapsulated key. Returns the encapsulated key and the ciphertext with its tag."""
    def open(
        self,
        enc: _Bytes,
        private_key: PrivateKey,
        ciphertext: _Bytes,
        *,
        info: _Bytes | None = None,
        aad: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_public_key: _Bytes | None = None,
    ) -> bytes:
        """Opens the one message that was sealed under enc."""
    def setup_sender(
        self,
        public_key: _Bytes,
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_key: PrivateKey | None = None,
    ) -> tuple[bytes, SenderContext]:
        """SetupS: a fresh encapsulated key, and the context that seals any number of messages under it."""
    def setup_recipient(
        self,
        enc: _Bytes,
        private_key: PrivateKey,
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_public_key: _Bytes | None = None,
    ) -> RecipientContext:
        """SetupR: the context that opens what was sealed under enc."""
    def seal_batch(
        self,
        public_key: _Bytes,
        messages: Sequence[tuple[_Bytes, _Bytes]],
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_key: PrivateKey | None = None,
    ) -> list[tuple[bytes, bytes]]:
        """Seals messages, each a tuple of aad and plaintext, each under its own encapsulated key, on all cores.

        Returns a tuple of encapsulated key and ciphertext for each, in order.
        """
    def open_batch(
        self,
        private_key: PrivateKey,
        messages: Sequence[tuple[_Bytes, _Bytes, _Bytes]],
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_public_key: _Bytes | None = None,
    ) -> list[bytes | PqsealError]:
        """Opens messages, each a tuple of encapsulated key, aad and ciphertext, on all cores.

        Returns the plaintext of each, in order, or the PqsealError of one that does not open, which stops nothing.
        """

# What pqseal.files is made of.
class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Target(Protocol):
    def write(self, data: bytes, /) -> int | None: ...

_FileFormat: TypeAlias = Literal["age", "cobblestone", "cobblestone-128"]

class _InspectedFile(TypedDict):
    """What an encrypted file says without a key."""

    format: str
    armored: bool
    recipients: list[str]
    post_quantum: bool | None
    header_bytes: int
    plaintext_bytes: int | None

@final
class Recipient:
    """For whom a file is encrypted: a public key, or a passphrase.

    The text is age1..., or a public key in a format of pqseal's (PEM, JWK, line). An experimental KEM needs policy="experimental".
    """

    def __new__(cls, text: str, *, policy: _Policy = "draft") -> Recipient: ...
    @staticmethod
    def passphrase(passphrase: str, *, work: int = 18) -> Recipient:
        """A passphrase, which must be the only recipient of a file.

        work is the logarithm of scrypt's steps: 18 takes 256 MiB and about a second.
        """

@final
class Identity:
    """Who decrypts: a private key, or a passphrase.

    It stays in Rust, is overwritten when it is dropped, and cannot be pickled. The text is AGE-SECRET-KEY-..., AGE-PLUGIN-PQSEAL-..., or
    a private key in a format of pqseal's. Other age plugins are not run.
    """

    def __new__(cls, text: str) -> Identity: ...
    @staticmethod
    def generate(kem: str | None = None, *, policy: _Policy = "draft") -> Identity:
        """A new identity of a KEM; without a name, of the post-quantum hybrid that age 1.3 and later have too.

        "x25519" makes one for every program of the format.
        """
    @staticmethod
    def passphrase(passphrase: str, *, max_work: int = 20) -> Identity:
        """A passphrase. Files that ask for more than 2**max_work steps of scrypt are refused."""
    @property
    def recipient(self) -> Recipient:
        """Its recipient: give it to those who encrypt."""
    def export(self) -> str:
        """The private key as text, for a file that only its owner can read.

        Each call makes a string, which Python cannot overwrite.
        """
    def __reduce__(self) -> NoReturn: ...

def read_recipients(text: str, *, policy: _Policy = "draft") -> list[Recipient]:
    """The recipients of a file: one per line, # starts a comment; or one public key in PEM or JWK."""

def read_identities(text: str) -> list[Identity]:
    """The identities of a file as age-keygen or pqseal file keygen writes it, or private keys in formats of pqseal's.

    A file under a passphrase is decrypted first.
    """

def file_encrypt(
    source: _Source,
    target: _Target,
    recipients: Sequence[Recipient | str],
    *,
    armor: bool = False,
    reserve: bool = False,
    format: _FileFormat = "age",
    threads: int | None = None,
    policy: _Policy = "draft",
) -> None:
    """Encrypts all of source, from where it stands, to target, on all cores or so many threads.

    reserve makes room in the header for other recipients. format "cobblestone" (AES-256-GCM) or "cobblestone-128" makes a pqseal object,
    which only pqseal reads, for keys of any KEM; policy says which.
    """

def file_decrypt(
    source: _Source,
    target: _Target,
    identities: Sequence[Identity | str],
    *,
    threads: int | None = None,
    policy: _Policy = "draft",
) -> None:
    """Decrypts all of source, from where it stands, to target, on all cores or so many threads.

    Nothing is written before it is authenticated. If it raises, what was written is the beginning of the plaintext.
    """

def file_inspect(source: _Source) -> _InspectedFile:
    """What an encrypted file says without a key, read from where source stands.

    recipients are the kinds of stanzas, or the key ids of an object. plaintext_bytes is None if source cannot seek, is armored, or was cut.
    """

def file_rekey(
    source: _Source,
    target: _Target,
    identities: Sequence[Identity | str],
    recipients: Sequence[Recipient | str],
    *,
    reserve: bool = False,
    policy: _Policy = "draft",
) -> None:
    """Writes the encrypted file source for other recipients to target; the payload is copied, not decrypted.

    Anyone who could decrypt the old file and kept its file key can still read the new one: to withdraw that, encrypt again.
    """

@final
class FileReader:
    """Decrypts a binary file object. pqseal.files.open makes it a file object again."""

    def __new__(cls, source: _Source, identities: Sequence[Identity | str], *, policy: _Policy = "draft") -> FileReader: ...
    def read(self, size: int) -> bytes:
        """At least one byte and at most size, or none at the end."""
    def seek(self, offset: int, whence: int) -> int:
        """To a place in the plaintext, as io.IOBase.seek. The end of the file is authenticated first."""
    def tell(self) -> int:
        """The place in the plaintext."""
    @property
    def seekable(self) -> bool:
        """Whether seek can be called."""
    def close(self) -> None:
        """Forgets the key. The source stays open."""

@final
class FileWriter:
    """Encrypts to a binary file object. pqseal.files.Writer makes it a file object again."""

    def __new__(
        cls,
        target: _Target,
        recipients: Sequence[Recipient | str],
        *,
        armor: bool = False,
        format: _FileFormat = "age",
        policy: _Policy = "draft",
    ) -> FileWriter: ...
    def write(self, data: bytes | bytearray) -> int:
        """Encrypts all of it."""
    def flush(self) -> None:
        """Flushes the target. What does not fill a chunk stays here."""
    def finish(self) -> None:
        """Writes the last chunk. The target stays open."""
    def abort(self) -> None:
        """Forgets the key. What was written has no end, and will not decrypt."""
