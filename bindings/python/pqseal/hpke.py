"""Hybrid Public Key Encryption (RFC 9180 and its post-quantum drafts), of any suite.

>>> from pqseal import hpke
>>> suite = hpke.Suite("mlkem768-x25519", "HKDF-SHA256", "ChaCha20Poly1305")
>>> private_key, public_key = suite.generate_key_pair()
>>> enc, ciphertext = suite.seal(public_key, b"message", info=b"app")
>>> suite.open(enc, private_key, ciphertext, info=b"app")
b'message'

Names and operations are those of RFC 9180; `suites()` lists the algorithms. Failures are `PqsealError`s.
"""

from pqseal._core import PqsealError, PrivateKey, PublicKey, RecipientContext, SenderContext, Suite, suites

__all__ = ["PqsealError", "PrivateKey", "PublicKey", "RecipientContext", "SenderContext", "Suite", "suites"]
