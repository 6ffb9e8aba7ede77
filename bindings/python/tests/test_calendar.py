"""Calendars of the kit: periods, sealing at a time, opening with private, shredded and lent ones."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pathlib
import subprocess
from collections.abc import Iterator

import pqseal
import pyarrow as pa
import pytest
from conftest import ROOT
from pqseal import Calendar, KeyRing, PqsealError

KIT = json.loads((ROOT / "test-vectors" / "kit" / "calendars" / "answers.json").read_text())["testGroups"]
RECORDS = 9000
DAY = 86_400


@pytest.fixture(params=KIT, ids=lambda group: group["tests"][0]["file"].split(" ")[3])
def group(request: pytest.FixtureRequest) -> dict:
    return request.param


def calendars(group: dict) -> list[Calendar]:
    return [Calendar(test["file"]) for test in group["tests"]]


@contextlib.contextmanager
def failed(code: str, says: str | None = None) -> Iterator[None]:
    with pytest.raises(PqsealError, match=says) as error:
        yield
    assert error.value.code == code


def test_every_file_of_a_calendar(group: dict, tmp_path: pathlib.Path) -> None:
    for test in group["tests"]:
        calendar = Calendar(test["file"].encode())
        assert (calendar.id, calendar.name, calendar.fingerprint) == (group["id"], group["name"], group["fingerprint"])
        assert calendar.is_private is ("public" not in test["comment"])
        assert f"{calendar.kem} {calendar.period_length} " in test["file"]
        periods = calendar.periods()
        assert len(calendar) == len(periods) == 4
        assert [period.state for period in periods] == test["states"]
        for period, known in zip(periods, group["periods"]):
            assert (period.name, period.start, period.key_id) == (known["start"], known["unix"], known["keyId"])
            date = datetime.datetime.fromtimestamp(period.end - 1, tz=datetime.timezone.utc)
            for time in (period.start, period.end - 0.5, date):
                assert calendar.at(time).name == period.name
        (tmp_path / "file").write_text(test["file"])
        assert Calendar.from_file(tmp_path / "file").fingerprint == calendar.fingerprint


def test_each_period_is_opened_by_those_who_have_its_key(group: dict) -> None:
    whole, public, _, lent, _ = calendars(group)
    every, few = KeyRing(whole), KeyRing(group["tests"][3]["file"])
    for period, code in zip(public.periods(), ["key_shredded", "key_shredded", "key_not_lent", None]):
        blob = pqseal.seal(public.at(period.start + 17), b"GET", aad=b"3")
        assert (pqseal.inspect(blob)["version"], pqseal.inspect(blob)["key_id"]) == (4, period.key_id)
        assert pqseal.open(every, blob, aad=b"3") == b"GET"
        if code is None:
            assert pqseal.open(few, blob, aad=b"3") == b"GET"
            continue
        with failed(code, f"for {period.name} of {group['name']}"):
            pqseal.open(few, blob, aad=b"3")
    for time in (public.periods()[0].start - 1, public.periods()[-1].end, -1, 1e300, float("nan")):
        with failed("no_period"):
            public.at(time)
    with failed("bad_argument", "time zone"):
        public.at(datetime.datetime(2026, 12, 7))
    with failed("bad_argument", "seconds"):
        public.at("2026-12-07")
    with failed("bad_argument", "version 4"):
        pqseal.seal(public.periods()[0], b"", version=3)
    assert len(every) == 4 and repr(every) == f"<pqseal.KeyRing [{group['name']}]>"


def test_halves_are_not_confused(group: dict, tmp_path: pathlib.Path) -> None:
    whole, public, *_ = calendars(group)
    with failed("bad_key", "calendar public"):
        pqseal.seal(whole.periods()[0], b"")
    with failed("bad_key", "public calendar"):
        KeyRing(public)
    with failed("bad_key", "Calendar"):
        pqseal.seal(group["tests"][1]["file"], b"")
    (tmp_path / "public").write_text(group["tests"][1]["file"])
    (tmp_path / "private").write_text(group["tests"][0]["file"])
    with failed("bad_key", "public calendar"):
        KeyRing.from_files(tmp_path / "public")
    assert len(KeyRing.from_files(tmp_path / "private")) == 4
    with failed("bad_key"):
        Calendar("pqseal-calendar 1")
    (tmp_path / "lent.age").write_bytes(b"age-encryption.org/v1\n" + bytes(100_000))
    for refuses in [KeyRing.from_files, Calendar.from_file, lambda path: KeyRing(path.read_bytes())]:
        with failed("bad_key", "pqseal file decrypt"):
            refuses(tmp_path / "lent.age")


def pqseal_run(*arguments: str, cwd: pathlib.Path) -> str:
    command = [str(pathlib.Path(os.environ["PQSEAL_BIN"]) / "pqseal"), *arguments]
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_records_of_90_days_half_of_them_shredded(tmp_path: pathlib.Path) -> None:
    """Sealed here, one batch for each day; the counts and reasons are those of the command line."""
    start = 1_796_083_200  # 2026-12-01
    new = ["calendar", "new", "--kem", "x25519", "--days", "90", "--from", "2026-12-01"]
    public = Calendar(pqseal_run(*new, "-o", "logs.calendar", cwd=tmp_path))
    pqseal_run("calendar", "shred", "logs.calendar", "--before", "2027-01-15", cwd=tmp_path)
    texts = [str(number) for number in range(RECORDS)]
    blobs: list[str] = [""] * RECORDS
    for day in range(90):
        sealed = pqseal.seal_batch(public.at(start + day * DAY), pa.array(texts[day::90]))
        blobs[day::90] = pa.array(sealed).to_pylist()
    ring = KeyRing.from_files(tmp_path / "logs.calendar")
    opened = pqseal.open_batch(ring, pa.array(blobs), text=True)
    status, plain = pa.array(opened.status).to_pylist(), pa.array(opened.plaintext).to_pylist()
    for number in range(RECORDS):
        is_left = number % 90 >= 45
        assert status[number] == ("opened" if is_left else "key_shredded")
        assert plain[number] == (texts[number] if is_left else None)

    lines = "".join(f'{{"encrypted_payload":"{blob}"}}\n' for blob in blobs)
    rules = [".encrypted_payload"]
    _, counters = pqseal.open_records(ring, lines.encode(), rules)
    assert (counters["opened"], counters["failed_by_code"]) == (RECORDS // 2, {"key_shredded": RECORDS // 2})
    assert list(counters["opened_by_key"].values()) == [RECORDS // 2]
