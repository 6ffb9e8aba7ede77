"""Parquet files that Arrow writes, opened by `pqseal logs open`: Arrow reads the same table back, and the new columns."""

from __future__ import annotations

import datetime
import decimal
import os
import pathlib
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import PLAINTEXT, ROOT

PQSEAL = pathlib.Path(os.environ.get("PQSEAL_BIN", ROOT / "target" / "debug")) / "pqseal"
ROWS = 3000


def table(blob: str) -> pa.Table:
    """Returns a table with a column of each type that Arrow has and Parquet lacks, and sealed columns of several types."""
    blobs = [blob, None, "truncated", "A*"] * (ROWS // 4)
    count = range(ROWS)
    columns = {
        "plain": pa.array(blobs),
        "large": pa.array(blobs, pa.large_string()),
        "binary": pa.array([text and text.encode() for text in blobs], pa.binary()),
        "view": pa.array(blobs, pa.string_view()),
        "dictionary": pa.array(blobs).dictionary_encode(),
        "Metadata": pa.array([text and {"encrypted_matched_data": text, "version": 57} for text in blobs]),
        "duration": pa.array(count, pa.duration("ms")),
        "zoned": pa.array([datetime.datetime.fromtimestamp(n, datetime.UTC) for n in count], pa.timestamp("us", "Europe/Lisbon")),
        "decimal": pa.array([decimal.Decimal(n) / 100 for n in count], pa.decimal128(9, 2)),
        "list": pa.array([[n, None] for n in count]),
        "map": pa.array([[("k", n)] for n in count], pa.map_(pa.string(), pa.int32())),
    }
    return pa.table(columns).replace_schema_metadata({"note": "kept"})


def opened(folder: pathlib.Path, key_file: pathlib.Path, *arguments: str) -> pa.Table:
    command: list[str | pathlib.Path] = [PQSEAL, "logs", "open", "-k", key_file, *arguments, folder / "in.parquet", "-o", folder / "out.parquet"]
    subprocess.run(command, check=True, capture_output=True)
    return pq.read_table(folder / "out.parquet")


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4"])
def test_round_trip(tmp_path: pathlib.Path, key_file: pathlib.Path, blob: str, compression: str) -> None:
    before = table(blob)
    pq.write_table(before, tmp_path / "in.parquet", compression=compression, row_group_size=1300, use_dictionary=["list"])
    before = pq.read_table(tmp_path / "in.parquet")
    names = ["plain", "large", "binary", "view", "dictionary", "Metadata.encrypted_matched_data"]
    after = opened(tmp_path, key_file, *(word for name in names for word in ("--field", name)))
    assert after.select(before.column_names).equals(before, check_metadata=True)
    assert after.schema.metadata == before.schema.metadata
    results = [f"decrypted_{name}" for name in [*names[:5], "matched_data"]]
    assert after.column_names[len(before.column_names) :] == [name for result in results for name in (result, f"{result}_status")]
    for result in results:
        assert after[result].type == pa.string()
        assert after[result].to_pylist() == [PLAINTEXT.decode(), None, None, None] * (ROWS // 4)
        assert after[f"{result}_status"].to_pylist() == ["opened", "absent", "truncated", "bad_base64"] * (ROWS // 4)
    written = pq.ParquetFile(tmp_path / "out.parquet").metadata
    assert [written.row_group(n).num_rows for n in range(written.num_row_groups)] == [1300, 1300, 400]


def test_bytes_in_place_of_what_was_sealed(tmp_path: pathlib.Path, key_file: pathlib.Path, blob: str) -> None:
    pq.write_table(table(blob), tmp_path / "in.parquet")
    after = opened(tmp_path, key_file, "--preset", "cf-logpush", "--drop-encrypted", "--as", "bytes")
    assert after["decrypted_matched_data"].type == pa.binary()
    assert after["decrypted_matched_data"].to_pylist()[:2] == [PLAINTEXT, None]
    assert after["Metadata"].to_pylist()[:3] == [
        {"encrypted_matched_data": None, "version": 57},
        None,
        {"encrypted_matched_data": "truncated", "version": 57},
    ]
