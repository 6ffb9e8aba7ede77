"""Encrypted files in the age format (age-encryption.org/v1), including post-quantum recipients.

>>> import io
>>> from pqseal import files
>>> identity = files.Identity.generate()
>>> sealed = io.BytesIO()
>>> files.encrypt(io.BytesIO(b"text"), sealed, [identity.recipient])
>>> _ = sealed.seek(0)
>>> with files.open(sealed, [identity]) as plaintext:
...     plaintext.read()
b'text'

Sources and targets are binary file objects, such as `open(path, "rb")`; they stay open. Recipients and identities are objects or
age's strings. Failures are `PqsealError`s. Exceptions of a file object are passed through.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from pqseal._core import FileReader, FileWriter, Identity, PqsealError, Recipient, read_identities, read_recipients
from pqseal._core import file_decrypt as decrypt
from pqseal._core import file_encrypt as encrypt
from pqseal._core import file_inspect as inspect
from pqseal._core import file_rekey as rekey

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
    from pqseal._core import _FileFormat, _Policy, _Source, _Target

# Without `open`: `from pqseal.files import *` would hide the builtin.
__all__ = [
    "Identity",
    "PqsealError",
    "Recipient",
    "Writer",
    "decrypt",
    "encrypt",
    "inspect",
    "read_identities",
    "read_recipients",
    "rekey",
]


def open(source: _Source, identities: Sequence[Identity | str], *, policy: _Policy = "draft") -> io.BufferedReader:
    """Decrypts a file while it is read.

    Only authenticated data is returned. The reader is seekable if `source` is and is not armored. Only the chunks that are read are
    decrypted, and the first seek authenticates the end of the file. Threads may share a reader.
    """
    return io.BufferedReader(_Reader(FileReader(source, identities, policy=policy)), 1 << 16)


class _Reader(io.RawIOBase):
    def __init__(self, core: FileReader) -> None:
        self._core = core

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._core.seekable

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with memoryview(buffer) as view, view.cast("B") as target:
            data = self._core.read(len(target))
            target[: len(data)] = data
            return len(data)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._core.read(1 << 16), b""))

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if not self.seekable():
            raise io.UnsupportedOperation("the source cannot seek, or is armored")
        return self._core.seek(offset, whence)

    def tell(self) -> int:
        return self._core.tell()

    def close(self) -> None:
        self._core.close()
        super().close()


class Writer(io.BufferedIOBase):
    """A file object that encrypts the data written to it.

    `close()`, or the end of a `with` block, writes the end of the file, without which it cannot be decrypted. A `with` block that ends
    with an exception writes no end, and neither does a writer that is dropped.
    """

    _open = False

    def __init__(
        self,
        target: _Target,
        recipients: Sequence[Recipient | str],
        *,
        armor: bool = False,
        format: _FileFormat = "age",
        policy: _Policy = "draft",
    ) -> None:
        self._core = FileWriter(target, recipients, armor=armor, format=format, policy=policy)
        self._open = True
        self._count = 0

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        count = self._core.write(data if isinstance(data, (bytes, bytearray)) else bytes(memoryview(data)))
        self._count += count
        return count

    def tell(self) -> int:
        """Returns the number of bytes that were written."""
        return self._count

    def flush(self) -> None:
        """Flushes the target. An incomplete chunk of less than 64 KiB is kept."""
        if self._open:
            self._core.flush()

    def close(self) -> None:
        """Writes the end of the file."""
        try:
            if self._open:
                self._core.finish()
        finally:
            self.abort()

    def abort(self) -> None:
        """Closes without writing the end, so that the file cannot be decrypted."""
        if self._open:
            self._open = False
            self._core.abort()
        super().close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self) -> None:
        self.abort()
