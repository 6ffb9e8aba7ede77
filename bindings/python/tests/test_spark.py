"""Spark with two executor processes: 100,000 records from gzip files, in a batch and in a stream that is stopped and resumed."""

from __future__ import annotations

import os
import pathlib
import sys
import time
from collections.abc import Iterator

import pqseal
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import pqseal.spark
from events import PERIOD, Writer, plaintext

FILES = 10
RECORDS = 100_000
EACH = RECORDS // FILES
SCHEMA = "RayID bigint, Action string, Metadata struct<encrypted_matched_data: string, type: string>"


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    # Two executors, each a process of its own, as on two machines.
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("pqseal")
    settings = {
        "spark.ui.enabled": "false",
        "spark.executor.memory": "768m",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        # Not snappy, whose Java package takes a machine that has musl's linker, as README.md asks
        # for one, for one without glibc.
        "spark.sql.parquet.compression.codec": "gzip",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, pqseal.KeyPair]:
    pair = pqseal.generate_key_pair("x25519", format="raw")
    path = tmp_path_factory.mktemp("keys") / "key.txt"
    path.write_text(pair.export_private_key())
    return path, pair


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, keys: tuple[pathlib.Path, pqseal.KeyPair]) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("logs")
    writer = Writer(keys[1].public_key)
    for n in range(FILES):
        writer.write(folder / f"{n}.ndjson.gz", range(n * EACH, (n + 1) * EACH))
    return folder


def check(spark: SparkSession, opened: DataFrame, records: int) -> None:
    """Each record once, with its own plaintext and its own status."""
    expected = {"truncated": 1, "absent": 1, "no_key_matched": 1, "bad_length": 1, "opened": PERIOD - 4}
    opened = opened.persist()
    counts = {row.decrypt_status: row["count"] for row in opened.groupBy("decrypt_status").count().collect()}
    assert counts == {status: n * records // PERIOD for status, n in expected.items()}
    assert opened.agg(F.countDistinct("RayID"), F.min("RayID"), F.max("RayID")).first() == (records, 0, records - 1)
    texts = spark.createDataFrame([(n, plaintext(n)) for n in range(1000)], "n bigint, expected string")
    joined = opened.join(F.broadcast(texts), F.col("RayID") % 1000 == F.col("n"))
    fine = F.when(F.col("decrypt_status") == "opened", F.col("decrypted_matched_data") == F.col("expected"))
    assert joined.filter(~F.coalesce(fine, F.col("decrypted_matched_data").isNull())).count() == 0
    opened.unpersist()


def test_a_batch(spark: SparkSession, logs: pathlib.Path, keys: tuple[pathlib.Path, pqseal.KeyPair], tmp_path: pathlib.Path) -> None:
    df = spark.read.schema(SCHEMA).json(str(logs))
    opened = pqseal.spark.open_column(df, "Metadata.encrypted_matched_data", keys[0])
    assert opened.columns == [*df.columns, "decrypted_matched_data", "decrypt_status"]
    opened.write.parquet(str(tmp_path / "opened"))
    check(spark, spark.read.parquet(str(tmp_path / "opened")), RECORDS)
    executors = opened.select(F.spark_partition_id()).distinct().count()
    assert executors == df.rdd.getNumPartitions() > 1


def test_a_stream_stopped_half_way_and_resumed(
    spark: SparkSession, logs: pathlib.Path, keys: tuple[pathlib.Path, pqseal.KeyPair], tmp_path: pathlib.Path
) -> None:
    def start(**trigger: object) -> object:
        df = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 3).json(str(logs))
        opened = pqseal.spark.open_column(df, "Metadata.encrypted_matched_data", keys[0])
        writer = opened.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        return writer.trigger(**trigger).start(str(tmp_path / "opened"))  # type: ignore[arg-type]

    query = start(processingTime="0 seconds")
    while not query.recentProgress:  # type: ignore[attr-defined]
        assert query.isActive, query.exception()  # type: ignore[attr-defined]
        time.sleep(0.05)
    query.stop()  # type: ignore[attr-defined]
    before = spark.read.parquet(str(tmp_path / "opened")).count()
    assert 0 < before < RECORDS
    late = Writer(keys[1].public_key).write(logs / "late.ndjson.gz", range(RECORDS, RECORDS + EACH))
    try:
        query = start(availableNow=True)
        query.awaitTermination()  # type: ignore[attr-defined]
        assert sum(progress["numInputRows"] for progress in query.recentProgress) <= RECORDS + EACH - before  # type: ignore[attr-defined]
        check(spark, spark.read.parquet(str(tmp_path / "opened")), RECORDS + EACH)
    finally:
        late.unlink()


def test_records_bound_to_a_column_and_keys_sent_with_the_job(
    spark: SparkSession, keys: tuple[pathlib.Path, pqseal.KeyPair]
) -> None:
    spark.sparkContext.addFile(str(keys[0]))
    rows = [(str(n), pqseal.seal(keys[1].public_key, b"\xff%d" % n, aad=b"%d" % n, info=b"zone")) for n in range(10)]
    df = spark.createDataFrame([*rows, ("11", rows[0][1])], "id string, blob string")
    opened = pqseal.spark.open_column(df, "blob", keys[0].name, aad="id", info=b"zone", text=False)
    answers = [(bytes(row.decrypted_blob or b""), row.decrypt_status) for row in opened.orderBy(F.col("id").cast("int")).collect()]
    assert answers == [(b"\xff%d" % n, "opened") for n in range(10)] + [(b"", "altered")]


def test_the_plan_has_no_key(spark: SparkSession, keys: tuple[pathlib.Path, pqseal.KeyPair]) -> None:
    df = spark.createDataFrame([("truncated",)], "blob string")
    opened = pqseal.spark.open_column(df, "blob", [keys[0]])
    plan = opened._jdf.queryExecution().toString()
    assert "open_batches" in plan and keys[1].export_private_key().rstrip("=\n") not in plan
    with pytest.raises(TypeError, match="paths of key files"):
        pqseal.spark.open_column(df, "blob", pqseal.KeyRing(keys[1].export_private_key()))  # type: ignore[arg-type]


def test_mistakes_are_named(spark: SparkSession, keys: tuple[pathlib.Path, pqseal.KeyPair], tmp_path: pathlib.Path) -> None:
    df = spark.createDataFrame([("truncated", "")], "blob string, decrypt_status string")
    with pytest.raises(ValueError, match="decrypt_status already"):
        pqseal.spark.open_column(df, "blob", keys[0])
    with pytest.raises(ValueError, match="at least one key file"):
        pqseal.spark.open_column(df, "blob", [])
    with pytest.raises(ValueError, match="into="):
        pqseal.spark.open_column(df, F.col("blob"), keys[0])
    with pytest.raises(Exception, match="cannot read the key file|No such file"):
        pqseal.spark.open_column(df.select("blob"), "blob", tmp_path / "none").collect()
