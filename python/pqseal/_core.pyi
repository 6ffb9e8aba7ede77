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
    "Keyring",
    "KeyPair",
    "generate_key_pair",
    "public_key",
    "__version__",
]

# Arrow's PyCapsule interface: an array of pyarrow, or a chunked one, or a series of Polars.
class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Column: TypeAlias = _Array | _Stream
_Form: TypeAlias = Literal["raw", "json", "pem", "jwk", "line"]
_Version: TypeAlias = Literal[1, 2, 3, 4]
_Policy: TypeAlias = Literal["standard", "draft", "experimental"]

class _Inspected(TypedDict):
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
    code: str

@final
class KeyPair:
    @property
    def private_key(self) -> str: ...
    @property
    def public_key(self) -> str: ...
    @property
    def key_id(self) -> str: ...

@final
class Keyring:
    def __new__(cls, *keys: str | bytes, min_version: _Version = 1) -> Keyring: ...
    @staticmethod
    def from_files(*paths: str | PathLike[str], min_version: _Version = 1) -> Keyring: ...
    def add(self, key: str | bytes, *, kem: str | None = None) -> None: ...
    def add_file(self, path: str | PathLike[str], *, kem: str | None = None) -> None: ...
    @property
    def key_ids(self) -> list[str]: ...
    @property
    def labels(self) -> list[str | None]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...

@final
class Column:
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Opened:
    @property
    def plaintext(self) -> Column: ...
    @property
    def status(self) -> Column: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

def generate_key_pair(kem: str | None = None, *, form: _Form | None = None, policy: _Policy = "draft") -> KeyPair: ...
def public_key(private_key: str | bytes, *, kem: str | None = None, form: _Form | None = None) -> str: ...
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
) -> str: ...
def open(
    keyring: Keyring,
    blob: str | bytes | bytearray,
    *,
    info: bytes | None = None,
    aad: bytes | None = None,
    policy: _Policy = "draft",
) -> bytes: ...
def inspect(blob: str | bytes | bytearray) -> _Inspected: ...
def open_batch(
    keyring: Keyring,
    blobs: _Column,
    *,
    aad: bytes | _Column | None = None,
    info: bytes | None = None,
    policy: _Policy = "draft",
    text: bool = False,
) -> Opened: ...
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
) -> Column: ...
