#!/usr/bin/env python3
"""The recipes of docs/siem/spark: Spark on S3 (moto), and Structured Streaming from and to Apache Kafka.

    dev/interop/spark/live.py [s3] [kafka]

Starts the servers on the loopback interface and runs the files that users copy with spark-submit. 10,000 events go in and each comes out with
its own plaintext and status, also if the stream is killed, stopped and started again. Needs what `dev/interop/setup.sh spark` installs.
Takes some minutes. Ends with `N passed, N failed`, and exits with 1 if something failed.
"""

import collections
import contextlib
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

INTEROP = pathlib.Path(__file__).resolve().parents[1]
ROOT = INTEROP.parents[1]
sys.path[:0] = map(str, (INTEROP, INTEROP / "kafka", INTEROP / "stores", ROOT / "bindings" / "python" / "tests"))
from broker import Broker  # noqa: E402
from servers import expect, report  # noqa: E402
from store import S3  # noqa: E402

BUILD = INTEROP / ".build" / "spark"
PYTHON = BUILD / "venv" / "bin" / "python"
RECIPES = ROOT / "docs" / "siem" / "spark"
RECORDS, FILES, BATCH = 10_000, 10, 500


def main():
    if not (BUILD / "jars").exists():
        sys.exit("dev/interop/spark: Spark is missing; run: dev/interop/setup.sh spark")
    if pathlib.Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        os.execv(PYTHON, [str(PYTHON), __file__, *sys.argv[1:]])
    checks = {"s3": s3, "kafka": kafka}
    results = []
    for name in sys.argv[1:] or checks:
        with tempfile.TemporaryDirectory(prefix="pqseal-spark-") as folder:
            results.append(report(name, lambda: checks[name](pathlib.Path(folder))))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


def s3(folder):
    """Objects of gzip in one bucket, opened into another."""
    key, events = sealed(folder)
    with S3(folder) as store:
        store.make("logs")
        store.make("opened")
        for n in range(FILES):
            store.put("logs", f"firewall/{n}.log.gz", gzip.compress("\n".join(events[n::FILES]).encode()))
        address = f"http://127.0.0.1:{store.port}"
        settings = {"endpoint": address, "endpoint.region": "us-east-1", "path.style.access": "true"}
        credentials = {name.upper(): value for name, value in store.user.items()}
        recipe = RECIPES / "s3_open.py"
        Run(folder, recipe, key, "s3a://logs/firewall/", "s3a://opened/firewall/", settings=settings, environment=credentials).end()
        written = store.keys("opened", "firewall")
        expect("firewall/_SUCCESS" in written, written)
        parts = [gzip.decompress(store.get("opened", name)).decode() for name in written if name.endswith(".json.gz")]
    compare([json.loads(line) for part in parts for line in part.splitlines()], 0)


def kafka(folder):
    """From topic to topic. The stream is killed, stopped and started again half-way."""
    key, events = sealed(folder)
    recipe = folder / "kafka_open.py"
    text = (RECIPES / "kafka_open.py").read_text()
    expect(text.count("BATCH = 100_000\n") == 1, "kafka_open.py has no BATCH")
    recipe.write_text(text.replace("BATCH = 100_000\n", f"BATCH = {BATCH}\n"))
    # Batches in which it is stopped, and how.
    stops = {4: signal.SIGKILL, 8: signal.SIGKILL, 12: signal.SIGTERM}
    with Broker(folder / "broker") as broker:
        broker.topic("sealed")
        broker.topic("opened")
        broker.fill("sealed", (("n:1", f"key-{n}", event) for n, event in enumerate(events)))
        start = lambda: Run(folder, recipe, key, f"127.0.0.1:{broker.direct}", "sealed", "opened", folder / "checkpoint")
        for batch, how in stops.items():
            run = start()
            run.wait((folder / "checkpoint" / "offsets" / str(batch)).exists)
            time.sleep(random.uniform(0, 0.5))
            run.stop(how)
            came = len(broker.read("opened"))
            print(f"      {how.name} after {came} messages", flush=True)
            expect(came < RECORDS, "the stream was done before it was stopped")
        run = start()
        run.wait(lambda: len({message.key for message in broker.read("opened")}) == len(events))
        run.stop(signal.SIGTERM)
        found = broker.read("opened")
    rows = [json.loads(message.value) for message in found]
    for message, row in zip(found, rows):
        expect(message.key == f"key-{row.get('RayID', RECORDS)}", f"{row} has the key {message.key}")
    # One batch a stop, and not all from the beginning.
    compare(rows, len(stops) * BATCH)


def sealed(folder):
    """A key file, and events of all outcomes as lines of JSON, with one at the end that is not JSON."""
    import pqseal
    from events import Writer

    pair = pqseal.generate_key_pair("x25519", format="raw")
    (folder / "key.txt").write_text(pair.export_private_key())
    writer = Writer(pair.public_key)
    return folder / "key.txt", [*(json.dumps(writer.event(n)) for n in range(RECORDS)), "no JSON"]


def compare(rows, most):
    """Each event came out, with its own result, and at most so many of them again."""
    from events import plaintext, status

    others = [row for row in rows if "RayID" not in row]
    rows = [row for row in rows if "RayID" in row]
    expect(others and all(row == {"_corrupt_record": "no JSON", "decrypt_status": "absent"} for row in others), others)
    for row in rows:
        n = int(row["RayID"])
        wanted = plaintext(n) if status(n) == "opened" else None
        expect((row.get("decrypted_matched_data"), row["decrypt_status"]) == (wanted, status(n)), row)
    times = collections.Counter(int(row["RayID"]) for row in rows)
    missing = RECORDS - len(times)
    expect(missing == 0 and set(times) == set(range(RECORDS)), f"{missing} events are missing")
    print(f"      {len(rows) - RECORDS} duplicates", flush=True)
    expect(len(rows) - RECORDS <= most, "the stream began again")


class Run:
    """A recipe that spark-submit runs."""

    def __init__(self, folder, recipe, *arguments, settings={}, environment={}):
        jars = ",".join(str(jar) for jar in sorted((BUILD / "jars").iterdir()))
        settings = {**{f"spark.hadoop.fs.s3a.{name}": value for name, value in settings.items()}, "spark.ui.enabled": "false"}
        options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        command = [PYTHON.parent / "spark-submit", "--master", "local[2]", "--jars", jars, *options, recipe, *arguments]
        environment = {"PATH": f"{PYTHON.parent}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8", "SPARK_LOCAL_IP": "127.0.0.1",
                       "PYSPARK_PYTHON": str(PYTHON), **environment}
        self.log = folder / "spark.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def end(self, timeout=600):
        try:
            code = self.process.wait(timeout)
        finally:
            self.signal(signal.SIGKILL)
        expect(code == 0, f"exit code {code}: {self.said()}")

    def wait(self, is_so, timeout=600):
        """For the servers to have what is asked for; a run that does not get there is killed."""
        end = time.monotonic() + timeout
        try:
            while not is_so():
                expect(self.process.poll() is None, f"the stream ended: {self.said()}")
                expect(time.monotonic() < end, f"the stream takes too long: {self.said()}")
                time.sleep(0.02)
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def stop(self, how):
        """With all processes that it started."""
        try:
            self.signal(how)
            self.process.wait(120)
        finally:
            self.signal(signal.SIGKILL)

    def signal(self, how):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)

    def said(self):
        return self.log.read_text(errors="replace")[-1500:]


if __name__ == "__main__":
    sys.exit(main())
