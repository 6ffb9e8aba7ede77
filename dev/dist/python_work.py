"""The main work of the installed Python package, for dev/dist/install: python_work.py KEY BLOB."""

import io
import sys
from pathlib import Path

import pqseal
from pqseal import files, hpke

key, blob = sys.argv[1:]
assert "site-packages" in pqseal.__file__, pqseal.__file__
ring = pqseal.KeyRing.from_files(key)
assert b"/cms/%0Aadmin" in pqseal.open(ring, Path(blob).read_text())
pair = pqseal.generate_key_pair()
assert pqseal.open(pqseal.KeyRing(pair.export_private_key()), pqseal.seal(pair.public_key, b"hello")) == b"hello"

suite = hpke.Suite("mlkem768-x25519", "HKDF-SHA256", "ChaCha20Poly1305")
private_key, public_key = suite.generate_key_pair()
enc, ciphertext = suite.seal(public_key, b"hello", info=b"app", aad=b"record 7")
assert suite.open(enc, private_key, ciphertext, info=b"app", aad=b"record 7") == b"hello"

identity = files.Identity.generate()
encrypted, decrypted = io.BytesIO(), io.BytesIO()
files.encrypt(io.BytesIO(b"hello"), encrypted, [identity.recipient])
encrypted.seek(0)
files.decrypt(encrypted, decrypted, [identity])
assert decrypted.getvalue() == b"hello"
