"""Fixtures that the tests share: the published example, and records of every outcome."""

from __future__ import annotations

import pathlib

import pqseal
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "matched-data"
PLAINTEXT = b'{"http.request.version": "HTTP/1.1", "http.request.uri.path": "/cms/%0Aadmin"}'


@pytest.fixture(scope="session")
def key_file() -> pathlib.Path:
    return EXAMPLE / "key.txt"


@pytest.fixture(scope="session")
def blob() -> str:
    return (EXAMPLE / "blob.txt").read_text().strip()


@pytest.fixture(scope="session")
def ring(key_file: pathlib.Path) -> pqseal.KeyRing:
    return pqseal.KeyRing.from_files(key_file)
