"""Matched data in Apache Spark: one function for batch jobs and Structured Streaming.

Keys are files on the executors (a mounted secret, or `SparkContext.addFile`): a plan, an event log or a query's text contains only
their paths. pqseal and pyarrow must be installed on the executors; native code does not load from the zip files of `--py-files`.
"""

# pyarrow has no types of its own.
# pyright: reportMissingTypeStubs=none, reportUnknownArgumentType=none, reportUnknownMemberType=none
# pyright: reportUnknownParameterType=none, reportUnknownVariableType=none

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import pqseal

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

STATUS = "decrypt_status"


def open_column(
    df: DataFrame,
    column: str | Column,
    key_files: str | os.PathLike[str] | list[str | os.PathLike[str]],
    *,
    into: str | None = None,
    aad: str | Column | None = None,
    info: bytes | None = None,
    min_version: Literal[1, 2, 3, 4] = 1,
    policy: str = "draft",
    text: bool = True,
) -> DataFrame:
    """Returns the same records in the same order, with two more columns.

    `column` contains the blobs: a column of string or binary, or the path of a field, such as `Metadata.encrypted_matched_data`.
    `key_files` are paths on the executors, absolute or as `SparkContext.addFile` knows them. A pqseal.KeyRing is refused, since its keys
    would be part of the plan. `into` is the name of the column with the plaintexts (default `decrypted_` and the field's name). It is a
    string, in which bytes that are not UTF-8 are replaced and the status is `lossy`, or binary with `text=False`. It is null where
    nothing was opened; `decrypt_status` has the reason, as in `pqseal.open_batch`. `aad` is the column with the associated data of each
    blob, and `info` is common to all. Only version 4 is bound to them: `min_version=4` refuses older blobs, which could be substituted.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import BinaryType, StringType, StructField, StructType

    paths = _paths(key_files)
    blobs = F.col(column) if isinstance(column, str) else column
    into = into or _name(column)
    taken = {name for name in (into, STATUS) if name in df.columns}
    if taken:
        raise ValueError(f"the records have a column {', '.join(sorted(taken))} already; drop it, or name another with into=")
    added = [StructField(into, StringType() if text else BinaryType()), StructField(STATUS, StringType(), False)]
    schema = StructType([*df.schema.fields, *added])
    inputs = df.withColumn(_BLOBS, blobs)
    if aad is not None:
        inputs = inputs.withColumn(_AAD, F.col(aad) if isinstance(aad, str) else aad)

    def open_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _open_batch(batch, _keyring(paths, min_version), into, info=info, policy=policy, text=text)

    return inputs.mapInArrow(open_batches, schema)


_BLOBS = "__pqseal_blobs"
_AAD = "__pqseal_aad"


def _open_batch(batch: pa.RecordBatch, ring: pqseal.KeyRing, into: str, **options: object) -> pa.RecordBatch:
    import pyarrow as pa

    aad = batch.column(_AAD) if _AAD in batch.schema.names else None
    opened = pqseal.open_batch(ring, batch.column(_BLOBS), aad=aad, **options)  # type: ignore[arg-type]
    kept = [n for n, name in enumerate(batch.schema.names) if name not in (_BLOBS, _AAD)]
    columns = [batch.column(n) for n in kept] + [pa.array(opened.plaintext), pa.array(opened.status)]
    fields = [batch.schema.field(n) for n in kept] + [pa.field(into, columns[-2].type), pa.field(STATUS, columns[-1].type, False)]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def _keyring(paths: tuple[str, ...], min_version: Literal[1, 2, 3, 4]) -> pqseal.KeyRing:
    """Returns the keys, which are read again when a file has changed, since a stream outlives the rotation of a key."""
    from pyspark import SparkFiles

    found = [path if os.path.isabs(path) else SparkFiles.get(path) for path in paths]
    return _read(tuple((path, os.stat(path).st_mtime_ns) for path in found), min_version)


@lru_cache(maxsize=4)
def _read(files: tuple[tuple[str, int], ...], min_version: Literal[1, 2, 3, 4]) -> pqseal.KeyRing:
    return pqseal.KeyRing.from_files(*(path for path, _ in files), min_version=min_version)


def _paths(key_files: str | os.PathLike[str] | list[str | os.PathLike[str]]) -> tuple[str, ...]:
    if isinstance(key_files, pqseal.KeyRing):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("key_files must be paths of key files on the executors, not a KeyRing, whose keys would travel in the plan")
    several = key_files if isinstance(key_files, (list, tuple)) else [key_files]
    if not several:
        raise ValueError("key_files is empty; name at least one key file")
    return tuple(os.fspath(path) for path in several)


def _name(column: str | Column) -> str:
    if not isinstance(column, str):
        raise ValueError("into= is missing; name the result, or give the blobs by the path of their field")
    return "decrypted_" + column.rsplit(".", 1)[-1].removeprefix("encrypted_")
