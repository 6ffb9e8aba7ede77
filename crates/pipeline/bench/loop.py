"""Opens NDJSON records with pyca/cryptography, one after another, as one would write it: only for the benchmark."""

import base64
import json
import sys

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

with open(sys.argv[1]) as file:
    key = X25519PrivateKey.from_private_bytes(base64.b64decode(file.read()))
suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
for line in sys.stdin:
    record = json.loads(line)
    metadata = record["Metadata"]
    sealed = metadata.get("encrypted_matched_data", "truncated")
    if sealed != "truncated":
        blob = base64.b64decode(sealed)
        metadata["decrypted_matched_data"] = suite.decrypt(blob[1:33] + blob[41:], key).decode()
    sys.stdout.write(json.dumps(record) + "\n")
