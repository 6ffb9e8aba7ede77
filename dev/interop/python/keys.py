"""HPKE key bytes to pyca's key objects and back.

pyca reads none of HPKE's serialised forms itself. Most of this is plain
loading; the expansion of a hybrid's 32-byte seed (SHAKE256, then the ML-KEM
seed and the group's key, draft-irtf-cfrg-concrete-hybrid-kems) is ours, so an
agreement on it says nothing about pyca.
"""

import hashlib

from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.hpke import (
    MLKEM768X25519PrivateKey,
    MLKEM768X25519PublicKey,
    MLKEM1024P384PrivateKey,
    MLKEM1024P384PublicKey,
)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

MLKEM_SEED = 64
CURVES = {0x10: ec.SECP256R1(), 0x11: ec.SECP384R1(), 0x12: ec.SECP521R1()}
MLKEMS = {
    0x41: (mlkem.MLKEM768PrivateKey, mlkem.MLKEM768PublicKey),
    0x42: (mlkem.MLKEM1024PrivateKey, mlkem.MLKEM1024PublicKey),
}
X25519 = 0x20
# Each hybrid: its two parts, the size of the first one's public key, and the
# classes that join them.
HYBRIDS = {
    0x51: (0x42, 0x11, 1568, MLKEM1024P384PrivateKey, MLKEM1024P384PublicKey),
    0x647A: (0x41, X25519, 1184, MLKEM768X25519PrivateKey, MLKEM768X25519PublicKey),
}


def private_size(kem):
    if kem in CURVES:
        return (CURVES[kem].key_size + 7) // 8
    return MLKEM_SEED if kem in MLKEMS else 32


def private(kem, sk):
    if len(sk) != private_size(kem):
        raise ValueError("wrong length of private key")
    if kem in CURVES:
        return ec.derive_private_key(int.from_bytes(sk, "big"), CURVES[kem])
    if kem in MLKEMS:
        return MLKEMS[kem][0].from_seed_bytes(sk)
    if kem in HYBRIDS:
        join = HYBRIDS[kem][3]
        return join(*(private(part, part_sk) for part, part_sk in hybrid_parts(kem, sk)))
    return x25519.X25519PrivateKey.from_private_bytes(sk)


def hybrid_parts(kem, seed):
    pq, group = HYBRIDS[kem][:2]
    # P-384's scalar has this one try: beyond the order it is an error.
    expanded = hashlib.shake_256(seed).digest(MLKEM_SEED + private_size(group))
    return (pq, expanded[:MLKEM_SEED]), (group, expanded[MLKEM_SEED:])


def public(kem, pk):
    if kem in CURVES:
        # pyca also takes compressed points, HPKE does not.
        if pk[:1] != b"\x04":
            raise ValueError("not an uncompressed point")
        return ec.EllipticCurvePublicKey.from_encoded_point(CURVES[kem], pk)
    if kem in MLKEMS:
        return MLKEMS[kem][1].from_public_bytes(pk)
    if kem in HYBRIDS:
        pq, group, split, _, join = HYBRIDS[kem]
        return join(public(pq, pk[:split]), public(group, pk[split:]))
    return x25519.X25519PublicKey.from_public_bytes(pk)


def public_bytes(kem, sk):
    """The serialised public key of the serialised private key `sk`."""
    key = private(kem, sk)
    if kem in HYBRIDS:
        return b"".join(public_bytes(part, part_sk) for part, part_sk in hybrid_parts(kem, sk))
    if kem in CURVES:
        return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return key.public_key().public_bytes_raw()
