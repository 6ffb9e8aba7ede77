#!/usr/bin/env python3
"""`pqseal logs` on object stores: S3 (moto), Google Cloud Storage (fake-gcs-server) and Azure Blob Storage (Azurite).

    dev/interop/stores/live.py [s3] [gcs] [azure]

Each is a server of its own, which this starts on the loopback interface, behind a relay that can cut connections and count bytes. Objects
are put there and read back by the stores' own clients. 100,000 records go in and each comes out once, across kill -9 and resume. Needs
what `dev/interop/setup.sh stores` installs. Ends with `N passed, N failed`, and exits with 1 if something failed.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from servers import ROOT, build, expect, report  # noqa: E402
from gcs import Gcs  # noqa: E402
from store import S3, Server  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / ".build" / "stores"
PYTHON = BUILD / "venv" / "bin" / "python"
RECORDS, FILES = 100_000, 200
# Azurite's, which everyone knows.
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def main():
    if not PYTHON.exists():
        sys.exit("dev/interop/stores: the servers are missing; run: dev/interop/setup.sh stores")
    if pathlib.Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        os.execv(PYTHON, [str(PYTHON), __file__, *sys.argv[1:]])
    stores = {"s3": S3, "gcs": Gcs, "azure": Azure}
    pqseal = build("stores")
    results = []
    with tempfile.TemporaryDirectory(prefix="pqseal-stores-") as name, contextlib.ExitStack() as servers:
        files = Files(pathlib.Path(name), pqseal)
        for kind in sys.argv[1:] or stores:
            folder = files.folder / kind
            folder.mkdir()
            store = servers.enter_context(stores[kind](folder))
            checks = Checks(store, files, pqseal)
            for check in (checks.one_object, checks.parquet, checks.damaged, checks.changed, checks.gone, checks.missing_bucket,
                          checks.wrong_credentials, checks.state, checks.memory, checks.roundtrip, checks.kills):
                if check.__name__ in store.lacks:
                    print(f"not run  {kind}: {check.__name__}: {store.lacks[check.__name__]}")
                    continue
                results.append(report(f"{kind}: {check.__name__}", check))
            if kind == "s3":
                results.append(report("s3: the files to copy", checks.copied))
        if not sys.argv[1:]:
            results.append(report("s3 to azure", lambda: across(files, pqseal, servers)))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


class Files:
    """Sealed events in local files, each event with a number."""

    def __init__(self, folder, pqseal):
        self.folder, self.key = folder, folder / "key.txt"
        public = subprocess.run([pqseal, "keygen", "-o", self.key], check=True, capture_output=True, text=True)
        public = subprocess.run([pqseal, "pubkey", self.key], check=True, capture_output=True, text=True).stdout.strip()
        plain, self.sealed = folder / "plain", folder / "sealed"
        plain.mkdir()
        numbers = iter(range(RECORDS))
        sizes = [RECORDS // FILES] * FILES
        self.day = sum(sizes[::2])
        for file, size in enumerate(sizes):
            lines = [json.dumps({"id": next(numbers), "Metadata": {"matched_data": f"value {file}"}}) for _ in range(size)]
            day = plain / f"2026112{file % 2}"
            day.mkdir(exist_ok=True)
            text = ("\n".join(lines) + "\n").encode()
            (day / f"events-{file:03}.log.gz").write_bytes(gzip.compress(text, 1, mtime=0))
        subprocess.run([pqseal, "logs", "seal", "--to", public, plain, "-o", f"{self.sealed}/"], check=True, capture_output=True)

    def all(self):
        return sorted(path for path in self.sealed.rglob("*.gz"))


class Azure(Server):
    scheme = "az"

    def command(self):
        return [BUILD / "node_modules" / ".bin" / "azurite-blob", "--silent", "--disableTelemetry", "--inMemoryPersistence",
                "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", str(self.port)]

    def connect(self):
        from azure.storage.blob import BlobServiceClient
        self.client = BlobServiceClient(f"http://127.0.0.1:{self.port}/devstoreaccount1", credential=AZURE_KEY)

    def environment(self):
        return {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": f"http://127.0.0.1:{self.relay.port}"}

    @contextlib.contextmanager
    def wrong(self):
        account = {"AZURE_STORAGE_ACCOUNT_NAME": "devstoreaccount1", "AZURE_ALLOW_HTTP": "true", "AZURE_STORAGE_USE_EMULATOR": "false",
                   "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{self.relay.port}/devstoreaccount1"}
        yield {**account, "AZURE_STORAGE_ACCOUNT_KEY": "bm90IHRoaXMgb25l"}, {**account, "AZURE_STORAGE_ACCOUNT_KEY": AZURE_KEY}

    def make(self, bucket):
        self.client.create_container(bucket)

    def put(self, bucket, key, data):
        self.client.get_blob_client(bucket, key).upload_blob(data, overwrite=True)

    def get(self, bucket, key):
        return self.client.get_blob_client(bucket, key).download_blob().readall()

    def keys(self, bucket, below):
        return sorted(found.name for found in self.client.get_container_client(bucket).list_blobs(f"{below}/"))


class Run:
    """A run of pqseal."""

    def __init__(self, pqseal, store, *arguments, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": str(store.folder), **store.environment(), **more.get("environment", {})}
        self.command = [str(argument) for argument in (pqseal, "logs", *arguments)]
        self.process = subprocess.Popen(self.command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def peak(self):
        """The most memory that it had, in MB, as far as is seen while it runs."""
        peak = 0
        while self.process.poll() is None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
                peak = int(status.split("VmHWM:")[1].split()[0]) >> 10
            time.sleep(0.02)
        return peak

    def end(self, code=0):
        out, error = self.process.communicate(timeout=200)
        text = error.decode(errors="replace")
        expect(self.process.returncode == code, f"exit code {self.process.returncode} and not {code}: {text[-600:]}")
        self.out = out
        return text


class Checks:
    def __init__(self, store, files, pqseal):
        self.store, self.files, self.pqseal, self.bucket = store, files, pqseal, "logs"
        store.make(self.bucket)
        sealed = [(path.relative_to(files.sealed), path.read_bytes()) for path in files.all()]
        store.upload(self.bucket, sealed, "in")

    def at(self, key, bucket=None):
        return f"{self.store.scheme}://{bucket or self.bucket}/{key}"

    def output(self, key):
        return self.store.get(self.bucket, key)

    def names(self, below):
        """The outputs, without the state."""
        return [key for key in self.store.keys(self.bucket, below) if ".pqseal" not in key]

    def run(self, *arguments, **more):
        return Run(self.pqseal, self.store, "open", "-k", self.files.key, *arguments, **more)

    def opened(self, below):
        """The ids of the events in the outputs, each of which must be opened."""
        ids = collections.Counter()
        for key in self.names(below):
            for line in gzip.decompress(self.output(key)).splitlines():
                record = json.loads(line)
                expect(record["Metadata"]["decrypted_matched_data"].startswith("value "), line)
                ids[record["id"]] += 1
        return ids

    def expect_all(self, below, records=RECORDS):
        ids = self.opened(below)
        twice = [number for number, count in ids.items() if count > 1]
        expect(len(ids) == records and not twice, f"{len(ids)} of {records} records, {len(twice)} more than once")

    def roundtrip(self):
        """From the store to the store; a second run has nothing to do, and one for a day takes that day."""
        text = self.run(self.at("in/"), "-o", self.at("out/"), "--stats", "json").end()
        expect(f'"records":{RECORDS}' in text, text[-400:])
        self.expect_all("out")
        text = self.run(self.at("in/"), "-o", self.at("out/")).end()
        expect("nothing to do" in text, text)
        text = self.run(self.at("in/20261121"), "-o", self.at("day/"), "--since", "1h", "--stats", "json").end()
        expect(len(self.names("day")) == FILES // 2, "one day")
        text = self.run(self.at("in"), "-o", self.at("none/"), "--until", "2026-01-01").end()
        expect("--since and --until" in text and not self.names("none"), text)

    def kills(self):
        """kill -9 after so many megabytes were read, which are counted and not timed; then a run that ends."""
        total = sum(path.stat().st_size for path in self.files.all())
        kills = 0
        for part in (0.05, 0.3, 0.8, 0.2):
            run = self.run(self.at("in/"), "-o", self.at("killed/"))
            self.store.relay.after(int(total * part * random.uniform(0.8, 1.2)), run.process.kill)
            run.process.communicate(timeout=300)
            kills += run.process.returncode == -signal.SIGKILL
        self.store.relay.hook = None
        self.run(self.at("in/"), "-o", self.at("killed/")).end()
        expect(kills >= 2, f"{kills} kills")
        self.expect_all("killed")

    def one_object(self):
        """One object to standard output, to a file, and a file to an object."""
        key = "in/20261120/events-000.log.gz"
        run = self.run(self.at(key))
        run.end()
        file = self.store.folder / "one.ndjson.gz"
        self.run(self.at(key), "-o", file).end()
        expect(gzip.decompress(file.read_bytes()) == run.out, "the file is not what standard output was")
        self.run(self.files.sealed / key[3:], "-o", self.at("single/one.ndjson")).end()
        expect(self.output("single/one.ndjson") == run.out, "the object is not what standard output was")
        text = self.run(self.at(key), "-o", self.at(key)).end(2)
        expect("would overwrite it" in text, text)
        folder = self.store.folder / "local"
        self.run(self.at("in/20261120"), self.files.sealed / "20261121/events-001.log.gz", "-o", f"{folder}/").end()
        expect(len(list(folder.rglob("*.gz"))) == FILES // 2 + 1, "objects and a file into a folder")

    def parquet(self):
        import pyarrow
        from pyarrow import parquet
        lines = [json.loads(line) for path in self.files.all() for line in gzip.decompress(path.read_bytes()).splitlines()]
        column = [line["Metadata"]["encrypted_matched_data"] for line in lines]
        noise = [random.randbytes(150).hex() for _ in lines]
        table = pyarrow.table({"id": [line["id"] for line in lines], "encrypted_matched_data": column, "noise": noise})
        path = self.store.folder / "t.parquet"
        parquet.write_table(table, path, row_group_size=20_000, compression="zstd")
        self.store.put(self.bucket, "tables/t.parquet", path.read_bytes())
        self.run(self.at("tables/"), "-o", self.at("opened-tables/")).end()
        done = self.store.folder / "done.parquet"
        done.write_bytes(self.output("opened-tables/t.parquet"))
        found = parquet.read_table(done)
        expect(found["id"].to_pylist() == list(range(RECORDS)) or sorted(found["id"].to_pylist()) == list(range(RECORDS)), "ids")
        expect(all(text.startswith("value ") for text in found["decrypted_matched_data"].to_pylist()), "values")
        expect(found["noise"].to_pylist() == noise, "a column that is copied")

    def damaged(self):
        """One damaged object does not stop the others."""
        whole = self.files.all()[0].read_bytes()
        for name, data in (("a.gz", whole), ("b.gz", whole[: len(whole) // 2]), ("c.gz", whole), ("test.txt.gz", b"hello"), (".hidden", b"x")):
            self.store.put(self.bucket, f"bad/{name}", data)
        text = self.run(self.at("bad/"), "-o", self.at("good/"), "--failed-list", "-").end(1)
        expect("bad/b.gz" in text and "bad/a.gz" not in text, text)
        names = self.names("good")
        expect(names == ["good/a.gz", "good/c.gz", "good/test.txt.gz"], names)

    def large(self, megabytes, name):
        """An object of many ranges: the sealed records of one file again and again."""
        lines = gzip.decompress(self.files.all()[-1].read_bytes())
        line = lines[: lines.index(b"\n") + 1]
        plain = line.replace(b"encrypted_matched_data", b"other")
        plain = plain[:-2] + b',"pad":"' + b"x" * 65536 + b'"}\n'
        self.store.put(self.bucket, name, (line + plain * 16) * megabytes)

    def changed(self):
        """An object that is replaced while it is read is not written."""
        self.large(40, "changing/large.ndjson")
        self.store.put(self.bucket, "changing/small.gz", self.files.all()[0].read_bytes())
        self.store.relay.after(6 << 20, lambda: self.store.put(self.bucket, "changing/large.ndjson", b"{}\n" * (14 << 20)))
        text = self.run(self.at("changing/"), "-o", self.at("changed/")).end(1)
        expect("changed while it was read" in text, text)
        expect(self.names("changed") == ["changed/small.gz"], self.names("changed"))

    def gone(self):
        """The server stops in the middle: the run ends, and says so; later the next one does the rest."""
        relay = self.store.relay
        relay.after(1 << 20, relay.cut)
        try:
            text = self.run(self.at("in/20261120"), "-o", self.at("gone/"), "--retry-max-time", "2s").end(3)
        finally:
            relay.hook = None
            relay.cut()
            relay.restore()
        expect("does not answer" in text, text)
        expect(len(self.names("gone")) < FILES // 2, "it was cut too late")
        self.run(self.at("in/20261120"), "-o", self.at("gone/")).end()
        self.expect_all("gone", self.files.day)

    def state(self):
        """What is no part of the state does not change the order of what is: an object that was put anew is done once more, and only once."""
        arguments = self.at("in/20261120"), "-o", self.at("state/")
        self.run(*arguments).end()
        self.store.put(self.bucket, "state/.pqseal-logs/deletion", b"")
        key = "in/20261120/events-000.log.gz"
        time.sleep(1.1)
        self.store.put(self.bucket, key, self.store.get(self.bucket, key))
        text = self.run(*arguments, "--stats", "json").end()
        expect("nothing to do" not in text, text)
        text = self.run(*arguments).end()
        expect("nothing to do" in text, text)

    def copied(self):
        """The command of the unit that docs/siem/stores gives to copy, with the file of its environment."""
        docs = ROOT / "docs/siem/stores"
        lines = [line.lstrip("#").split("=", 1) for line in (docs / "pqseal-stores.env").read_text().splitlines() if "=" in line and "# " not in line]
        given = self.store.environment()
        environment = {name: given.get(name, value) for name, value in lines if name in given or name in ("INPUT", "OUTPUT")}
        expect(environment["INPUT"] == "s3://logs/firewall/" and environment["OUTPUT"] == "s3://opened/firewall/", environment)
        for path in self.files.all()[:3]:
            self.store.put("logs", f"firewall/{path.name}", path.read_bytes())
        self.store.make("opened")
        (command,) = (line.removeprefix("ExecStart=/usr/local/bin/pqseal logs open -k ${CREDENTIALS_DIRECTORY}/key.txt ")
                      for line in (docs / "pqseal-stores.service").read_text().splitlines() if line.startswith("ExecStart="))
        # What has just been written is not old enough for it.
        arguments = [environment.get(word.strip("${}"), word) for word in command.replace("--min-age 1m ", "").split()]
        self.run(*arguments, environment={name: value for name, value in environment.items() if name.startswith("AWS_")}).end()
        expect(len(self.store.keys("opened", "firewall")) >= 3, "the objects of the unit")

    def missing_bucket(self):
        text = self.run(self.at("in/", "nowhere"), "-o", self.at("missing/"), "--retry-max-time", "2s").end(self.store.missing_bucket)
        expect("nowhere" in text, text)
        text = self.run(self.at("in/"), "-o", self.at("out/", "nowhere"), "--retry-max-time", "2s").end(3)
        expect("nowhere" in text, text)

    def wrong_credentials(self):
        with self.store.wrong() as (wrong, right):
            text = self.run(self.at("in/"), "-o", self.at("denied/"), environment=wrong).end(3)
            expect("credentials" in text and not any(secret in text for secret in wrong.values() if len(secret) > 30), text)
            self.run(self.at("in/20261120/events-000.log.gz"), environment=right).end()

    def memory(self):
        """Flat: an object of four times the size takes no more memory."""
        peaks = []
        for megabytes in (50, 200):
            self.large(megabytes, f"large/{megabytes}.ndjson")
            run = self.run(self.at(f"large/{megabytes}.ndjson"), "-o", self.at(f"large-opened/{megabytes}.ndjson"))
            peaks.append(run.peak())
            run.end()
            opened = self.output(f"large-opened/{megabytes}.ndjson")
            expect(opened.count(b"\n") == 17 * megabytes, "records")
        print(f"      memory: {peaks[0]} and {peaks[1]} MB", flush=True)
        expect(0 < peaks[1] < peaks[0] * 1.25 + 16, peaks)


def across(files, pqseal, servers):
    """From one store to another."""
    first, second = files.folder / "first", files.folder / "second"
    for folder in (first, second):
        folder.mkdir()
    s3, azure = servers.enter_context(S3(first)), servers.enter_context(Azure(second))
    checks = Checks(s3, files, pqseal)
    azure.make("opened")
    checks.run(checks.at("in/20261120"), "-o", "az://opened/all/", environment=azure.environment()).end()
    checks.store, checks.bucket = azure, "opened"
    checks.expect_all("all", files.day)


if __name__ == "__main__":
    sys.exit(main())
