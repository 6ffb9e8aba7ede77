"""An interop peer over pyca/cryptography: the line protocol of ../README.md.

pyca's HPKE is one-shot and base mode only. Its keys are key objects, so the
reading and writing of keys as HPKE bytes is in keys.py.
"""

import json
import sys

import cryptography
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

import keys

# The public Suite.encrypt has no aad. These two functions, which pyca's own
# tests use to run the RFC's vectors, have: a new release may move them.
encrypt_with_aad = openssl.hpke._encrypt_with_aad
decrypt_with_aad = openssl.hpke._decrypt_with_aad


class OpenFailed(Exception):
    pass


def main():
    # Bytes, not text: a line that is not UTF-8 must be an answer, not the end.
    for line in sys.stdin.buffer:
        try:
            reply = dispatch(json.loads(line))
        except OpenFailed as error:
            reply = {"error": f"open failed: {error}"}
        # pyca turns a panic of its Rust code into a BaseException.
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


def dispatch(request):
    if request["op"] not in OPERATIONS:
        raise NotImplementedError(f"unknown op {request['op']}")
    return OPERATIONS[request["op"]](request)


def suites(_request):
    found = [
        {"kem": kem, "kdf": kdf, "aead": aead, "modes": [0], "export": False, "single_shot": True}
        for kem in KEMS
        for kdf in KDFS
        for aead in AEADS
        if works(kem, kdf, aead)
    ]
    return {"name": "pyca/cryptography", "version": cryptography.__version__, "suites": found}


def works(kem, kdf, aead):
    """Seals and opens an empty message: what OpenSSL lacks fails here."""
    try:
        sk = keys.private(kem, bytes([1]) * keys.private_size(kem))
        suite = suite_of({"kem": kem, "kdf": kdf, "aead": aead})
        return decrypt_with_aad(suite, encrypt_with_aad(suite, b"", sk.public_key()), sk) == b""
    except Exception:
        return False


def derive(_request):
    raise NotImplementedError("pyca has no DeriveKeyPair")


def public(request):
    return {"pk": keys.public_bytes(request["kem"], bytes.fromhex(request["sk"])).hex()}


def seal(request):
    suite, message = suite_of(request), only_message(request)
    pk = keys.public(request["kem"], bytes.fromhex(request["pk"]))
    info, aad, pt = field(request, "info"), field(message, "aad"), field(message, "pt")
    sealed = encrypt_with_aad(suite, pt, pk, info, aad)
    split = KEMS[request["kem"]].enc_length()
    return {"enc": sealed[:split].hex(), "cts": [sealed[split:].hex()], "exports": []}


def open_(request):
    suite, message = suite_of(request), only_message(request)
    sk = keys.private(request["kem"], bytes.fromhex(request["sk"]))
    info, aad, ct = field(request, "info"), field(message, "aad"), field(message, "ct")
    # A wrong enc would only move the border between enc and ciphertext.
    enc = bytes.fromhex(request["enc"])
    if len(enc) != KEMS[request["kem"]].enc_length():
        raise OpenFailed("wrong length of enc")
    try:
        pt = decrypt_with_aad(suite, enc + ct, sk, info, aad)
    except Exception as error:
        # InvalidTag carries no text.
        raise OpenFailed(f"{type(error).__name__} {error}".strip()) from error
    return {"pts": [pt.hex()], "exports": []}


def suite_of(request):
    if request.get("mode", 0) != 0:
        raise NotImplementedError("pyca has base mode only")
    return Suite(KEMS[request["kem"]], KDFS[request["kdf"]], AEADS[request["aead"]])


def only_message(request):
    if request.get("exports"):
        raise NotImplementedError("pyca cannot export")
    if len(request["messages"]) != 1:
        raise NotImplementedError("pyca seals and opens exactly one message")
    return request["messages"][0]


def field(source, name):
    return bytes.fromhex(source.get(name, ""))


def members(enum, names):
    """Keeps the members that the installed release has."""
    return {id: getattr(enum, name) for id, name in names.items() if hasattr(enum, name)}


KEMS = members(KEM, {
    0x10: "P256", 0x11: "P384", 0x12: "P521", 0x20: "X25519", 0x41: "MLKEM768",
    0x42: "MLKEM1024", 0x51: "MLKEM1024_P384", 0x647A: "MLKEM768_X25519",
})
KDFS = members(KDF, {1: "HKDF_SHA256", 2: "HKDF_SHA384", 3: "HKDF_SHA512", 0x10: "SHAKE128", 0x11: "SHAKE256"})
AEADS = members(AEAD, {1: "AES_128_GCM", 2: "AES_256_GCM", 3: "CHACHA20_POLY1305"})
OPERATIONS = {"suites": suites, "derive": derive, "public": public, "seal": seal, "open": open_}

if __name__ == "__main__":
    main()
