"""The RFC's vectors through ctypes: check.py LIBRARY VECTORS. Prints `N contexts, N messages, N exports`."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint16, c_uint64, c_void_p

library = ctypes.CDLL(sys.argv[1])
library.pqseal_strerror.restype = c_char_p
BYTES = [c_char_p, c_size_t]
OUTPUT = [c_void_p, c_size_t, POINTER(c_size_t)]
SIGNATURES = {
    "pqseal_suite_new": [c_uint16, c_uint16, c_uint16, c_int, POINTER(c_void_p)],
    "pqseal_private_key_deserialize": [c_void_p, *BYTES, POINTER(c_void_p)],
    "pqseal_public_key_deserialize": [c_void_p, *BYTES, POINTER(c_void_p)],
    "pqseal_recipient_new": [c_void_p, c_void_p, c_void_p, *BYTES, POINTER(c_void_p)],
    "pqseal_recipient_open_at": [c_void_p, c_uint64, *BYTES, *BYTES, *OUTPUT],
    "pqseal_recipient_export": [c_void_p, *BYTES, c_void_p, c_size_t],
}
for name, arguments in SIGNATURES.items():
    getattr(library, name).argtypes = arguments
for kind in ("suite", "private_key", "public_key", "recipient"):
    getattr(library, f"pqseal_{kind}_free").argtypes = [c_void_p]
    getattr(library, f"pqseal_{kind}_free").restype = None


class Params(ctypes.Structure):
    _fields_ = [
        ("info", c_char_p), ("info_len", c_size_t), ("psk", c_char_p), ("psk_len", c_size_t),
        ("psk_id", c_char_p), ("psk_id_len", c_size_t), ("sender_private_key", c_void_p), ("sender_public_key", c_void_p),
    ]  # fmt: skip


def call(name: str, *arguments: object) -> None:
    status = getattr(library, f"pqseal_{name}")(*arguments)
    assert status == 0, library.pqseal_strerror(status)


def data(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


contexts = messages = exports = 0
recipient = c_void_p()
for line in open(sys.argv[2], encoding="ascii"):
    kind, *fields = line.split()
    if kind == "S":
        _mode, kem, kdf, aead = map(int, fields[:4])
        info, _ikm, sk_r, _pk_r, _sk_s, pk_s, psk, psk_id, enc = map(data, fields[4:])
        suite, private, public = c_void_p(), c_void_p(), c_void_p()
        library.pqseal_recipient_free(recipient)
        call("suite_new", kem, kdf, aead, 0, byref(suite))
        call("private_key_deserialize", suite, sk_r, len(sk_r), byref(private))
        if pk_s:
            call("public_key_deserialize", suite, pk_s, len(pk_s), byref(public))
        params = Params(info, len(info), psk or None, len(psk), psk_id or None, len(psk_id), None, public)
        call("recipient_new", suite, private, byref(params), enc, len(enc), byref(recipient))
        library.pqseal_suite_free(suite)
        library.pqseal_private_key_free(private)
        library.pqseal_public_key_free(public)
        contexts += 1
    elif kind == "M":
        aad, pt, ct = map(data, fields[1:])
        out, length = ctypes.create_string_buffer(len(ct)), c_size_t()
        call("recipient_open_at", recipient, int(fields[0]), aad, len(aad), ct, len(ct), out, len(ct), byref(length))
        assert out.raw[: length.value] == pt
        messages += 1
    else:
        context, value = data(fields[0]), data(fields[2])
        out = ctypes.create_string_buffer(len(value))
        call("recipient_export", recipient, context, len(context), out, len(value))
        assert out.raw == value
        exports += 1
library.pqseal_recipient_free(recipient)
print(f"{contexts} contexts, {messages} messages, {exports} exports")
