"""Opening and sealing of matched data: one blob, or whole Arrow columns. `pqseal.spark` opens it in Apache Spark."""

from pqseal._core import (
    Calendar,
    Column,
    KeyPair,
    KeyRing,
    Opened,
    Period,
    PqsealError,
    __version__,
    generate_key_pair,
    inspect,
    open_batch,
    open_records,
    public_key,
    seal,
    seal_batch,
)

# Named twice, so that type checkers take it for exported.
from pqseal._core import open as open

# Without `open`: `from pqseal import *` would hide the builtin.
__all__ = [
    "Calendar",
    "Column",
    "KeyPair",
    "KeyRing",
    "Opened",
    "Period",
    "PqsealError",
    "__version__",
    "generate_key_pair",
    "inspect",
    "open_batch",
    "open_records",
    "public_key",
    "seal",
    "seal_batch",
]
