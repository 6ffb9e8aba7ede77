from collections.abc import Sequence
from datetime import datetime
from os import PathLike
from typing import Any, Final, Literal, NoReturn, Protocol, TypeAlias, TypedDict, final

from typing_extensions import Buffer

__all__ = [
    "Opened",
    "open_batch",
    "open_records",
    "seal_batch",
    "inspect",
    "open",
    "seal",
    "Calendar",
    "Period",
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
    "PublicKey",
    "RecipientContext",
    "SenderContext",
    "Suite",
    "suites",
    "__version__",
]

# Arrow's PyCapsule interface: an array of pyarrow, or a chunked one, or a series of Polars.
class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Bytes: TypeAlias = Buffer
# A list is copied; Arrow columns are not.
_Column: TypeAlias = _Array | _Stream | Sequence[str | _Bytes | None]
_Format: TypeAlias = Literal["raw", "json", "pem", "jwk", "line"]
_BinaryFormat: TypeAlias = Literal["der", "cose-key"]
_PublicFormat: TypeAlias = Literal["raw", "pem", "jwk", "line"]
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
    "bad_records",
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
    "key_not_lent",
    "key_shredded",
    "message_limit_reached",
    "no_key_matched",
    "no_key_with_id",
    "no_matching_key",
    "no_period",
    "no_seed",
    "not_age",
    "open",
    "refused_kem",
    "rng",
    "trailing_bytes",
    "truncated",
    "unsupported_encryption",
    "unsupported_suite",
    "unsupported_version",
    "validation",
    "version_refused",
    "wrong_kem",
    "wrong_passphrase",
]

class _Inspected(TypedDict):
    """The properties of a blob that are visible without a key. Lengths are in bytes."""

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
    """A failure, described by a sentence. `code` is for programs; codes are added, never changed."""

    code: _Code

@final
class KeyPair:
    """A private key and its public key, as text. The private key is not in the repr."""

    def export_private_key(self) -> str:
        """Returns the private key as text, for a file that only its owner can read.

        Each call creates a string, which Python cannot overwrite.
        """

    @property
    def public_key(self) -> str:
        """The public key. Give it to the sender."""

    @property
    def key_id(self) -> str:
        """The key id, eight bytes in hexadecimal, by which a version 4 blob names the recipient's key."""

@final
class Calendar:
    """A calendar: an independent key pair for each hour, day or week.

    A `KeyRing` takes a private or lent one. `seal(calendar.at(time), ...)` seals to a period of a public one. Its
    private keys stay outside Python, and are overwritten when it is deleted.
    """

    def __new__(cls, text: str | bytes) -> Calendar:
        """Reads a public, private or lent calendar."""

    @staticmethod
    def from_file(path: str | PathLike[str]) -> Calendar:
        """Reads the calendar in a file."""

    def at(self, time: float | datetime) -> Period:
        """Returns the period that contains this time: seconds since 1970, or a `datetime` with a time zone.

        Raises `no_period` outside the calendar.
        """

    def periods(self) -> list[Period]:
        """Returns all periods, also those without a key, in order."""

    @property
    def id(self) -> str:
        """The id, 16 bytes in hexadecimal, which all files of a calendar have."""

    @property
    def name(self) -> str: ...
    @property
    def kem(self) -> str:
        """The KEM of all keys."""

    @property
    def period_length(self) -> Literal["hour", "day", "week"]: ...
    @property
    def is_private(self) -> bool:
        """Set for a private calendar, also a lent one or one without a key."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the periods and the fingerprints of their keys, in hexadecimal."""

    def __len__(self) -> int: ...

@final
class Period:
    """A period of a calendar. `seal` and `seal_batch` take one of a public calendar as the public key."""

    @property
    def name(self) -> str:
        """The name, which is its start in UTC, such as 2026-12-01."""

    @property
    def start(self) -> int:
        """The start, in seconds since 1970."""

    @property
    def end(self) -> int:
        """The end, in seconds since 1970."""

    @property
    def state(self) -> Literal["key", "shredded", "not-lent", "left-out"]:
        """The state of its key in this calendar."""

    @property
    def key_id(self) -> str:
        """The id of its key, by which version 4 blobs name it."""

@final
class KeyRing:
    """Private keys for opening.

    A version 4 blob names its key. For versions 1 to 3 each x25519 key is tried, in the order of addition.
    The keys stay outside Python, and are overwritten when the ring is deleted. A ring cannot be pickled. A private or
    lent calendar is taken like a key; its keys are not tried on versions 1 to 3. RSA keys and age identities are for
    values of other kinds in `open_records`.
    """

    def __new__(cls, *keys: str | _Bytes | Calendar, min_version: _Version = 1) -> KeyRing:
        """Creates a ring of these keys, each the text or the bytes of a key file in any format.

        Blobs of versions below `min_version` are refused. Only version 4 can be bound to its record with
        an `aad`, so 4 prevents the substitution of an older blob.
        """

    @staticmethod
    def from_files(*paths: str | PathLike[str], min_version: _Version = 1, passphrase: str | None = None) -> KeyRing:
        """Creates a ring of the keys in these files. A file may contain several keys, in PKCS#8 under a passphrase.

        `#` starts a comment, which labels the key next to it, or else the key on the next line.
        """

    def add(self, key: str | _Bytes | Calendar, *, kem: str | None = None, passphrase: str | None = None) -> None:
        """Adds a key at the end. `kem` is the KEM of a key in base64 (default x25519), `passphrase` that of a key in PKCS#8."""

    def add_file(self, path: str | PathLike[str], *, kem: str | None = None, passphrase: str | None = None) -> None:
        """Adds the keys in a file at the end, or none if one of them is not valid."""

    @property
    def key_ids(self) -> list[str]:
        """The ids of the keys, in the order of addition; those of RSA keys and age identities are last."""

    @property
    def labels(self) -> list[str | None]:
        """The labels of the keys, from the comments in their files, in the order of `key_ids`."""

    def __len__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...

@final
class Column:
    """An Arrow column. `pyarrow.array(column)`, `polars.Series(column)` and others use it without a copy."""

    def __len__(self) -> int: ...
    def to_list(self) -> list[Any]:
        """Returns the records as a list of str or bytes, with None for null."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Opened:
    """The result of `open_batch`, also as an Arrow column of structs: `pyarrow.record_batch(opened)`."""

    @property
    def plaintext(self) -> Column:
        """The plaintexts, binary or string, with null where nothing was opened."""

    @property
    def status(self) -> Column:
        """The status of each record: `opened`, `lossy`, `absent`, `truncated` or an error code."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def open_records(
    keyring: KeyRing,
    data: _Bytes | str | PathLike[str],
    rules: str | list[str] = "auto",
    *,
    into: list[str] | None = None,
    mode: Literal["keep", "replace", "drop"] | None = None,
    form: Literal["string", "json", "base64"] | None = None,
    aad_from: str | None = None,
    info: _Bytes | None = None,
    policy: _Policy = "draft",
    sealed_as: Literal["matched-data", "ai-gateway", "agent-receipt", "jwe", "age"] | None = None,
    input_format: Literal["auto", "ndjson", "json", "csv", "tsv"] = "auto",
) -> tuple[bytes, dict[str, Any]]:
    """Opens the sealed fields of log records, as `pqseal logs open` does. Returns the records and the counters.

    `data` is the bytes of NDJSON, JSON, CSV or TSV, or the path of such a file, also with gzip. `rules` is a preset
    (`auto`, `cf-logpush`, `cf-events`, `cf-dlp`, `audit-log`, `ai-gateway`, `agent-receipts`, `otlp-genai`,
    `otlp-http`), or a list of paths such as `.Metadata.name`. JSON inside strings is searched too, except for OTLP.
    `into` gives each path the name of its result; OTLP has no `into`, `mode` and `form`. `aad_from` is the path of
    the field that version 4 blobs are bound to. `sealed_as` is the kind of all values; without it, that of the
    preset, or detected for each value. A record that fails is in the output unchanged, with its code beside the
    field.
    """

def generate_key_pair(kem: str | None = None, *, format: _Format | None = None, policy: _Policy = "draft") -> KeyPair:
    """Generates a key pair of a KEM. The default is a hybrid, which is both post-quantum and classical.

    `kem="x25519"` generates a key for today's matched data and dashboards. `format` is the format of the private
    key. The default is PEM, or a pqseal line for KEMs that PEM does not support. An experimental KEM requires
    `policy="experimental"`, here and wherever its key is used.
    """

def public_key(
    key: str | _Bytes, *, kem: str | None = None, format: _Format | None = None, raw: _Half | None = None
) -> str:
    """Returns the public key of a private key, or a public key in another format.

    `key` is the text or the bytes of a key file. `kem` is the KEM of a key in base64 (default x25519). `raw`, which
    base64 requires, is the half of the key pair that it contains. The default of `format` is base64 for x25519, as
    dashboards use it, and a pqseal line for other KEMs.
    """

def seal(
    public_key: str | _Bytes | PublicKey | Period,
    plaintext: _Bytes,
    *,
    info: _Bytes | None = None,
    aad: _Bytes | None = None,
    kdf: str | None = None,
    aead: str | None = None,
    version: Literal[3, 4] | None = None,
    policy: _Policy = "draft",
) -> str:
    """Seals to a public key, in any format or a PublicKey. Returns base64.

    A key in base64 is taken as a public one: what is sealed to a private one, its owner cannot open.
    An x25519 key without `kdf`, `aead`, `info` and `aad` gives a version 3 blob, which dashboards open.
    All other blobs have version 4, which names its suite and its key, and requires the same `info` and `aad`
    to open. Raises `PqsealError`.
    """

def open(
    keyring: KeyRing,
    blob: str | _Bytes,
    *,
    info: _Bytes | None = None,
    aad: _Bytes | None = None,
    policy: _Policy = "draft",
) -> bytes:
    """Opens a blob, given as base64 or as bytes. `info` and `aad` apply only to version 4.

    The plaintext is bytes. It came from outside, and need not be text. Raises `PqsealError`.
    """

def inspect(blob: str | _Bytes) -> _Inspected:
    """Returns the properties of a blob that are visible without a key.

    Bytes after a blob of versions 1 to 3 are counted, not refused.
    """

def open_batch(
    keyring: KeyRing,
    blobs: _Column,
    *,
    aad: _Bytes | _Column | None = None,
    info: _Bytes | None = None,
    policy: _Policy = "draft",
    text: bool = False,
) -> Opened:
    """Opens an Arrow column of blobs (string or binary) on all cores, without the interpreter's lock.

    Returns one result per record, in order. A record that fails does not affect the others. `aad` is the
    associated data: bytes for all records, or a column with one value per record. `plaintext` is binary, or string
    with `text=True`, in which bytes that are not UTF-8 are replaced (`lossy`).
    """

def seal_batch(
    public_key: str | _Bytes | PublicKey | Period,
    plaintexts: _Column,
    *,
    info: _Bytes | None = None,
    aad: _Bytes | _Column | None = None,
    kdf: str | None = None,
    aead: str | None = None,
    version: Literal[3, 4] | None = None,
    policy: _Policy = "draft",
) -> Column:
    """Seals an Arrow column of string or binary. Returns a column of base64, in which null stays null.

    The other arguments are those of `seal`, and `aad` may also be a column with one value per record.
    """

# The exports of pqseal.hpke.
_Algorithm: TypeAlias = str | int

@final
class PrivateKey:
    """A private key of one KEM.

    It stays in Rust and is overwritten when the last object that uses it is dropped. It cannot be pickled.
    """

    @staticmethod
    def parse(key: str | _Bytes, *, kem: str | None = None, passphrase: str | None = None) -> PrivateKey:
        """Reads a key in any format that pqseal supports: base64 (for X25519, unless kem is given), PEM, DER, JWK, a pqseal line.

        With passphrase it is encrypted in PKCS#8, as openssl pkcs8 -topk8 writes it.
        """
    @staticmethod
    def deserialize(kem: _Algorithm, serialized: _Bytes) -> PrivateKey:
        """DeserializePrivateKey (RFC 9180, section 4): reads Nsk bytes, which are the seed for ML-KEM and the hybrids."""
    def serialize(self) -> bytes:
        """SerializePrivateKey: returns Nsk bytes, which Python cannot overwrite."""
    def export(self, format: _Format, *, passphrase: str | None = None) -> str:
        """Returns the key as the text of a key file. With passphrase PEM is encrypted in PKCS#8."""
    def export_binary(self, format: _BinaryFormat, *, alg: str | None = None) -> bytes:
        """Returns the key as bytes. A COSE_Key of ML-KEM or of a hybrid needs alg, such as HPKE-9-KE."""
    @property
    def public_key(self) -> bytes:
        """The serialized public key, Npk bytes."""
    def to_public(self) -> PublicKey:
        """Returns the public key."""
    @property
    def kem(self) -> str:
        """The name of the KEM."""
    def __eq__(self, other: object, /) -> bool:
        """Two private keys are equal if their public keys are."""
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> NoReturn: ...

@final
class PublicKey:
    """A public key, which knows its KEM. bytes(key) are its Npk bytes (SerializePublicKey)."""

    @staticmethod
    def parse(key: str | _Bytes, *, kem: str | None = None, raw: _Half | None = None) -> PublicKey:
        """Reads a public key, or the public half of a private one, in any format that pqseal supports.

        kem is the KEM of a key in base64 (default x25519). raw, which base64 requires, is the half of the key pair that it contains.
        """
    @staticmethod
    def deserialize(kem: _Algorithm, serialized: _Bytes) -> PublicKey:
        """DeserializePublicKey (RFC 9180, section 4): reads Npk bytes."""
    def __bytes__(self) -> bytes: ...
    def export(self, format: _PublicFormat | None = None) -> str:
        """Returns the key as text. The default is base64 for x25519, as dashboards use it, and a pqseal line for other KEMs."""
    def export_binary(self, format: _BinaryFormat, *, alg: str | None = None) -> bytes:
        """Returns the key as bytes, like PrivateKey.export_binary."""
    @property
    def kem(self) -> str:
        """The name of the KEM."""
    @property
    def fingerprint(self) -> str:
        """SHA-256 over KEM and public key in hexadecimal, to compare keys. It begins with key_id."""
    @property
    def key_id(self) -> str:
        """Eight bytes in hexadecimal, by which a version 4 blob names the key that it was sealed to."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class SenderContext:
    """A sender's context, from Suite.setup_sender, which seals and exports. Threads may share one."""

    def seal(self, plaintext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Seals the next message. Returns the ciphertext with its tag, 16 bytes longer than plaintext."""
    def seal_with_sequence(self, plaintext: _Bytes, *, aad: _Bytes | None = None) -> tuple[int, bytes]:
        """Seals the next message, and returns its sequence number too, for open_at.

        sequence beside seal may be that of another thread.
        """
    def export(self, exporter_context: _Bytes, length: int) -> bytes:
        """Exports length secret bytes, a separate value for each exporter_context. The recipient's context exports the same."""
    @property
    def sequence(self) -> int:
        """The number of the next message, from 0."""

@final
class RecipientContext:
    """A recipient's context, from Suite.setup_recipient, which opens and exports. Threads may share one."""

    def open(self, ciphertext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Opens the next message. After a failure the same message is still the next."""
    def open_at(self, sequence: int, ciphertext: _Bytes, *, aad: _Bytes | None = None) -> bytes:
        """Opens the message with this sequence number, in any order, without changing sequence. The caller must detect replays."""
    def export(self, exporter_context: _Bytes, length: int) -> bytes:
        """Exports the same bytes as SenderContext.export."""
    @property
    def sequence(self) -> int:
        """The number of the next message, from 0."""

@final
class Suite:
    """A ciphersuite: a KEM, a KDF and an AEAD, each by name or id.

    The mode follows from the arguments: with psk and psk_id it is mode_psk, with the sender's key mode_auth, with both
    mode_auth_psk. A psk has at least 32 bytes. policy limits the algorithms: "standard" allows those that RFCs define, "draft" also
    those that Internet-Drafts define, and "experimental" all.
    """

    def __new__(cls, kem: _Algorithm, kdf: _Algorithm, aead: _Algorithm, *, policy: _Policy = "draft") -> Suite: ...
    @property
    def ids(self) -> tuple[int, int, int]:
        """The ids of KEM, KDF and AEAD."""
    def generate_key_pair(self) -> tuple[PrivateKey, bytes]:
        """GenerateKeyPair: returns a private key, and the serialized public key."""
    def derive_key_pair(self, ikm: _Bytes) -> tuple[PrivateKey, bytes]:
        """DeriveKeyPair: derives a key pair from ikm, which should have at least Nsk bytes, all of them secret.

        The same ikm gives the same key pair.
        """
    def seal(
        self,
        public_key: PublicKey | _Bytes,
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
        sender_public_key: PublicKey | _Bytes | None = None,
    ) -> bytes:
        """Opens the one message that was sealed under enc."""
    def setup_sender(
        self,
        public_key: PublicKey | _Bytes,
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_key: PrivateKey | None = None,
    ) -> tuple[bytes, SenderContext]:
        """SetupS: returns a fresh encapsulated key, and the context that seals any number of messages under it."""
    def setup_recipient(
        self,
        enc: _Bytes,
        private_key: PrivateKey,
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_public_key: PublicKey | _Bytes | None = None,
    ) -> RecipientContext:
        """SetupR: returns the context that opens messages sealed under enc."""
    def seal_batch(
        self,
        public_key: PublicKey | _Bytes,
        messages: Sequence[tuple[_Bytes, _Bytes]],
        *,
        info: _Bytes | None = None,
        psk: _Bytes | None = None,
        psk_id: _Bytes | None = None,
        sender_key: PrivateKey | None = None,
    ) -> list[tuple[bytes, bytes]]:
        """Seals messages, each a tuple of aad and plaintext, and each under its own encapsulated key, on all cores.

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
        sender_public_key: PublicKey | _Bytes | None = None,
    ) -> list[bytes | PqsealError]:
        """Opens messages, each a tuple of encapsulated key, aad and ciphertext, on all cores.

        Returns the plaintext of each, in order, or a PqsealError for a message that does not open, which does not affect the others.
        """

class _Registered(TypedDict):
    id: int
    name: str
    status: _Policy

class _Kem(_Registered):
    registered_name: str
    auth: bool
    enc_length: int
    public_key_length: int
    private_key_length: int

class _Kdf(_Registered):
    one_stage: bool

class _Aead(_Registered):
    tag_length: int

class _Suites(TypedDict):
    """All algorithms, and the ids of KEM, KDF and AEAD of new keys. Lengths are in bytes."""

    kems: list[_Kem]
    kdfs: list[_Kdf]
    aeads: list[_Aead]
    default: tuple[int, int, int]

def suites() -> _Suites:
    """Returns all KEMs, KDFs and AEADs with ids, names, sizes in bytes and status, and the suite of new keys.

    Names are understood in any case, with or without hyphens.
    """

# The parts of pqseal.files.
class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...

class _Target(Protocol):
    def write(self, data: bytes, /) -> int | None: ...

_FileFormat: TypeAlias = Literal["age", "cobblestone", "cobblestone-128"]

class _InspectedFile(TypedDict):
    """The properties of an encrypted file that are visible without a key."""

    format: str
    armored: bool
    recipients: list[str]
    post_quantum: bool | None
    header_bytes: int
    plaintext_bytes: int | None

@final
class Recipient:
    """A recipient, for which a file is encrypted: a public key, or a passphrase.

    Its text is age1..., or a public key in one of pqseal's formats (PEM, JWK, line). An experimental KEM requires policy="experimental".
    """

    def __new__(cls, text: str, *, policy: _Policy = "draft") -> Recipient: ...
    @staticmethod
    def passphrase(passphrase: str, *, work: int = 18) -> Recipient:
        """Creates a recipient from a passphrase, which must be the only recipient of a file.

        work is the binary logarithm of the number of scrypt's steps: 18 takes 256 MiB and about a second.
        """

@final
class Identity:
    """An identity, which decrypts files: a private key, or a passphrase.

    It stays in Rust, is overwritten when it is dropped, and cannot be pickled. Its text is AGE-SECRET-KEY-..., AGE-PLUGIN-PQSEAL-..., or
    a private key in one of pqseal's formats. Other age plugins are not run.
    """

    def __new__(cls, text: str) -> Identity: ...
    @staticmethod
    def generate(kem: str | None = None, *, policy: _Policy = "draft") -> Identity:
        """Generates an identity of a KEM. The default is the post-quantum hybrid that age supports since version 1.3.

        "x25519" generates an identity that every age program supports.
        """
    @staticmethod
    def passphrase(passphrase: str, *, max_work: int = 20) -> Identity:
        """Creates an identity from a passphrase. Files that require more than 2**max_work steps of scrypt are refused."""
    @property
    def recipient(self) -> Recipient:
        """The recipient of this identity. Give it to those who encrypt."""
    def export(self) -> str:
        """Returns the private key as text, for a file that only its owner can read.

        Each call creates a string, which Python cannot overwrite.
        """
    def __reduce__(self) -> NoReturn: ...

def read_recipients(text: str, *, policy: _Policy = "draft") -> list[Recipient]:
    """Reads the recipients of a file: one per line, where # starts a comment, or one public key in PEM or JWK."""

def read_identities(text: str) -> list[Identity]:
    """Reads the identities of a file that age-keygen or pqseal file keygen wrote, or private keys in pqseal's formats.

    An encrypted file must be decrypted first.
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
    """Encrypts all of source, from its current position, to target, on all cores or on this number of threads.

    reserve makes room in the header for other recipients. format "cobblestone" (AES-256-GCM) or "cobblestone-128" creates a pqseal object,
    which only pqseal reads, for keys of any KEM that policy allows.
    """

def file_decrypt(
    source: _Source,
    target: _Target,
    identities: Sequence[Identity | str],
    *,
    threads: int | None = None,
    policy: _Policy = "draft",
) -> None:
    """Decrypts all of source, from its current position, to target, on all cores or on this number of threads.

    Only authenticated data is written. If it raises, the output is the beginning of the plaintext.
    """

def file_inspect(source: _Source) -> _InspectedFile:
    """Returns the properties of an encrypted file that are visible without a key, read from the current position of source.

    recipients are the kinds of stanzas, or the key ids of an object. plaintext_bytes is None if source cannot seek, is armored, or was
    truncated.
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
    """Writes the encrypted file source to target, for other recipients. The payload is copied, not decrypted.

    Anyone who could decrypt the old file and kept its file key can still read the new one. To prevent that, encrypt again.
    """

@final
class FileReader:
    """A decrypting reader of a binary file object. pqseal.files.open wraps it in a file object."""

    def __new__(cls, source: _Source, identities: Sequence[Identity | str], *, policy: _Policy = "draft") -> FileReader: ...
    def read(self, size: int) -> bytes:
        """Reads at least one byte and at most size, or none at the end."""
    def seek(self, offset: int, whence: int) -> int:
        """Moves to a position in the plaintext, like io.IOBase.seek. The end of the file is authenticated first."""
    def tell(self) -> int:
        """Returns the position in the plaintext."""
    @property
    def seekable(self) -> bool:
        """True if seek is supported."""
    def close(self) -> None:
        """Drops the key. The source stays open."""

@final
class FileWriter:
    """An encrypting writer to a binary file object. pqseal.files.Writer wraps it in a file object."""

    def __new__(
        cls,
        target: _Target,
        recipients: Sequence[Recipient | str],
        *,
        armor: bool = False,
        format: _FileFormat = "age",
        policy: _Policy = "draft",
    ) -> FileWriter: ...
    def write(self, data: _Bytes) -> int:
        """Encrypts all of data."""
    def flush(self) -> None:
        """Flushes the target. An incomplete chunk is kept."""
    def finish(self) -> None:
        """Writes the last chunk. The target stays open."""
    def abort(self) -> None:
        """Drops the key. The output has no end, and cannot be decrypted."""
