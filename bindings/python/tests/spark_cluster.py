"""A standalone Spark cluster that loses a machine: a master and two workers, one of which is killed half-way with its executor.

    bindings/python/.venv/bin/python bindings/python/tests/spark_cluster.py

Everything runs on 127.0.0.1 and ends with this program. Its last line reports the counts.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pqseal
import pyspark
from pyspark.sql import SparkSession

import pqseal.spark
from events import Writer
from test_spark import SCHEMA, check

FILES = 20
RECORDS = 200_000
PORT = 17077
MASTER = f"spark://127.0.0.1:{PORT}"
HOME = pathlib.Path(pyspark.__file__).parent


def daemon(folder: pathlib.Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Starts a process in a separate group, so that its children end with it."""
    log = (folder / f"{name}.log").open("wb")
    command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{arguments[0]}", *arguments[1:]]
    return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env={**os.environ, "SPARK_HOME": str(HOME)})


def start(folder: pathlib.Path) -> list[subprocess.Popen[bytes]]:
    master = daemon(folder, "master", "master.Master", "--host", "127.0.0.1", "--port", str(PORT), "--webui-port", "0")
    workers = [
        daemon(folder, f"worker{n}", "worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "-c", "1", "-m", "1g",
               "-d", str(folder / f"work{n}"), MASTER)
        for n in (1, 2)
    ]  # fmt: skip
    return [master, *workers]


def kill(daemon: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(daemon.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    daemon.wait()


def kill_half_way(spark: SparkSession, worker: subprocess.Popen[bytes], happened: threading.Event) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not happened.is_set():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(stage and stage.numCompletedTasks >= FILES // 2 for stage in stages):
            kill(worker)
            happened.set()
        time.sleep(0.02)


def run(folder: pathlib.Path, worker: subprocess.Popen[bytes]) -> str:
    pair = pqseal.generate_key_pair("x25519", format="raw")
    (folder / "key.txt").write_text(pair.export_private_key())
    (folder / "logs").mkdir()
    writer = Writer(pair.public_key)
    for n in range(FILES):
        writer.write(folder / "logs" / f"{n}.ndjson.gz", range(n * RECORDS // FILES, (n + 1) * RECORDS // FILES))
    builder = SparkSession.builder.master(MASTER).appName("pqseal").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.executor.memory", "768m")
    # As in test_spark.py.
    builder = builder.config("spark.sql.parquet.compression.codec", "gzip")
    # One task per file, so that half of them are a number.
    spark = builder.config("spark.sql.files.openCostInBytes", "128m").getOrCreate()
    while spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 3:
        time.sleep(0.2)
    happened = threading.Event()
    threading.Thread(target=kill_half_way, args=(spark, worker, happened), daemon=True).start()
    df = spark.read.schema(SCHEMA).json(str(folder / "logs"))
    opened = pqseal.spark.open_column(df, "Metadata.encrypted_matched_data", folder / "key.txt")
    opened.write.parquet(str(folder / "opened"))
    assert happened.is_set(), "the job ended before the worker was killed; give it more records"
    check(spark, spark.read.parquet(str(folder / "opened")), RECORDS)
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    spark.stop()
    return f"{RECORDS} records in, each out once; {executors} of 2 executors left"


def main() -> None:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    with tempfile.TemporaryDirectory() as folder:
        daemons = start(pathlib.Path(folder))
        try:
            print(run(pathlib.Path(folder), daemons[1]))
        finally:
            for each in daemons:
                kill(each)


if __name__ == "__main__":
    main()
