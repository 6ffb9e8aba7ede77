"""The recipes of docs/siem, each in its engine, with the files that users copy. Only paths are replaced."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import polars as pl
import pqseal
import pytest

from conftest import ROOT
from events import PERIOD, Writer, plaintext, status

RECIPES = ROOT / "docs" / "siem"
RECORDS = 2000


@pytest.fixture(scope="module")
def pair() -> pqseal.KeyPair:
    return pqseal.generate_key_pair("x25519", format="raw")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, pair: pqseal.KeyPair) -> pathlib.Path:
    """Returns a folder with key.txt and logs."""
    work = tmp_path_factory.mktemp("recipes")
    (work / "key.txt").write_text(pair.export_private_key())
    (work / "logs").mkdir()
    writer = Writer(pair.public_key)
    for n in range(2):
        half = RECORDS // 2
        writer.write(work / "logs" / f"{n}.ndjson.gz", range(n * half, (n + 1) * half))
    return work


@pytest.fixture(scope="module")
def path() -> str:
    """Returns a search path that contains pqseal."""
    folder = os.environ.get("PQSEAL_BIN", str(ROOT / "target" / "debug"))
    found = f"{folder}{os.pathsep}{os.environ['PATH']}"
    assert shutil.which("pqseal", path=found), "no pqseal command: run cargo build -p pqseal"
    return found


def expected(n: int) -> str | None:
    return plaintext(n) if status(n) == "opened" else None


def placed(recipe: str, places: dict[str, pathlib.Path] | dict[str, str]) -> str:
    text = (RECIPES / recipe).read_text()
    for old, new in places.items():
        assert old in text, f"{recipe} does not name {old}"
        text = text.replace(old, str(new))
    return text


@pytest.mark.parametrize("recipe", ["duckdb_open.py", "polars_open.py"])
def test_duckdb_and_polars(work: pathlib.Path, tmp_path: pathlib.Path, recipe: str) -> None:
    output = tmp_path / "opened.parquet"
    command = [sys.executable, str(RECIPES / recipe), str(work / "key.txt"), str(work / "logs" / "*.ndjson.gz"), str(output)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    rows = pl.read_parquet(output).sort("RayID").to_dicts()
    assert [row["RayID"] for row in rows] == list(range(RECORDS))
    assert [row["opened"] for row in rows] == [{"plaintext": expected(n), "status": status(n)} for n in range(RECORDS)]


CLICKHOUSE = """
import json, sys
from chdb import session
work, logs = sys.argv[1:]
query = f"SELECT RayID, pqseal_open(Metadata.encrypted_matched_data) AS opened FROM file('{logs}', JSONEachRow, \
'RayID UInt64, Metadata Tuple(encrypted_matched_data Nullable(String))') ORDER BY RayID"
import chdb
print(chdb.query(query, "JSONEachRow", udf_path=work))
"""


def test_clickhouse(work: pathlib.Path, tmp_path: pathlib.Path, path: str) -> None:
    function = placed("clickhouse/pqseal_function.xml", {"/etc/pqseal/key.txt": work / "key.txt"})
    (tmp_path / "pqseal_function.xml").write_text(function)
    # In a process of its own: chdb brings its own allocator and threads.
    command = [sys.executable, "-c", CLICKHOUSE, str(tmp_path), str(work / "logs" / "*.ndjson.gz")]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=120)
    assert ran.returncode == 0, ran.stderr
    rows = [json.loads(line) for line in ran.stdout.splitlines() if line]
    assert [(int(row["RayID"]), row["opened"]) for row in rows] == [(n, expected(n)) for n in range(RECORDS)]


def test_rsyslog(work: pathlib.Path, tmp_path: pathlib.Path, path: str) -> None:
    rsyslogd = shutil.which("rsyslogd", path=f"{path}:/usr/sbin:/sbin")
    assert rsyslogd, "no rsyslogd: run tools/setup, or apt install rsyslog"
    events = [line for log in sorted((work / "logs").iterdir()) for line in gzip.open(log, "rt")]
    (tmp_path / "in.ndjson").write_text("".join(events))
    # rsyslog gives its programs no environment, and so no path.
    program = tmp_path / "pqseal-mmexternal"
    program.write_text(placed("rsyslog/pqseal-mmexternal", {"pqseal logs": f"{shutil.which('pqseal', path=path)} logs"}))
    program.chmod(0o755)
    places = {
        "/var/spool/rsyslog": tmp_path,
        "/var/log/edge/*.ndjson": tmp_path / "in.ndjson",
        "/usr/local/bin/pqseal-mmexternal": program,
        "/etc/pqseal/key.txt": work / "key.txt",
        "/var/log/edge/opened.log": tmp_path / "opened.log",
        "/var/log/edge/pqseal.err": tmp_path / "pqseal.err",
    }
    configuration = tmp_path / "rsyslog.conf"
    configuration.write_text(placed("rsyslog/pqseal.conf", places))
    command = [rsyslogd, "-n", "-f", str(configuration), "-i", str(tmp_path / "pid")]
    daemon = subprocess.Popen(command, env={**os.environ, "PATH": path}, stderr=subprocess.PIPE, text=True)
    try:
        lines = wait_for_lines(tmp_path / "opened.log", RECORDS)
    finally:
        daemon.terminate()
        _, said = daemon.communicate(timeout=60)
    assert len(lines) == RECORDS, said + (tmp_path / "pqseal.err").read_text()
    rows = sorted((json.loads(line) for line in lines), key=lambda row: row["RayID"])
    assert [row["RayID"] for row in rows] == list(range(RECORDS))
    opened = [row["Metadata"].get("decrypted_matched_data") for row in rows]
    assert opened == [expected(n) for n in range(RECORDS)]


def wait_for_lines(path: pathlib.Path, count: int) -> list[str]:
    lines: list[str] = []
    for _ in range(600):
        lines = path.read_text().splitlines() if path.exists() else []
        if len(lines) >= count:
            break
        time.sleep(0.1)
    return lines


def test_splunk(work: pathlib.Path, tmp_path: pathlib.Path, pair: pqseal.KeyPair) -> None:
    """The chunked protocol, version 2, as Splunk speaks it: a getinfo chunk, then chunks of records as CSV."""
    app = tmp_path / "app"
    shutil.copytree(RECIPES / "splunk", app)
    (app / "local").mkdir()
    shutil.copy(work / "key.txt", app / "local" / "key.txt")
    command = (app / "default" / "commands.conf").read_text()
    assert "[pqsealopen]" in command and "chunked = true" in command and "filename = pqseal_open.py" in command
    writer = Writer(pair.public_key)
    cells = [(n, writer.event(n)["Metadata"]["encrypted_matched_data"]) for n in range(RECORDS)]  # type: ignore[index]
    info = {
        "action": "getinfo",
        "preview": False,
        "searchinfo": {
            "args": ["field=blob"],
            "raw_args": ["field=blob"],
            "dispatch_dir": str(tmp_path),
            "sid": "1",
            "app": "pqseal",
            "owner": "admin",
            "username": "admin",
            "session_key": "0",
            "splunkd_uri": "https://127.0.0.1:8089",
            "splunk_version": "9.0",
            "search": "%7C%20pqsealopen%20field%3Dblob",
            "command": "pqsealopen",
            "maxresultrows": 50000,
            "earliest_time": 0,
            "latest_time": 0,
        },
    }
    chunks = [chunk(info)]
    for first in range(0, RECORDS, 500):
        rows = "".join(f"{n},{blob or ''}\n" for n, blob in cells[first : first + 500])
        chunks.append(chunk({"action": "execute", "finished": first + 500 >= RECORDS, "preview": False}, "n,blob\n" + rows))
    ran = subprocess.run(
        [sys.executable, "pqseal_open.py"], cwd=app / "bin", input=b"".join(chunks), capture_output=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr.decode()
    answered = [row for body in bodies(ran.stdout) for row in body]
    assert [int(row["n"]) for row in answered] == list(range(RECORDS))
    assert [row["decrypted_matched_data"] or None for row in answered] == [expected(n) for n in range(RECORDS)]
    assert [row["decrypt_status"] for row in answered] == [status(n) for n in range(RECORDS)]


def chunk(metadata: dict[str, object], body: str = "") -> bytes:
    head, tail = json.dumps(metadata).encode(), body.encode()
    return b"chunked 1.0,%d,%d\n" % (len(head), len(tail)) + head + tail


def bodies(stream: bytes) -> list[list[dict[str, str]]]:
    import csv
    import io

    found = []
    while stream:
        line, stream = stream.split(b"\n", 1)
        _, head, body = line.split(b",")
        text = stream[int(head) : int(head) + int(body)].decode()
        found.append(list(csv.DictReader(io.StringIO(text, newline=""))))
        stream = stream[int(head) + int(body) :]
    return found


assert PERIOD <= RECORDS
