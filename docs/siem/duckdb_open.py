"""DuckDB: pqseal_open(blob) in SQL, and a log file in, Parquet out.

    python duckdb_open.py key.txt 'logs/*.ndjson.gz' opened.parquet
"""

import sys

import duckdb
import pqseal
import pyarrow as pa

key_file, logs, output = sys.argv[1:]
ring = pqseal.KeyRing.from_files(key_file)


def pqseal_open(blobs: pa.ChunkedArray) -> pa.Array:
    return pa.array(pqseal.open_batch(ring, blobs, text=True))


db = duckdb.connect()
answer = db.struct_type({"plaintext": "VARCHAR", "status": "VARCHAR"})
# NULL is given to the function too: the status says `absent`.
db.create_function("pqseal_open", pqseal_open, ["VARCHAR"], answer, type="arrow", null_handling="special")
db.sql("SELECT *, pqseal_open(Metadata.encrypted_matched_data) AS opened FROM read_json(?)", params=[logs]).write_parquet(
    output, compression="zstd"
)
