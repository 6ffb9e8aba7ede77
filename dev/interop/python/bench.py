"""Times of pyca/cryptography for dev/benches/peers: row TAB candidate TAB median of the process's CPU time in us."""

import statistics
import time

import cryptography
from cryptography.hazmat.primitives.asymmetric import mlkem, x25519
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, MLKEM768X25519PrivateKey, Suite

ROUNDS = 31
CALLS = 100
MESSAGE = b"A" * 150


def main():
    curve = x25519.X25519PrivateKey.generate
    measure("X25519, ChaCha20-Poly1305", KEM.X25519, AEAD.CHACHA20_POLY1305, curve())
    measure("X25519, AES-128-GCM", KEM.X25519, AEAD.AES_128_GCM, curve())
    hybrid = MLKEM768X25519PrivateKey(mlkem.MLKEM768PrivateKey.generate(), curve())
    measure("X-Wing, ChaCha20-Poly1305", KEM.MLKEM768_X25519, AEAD.CHACHA20_POLY1305, hybrid)


def measure(name, kem, aead, sk):
    suite, pk = Suite(kem, KDF.HKDF_SHA256, aead), sk.public_key()
    sealed = suite.encrypt(MESSAGE, pk)
    assert suite.decrypt(sealed, sk) == MESSAGE
    report(f"{name}: seal 150 B", lambda: suite.encrypt(MESSAGE, pk))
    report(f"{name}: open 150 B", lambda: suite.decrypt(sealed, sk))


def report(row, call):
    times = []
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        for _ in range(CALLS):
            call()
        times.append((time.process_time_ns() - start) / CALLS / 1000)
    print(f"{row}\tpyca {cryptography.__version__}\t{statistics.median(times):.3f}")


main()
