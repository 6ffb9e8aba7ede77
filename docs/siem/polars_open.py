"""Polars: an expression that opens a column, and a log file in, Parquet out.

    python polars_open.py key.txt 'logs/*.ndjson.gz' opened.parquet
"""

import sys

import polars as pl
import pqseal

key_file, logs, output = sys.argv[1:]
ring = pqseal.KeyRing.from_files(key_file)


def pqseal_open(blobs: pl.Series) -> pl.Series:
    return pl.Series(pqseal.open_batch(ring, blobs, text=True))


blob = pl.col("Metadata").struct.field("encrypted_matched_data")
answer = pl.Struct({"plaintext": pl.String, "status": pl.String})
opened = blob.map_batches(pqseal_open, return_dtype=answer, is_elementwise=True).alias("opened")
pl.scan_ndjson(logs).with_columns(opened).sink_parquet(output, compression="zstd")
