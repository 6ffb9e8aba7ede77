"""Arrow columns."""

from __future__ import annotations

import gc
import os
import random
import signal
import threading
import weakref

import polars as pl
import pqseal
import pyarrow as pa
import pytest

from conftest import PLAINTEXT

TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def opened(ring: pqseal.KeyRing, blobs: object, **options: object) -> list[tuple[object, str]]:
    batch = pa.record_batch(pqseal.open_batch(ring, blobs, **options))  # type: ignore[arg-type]
    assert batch.schema.names == ["plaintext", "status"]
    return [(row["plaintext"], row["status"]) for row in batch.to_pylist()]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_every_type_and_outcome(ring: pqseal.KeyRing, blob: str, type: pa.DataType) -> None:
    other = pqseal.seal(pqseal.generate_key_pair("x25519").public_key, b"")
    rows = [blob, None, "truncated", other, "", "no base64!", "CQ==", blob[:60], blob]
    expected = [
        (PLAINTEXT, "opened"),
        (None, "absent"),
        (None, "truncated"),
        (None, "no_key_matched"),
        (None, "absent"),
        (None, "bad_base64"),
        (None, "unsupported_version"),
        (None, "bad_length"),
        (PLAINTEXT, "opened"),
    ]
    column = pa.array([row.encode() if row is not None and "binary" in str(type) else row for row in rows], type)
    assert opened(ring, column) == expected
    assert opened(ring, column[1:4]) == expected[1:4]
    assert opened(ring, pa.chunked_array([column[:2], column[2:2], column[2:]])) == expected


def test_columns_without_records(ring: pqseal.KeyRing) -> None:
    assert opened(ring, pa.array([], pa.string())) == []
    assert opened(ring, pa.chunked_array([], pa.string())) == []
    assert opened(ring, pa.nulls(3)) == [(None, "absent")] * 3


def test_polars_series_in_and_out(ring: pqseal.KeyRing, blob: str) -> None:
    answer = pqseal.open_batch(ring, pl.Series([blob, None]), text=True)
    assert pl.Series(answer.plaintext).to_list() == [PLAINTEXT.decode(), None]
    assert pl.Series(answer.status).to_list() == ["opened", "absent"]


def test_bytes_that_are_no_text() -> None:
    pair = pqseal.generate_key_pair("x25519")
    ring, blob = pqseal.KeyRing(pair.export_private_key()), pqseal.seal(pair.public_key, b"a\xffb")
    column = pa.array([blob])
    assert opened(ring, column) == [(b"a\xffb", "opened")]
    assert opened(ring, column, text=True) == [("a\ufffdb", "lossy")]


# 64 rows are sealed in one call; from 256 rows on a table of the key is precomputed.
@pytest.mark.parametrize("rows", [100, 256])
@pytest.mark.parametrize("kem", ["x25519", "mlkem768-x25519"])
def test_what_is_sealed_opens_in_order(kem: str, rows: int) -> None:
    pair = pqseal.generate_key_pair(kem)
    ring = pqseal.KeyRing(pqseal.generate_key_pair(kem).export_private_key(), pair.export_private_key())
    texts = [None if n % 7 == 0 else random.randbytes(n % 300) for n in range(rows)]
    blobs = pa.array(pqseal.seal_batch(pair.public_key, pa.array(texts, pa.binary())))
    assert blobs.type == pa.string() and len(set(blobs.to_pylist())) == len([t for t in texts if t is not None]) + 1
    assert opened(ring, blobs) == [(text, "absent" if text is None else "opened") for text in texts]


def test_records_are_bound_to_their_aad() -> None:
    pair = pqseal.generate_key_pair("x25519")
    ring = pqseal.KeyRing(pair.export_private_key())
    events = pa.array([f"event {n}" for n in range(300)])
    blobs = pqseal.seal_batch(pair.public_key, events, aad=events, info=b"zone")
    assert {status for _, status in opened(ring, blobs, aad=events, info=b"zone")} == {"opened"}
    assert {status for _, status in opened(ring, blobs, aad=events)} == {"altered"}
    swapped = events.take(pa.array([1, 0, *range(2, 300)]))
    statuses = [status for _, status in opened(ring, blobs, aad=swapped, info=b"zone")]
    assert statuses == ["altered"] * 2 + ["opened"] * 298
    for aad in (b"all", pa.array(["all"] * 300)):
        blobs = pqseal.seal_batch(pair.public_key, events, aad=aad)
        assert {status for _, status in opened(ring, blobs, aad=b"all")} == {"opened"}
    with pytest.raises(pqseal.PqsealError, match="aad has 2 records, and there are 300"):
        pqseal.open_batch(ring, blobs, aad=events[:2])


def test_lists_need_no_arrow_library(ring: pqseal.KeyRing, blob: str) -> None:
    answer = pqseal.open_batch(ring, [blob, None, "truncated", blob.encode(), memoryview(blob.encode())])
    assert answer.plaintext.to_list() == [PLAINTEXT, None, None, PLAINTEXT, PLAINTEXT]
    assert answer.status.to_list() == ["opened", "absent", "truncated", "opened", "opened"]
    assert pqseal.open_batch(ring, (blob,), text=True).plaintext.to_list() == [PLAINTEXT.decode()]
    assert pqseal.open_batch(ring, []).status.to_list() == []
    pair = pqseal.generate_key_pair("x25519")
    own = pqseal.KeyRing(pair.export_private_key())
    sealed = pqseal.seal_batch(pair.public_key, ["one", None, b"two"], aad=["a", None, b"b"]).to_list()
    assert sealed[1] is None
    assert pqseal.open_batch(own, sealed, aad=[b"a", b"", b"b"]).plaintext.to_list() == [b"one", None, b"two"]
    assert pqseal.open_batch(own, sealed, aad=["b", "", "a"]).status.to_list() == ["altered", "absent", "altered"]


def test_other_columns_are_refused(ring: pqseal.KeyRing) -> None:
    for wrong in (pa.array([1]), pa.array(["a"]).dictionary_encode(), pa.record_batch({"a": ["b"]})):
        with pytest.raises(pqseal.PqsealError, match="must be a column of string or binary") as caught:
            pqseal.open_batch(ring, wrong)  # type: ignore[arg-type]
        assert caught.value.code == "bad_argument"
    for wrong in ([1], [["a"]], "a", b"a", None):
        with pytest.raises(TypeError, match="must be an Arrow column"):
            pqseal.open_batch(ring, wrong)  # type: ignore[arg-type]


def test_a_column_that_breaks_the_rules_is_refused(ring: pqseal.KeyRing) -> None:
    latin = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(bytes(4) + (2).to_bytes(4, "little")), pa.py_buffer(b"\xff\xff")])
    with pytest.raises(pqseal.PqsealError, match="(?i)utf-?8") as caught:
        pqseal.open_batch(ring, latin)
    assert caught.value.code == "bad_argument"


def test_a_producer_that_fails_is_reported(ring: pqseal.KeyRing) -> None:
    class Broken:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return ("no", "capsules")

    with pytest.raises(TypeError):
        pqseal.open_batch(ring, Broken())
    schema, array = pa.array(["a"]).__arrow_c_array__()

    class Swapped:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return (array, schema)

    with pytest.raises(ValueError):
        pqseal.open_batch(ring, Swapped())

    class Twice:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return (schema, array)

    pqseal.open_batch(ring, Twice())
    with pytest.raises(pqseal.PqsealError, match="consumed before"):
        pqseal.open_batch(ring, Twice())


def test_buffers_are_shared_and_let_go(ring: pqseal.KeyRing, blob: str) -> None:
    gc.collect()
    before = pa.total_allocated_bytes()
    column = pa.array([blob] * 1000)
    answer = pqseal.open_batch(ring, column)
    first, second = pa.array(answer.plaintext), pa.array(answer.plaintext)
    assert first.buffers()[2].address == second.buffers()[2].address
    dropped = weakref.ref(column)
    del column, answer
    gc.collect()
    assert dropped() is None and pa.total_allocated_bytes() == before
    assert first[999].as_py() == PLAINTEXT
    # Capsules that nobody takes over.
    for _ in range(100):
        pqseal.open_batch(ring, pa.array([blob])).__arrow_c_array__()


def test_other_threads_run_meanwhile(ring: pqseal.KeyRing, blob: str) -> None:
    column, ticks, done = pa.array([blob] * 20_000), 0, threading.Event()

    def work() -> None:
        pqseal.open_batch(ring, column)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5


def test_a_ring_grows_while_it_is_used(ring: pqseal.KeyRing, blob: str, key_file: object) -> None:
    growing = pqseal.KeyRing.from_files(str(key_file))
    column = pa.array([blob] * 2000)
    threads = [threading.Thread(target=pqseal.open_batch, args=(growing, column)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        growing.add_file(str(key_file))
    for thread in threads:
        thread.join()
    assert len(growing) == 21


def test_a_record_without_what_it_is_bound_to_is_refused() -> None:
    pair = pqseal.generate_key_pair("x25519")
    ring = pqseal.KeyRing(pair.export_private_key())
    texts, ids = pa.array(["one", "two", None]), pa.array(["id1", None, None])
    with pytest.raises(pqseal.PqsealError, match="aad has no value in record 1") as caught:
        pqseal.seal_batch(pair.public_key, texts, aad=ids)
    assert caught.value.code == "bad_argument"
    blobs = pqseal.seal_batch(pair.public_key, texts, aad=pa.array(["id1", "", None]))
    assert opened(ring, blobs, aad=ids) == [(b"one", "opened"), (None, "no_aad"), (None, "absent")]


def test_a_forked_process_has_threads_of_its_own() -> None:
    pair = pqseal.generate_key_pair("x25519")
    ring = pqseal.KeyRing(pair.export_private_key())
    events = pa.array([f"event {n}" for n in range(300)])

    def works() -> bool:
        return {status for _, status in opened(ring, pqseal.seal_batch(pair.public_key, events))} == {"opened"}

    assert works()
    child = os.fork()
    if child == 0:
        # A child that waits for threads that are not there is ended by the alarm.
        signal.alarm(60)
        os._exit(0 if works() and works() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
