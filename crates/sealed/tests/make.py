#!/usr/bin/env python3
"""Writes tests/ai_gateway.json: RSA keys, and AI Gateway objects by the vendor's published format,
made by pyca/cryptography, Node and OpenSSL. Run it in a virtual environment with `cryptography`; it
needs `node` and `openssl`. Keys and nonces are random, so each run writes another file."""

import base64
import json
import os
import pathlib
import subprocess

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
PEM = serialization.Encoding.PEM
TEXTS = ['{"model":"m","messages":[{"role":"user","content":"caf\u00e9"}]}', "data: {}\n\ndata: [DONE]\n\n", ""]
NODE = """
const { publicEncrypt, createCipheriv, randomBytes, constants } = require("node:crypto");
const { pem, text } = JSON.parse(require("node:fs").readFileSync(0));
const [key, iv] = [randomBytes(32), randomBytes(12)];
const wrapped = publicEncrypt({ key: pem, oaepHash: "sha256", padding: constants.RSA_PKCS1_OAEP_PADDING }, key);
const cipher = createCipheriv("aes-256-gcm", key, iv);
const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
const [k, i, d] = [wrapped, iv, data].map((part) => part.toString("base64"));
console.log(JSON.stringify({ type: "encrypted", key: k, iv: i, data: d }));
"""


def encode(data):
    return base64.b64encode(data).decode()


def sealed(wrapped, key, text):
    iv = os.urandom(12)
    data = AESGCM(key).encrypt(iv, text.encode(), None)
    return {"type": "encrypted", "key": encode(wrapped), "iv": encode(iv), "data": encode(data)}


def by_pyca(public, text):
    key = os.urandom(32)
    return sealed(public.encrypt(key, OAEP), key, text)


def by_node(public, text):
    given = json.dumps({"pem": pem(public), "text": text})
    return json.loads(subprocess.run(["node", "-e", NODE], input=given, text=True, check=True, capture_output=True).stdout)


def by_openssl(public, text):
    """Wraps the key by the openssl program, which has no command for GCM."""
    key, file = os.urandom(32), pathlib.Path("/tmp/make-public.pem")
    file.write_text(pem(public))
    options = ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256", "rsa_mgf1_md:sha256"]
    command = ["openssl", "pkeyutl", "-encrypt", "-pubin", "-inkey", file]
    command += [word for option in options for word in ("-pkeyopt", option)]
    wrapped = subprocess.run(command, input=key, check=True, capture_output=True).stdout
    return sealed(wrapped, key, text)


def pem(public):
    return public.public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def main():
    keys, objects = {}, []
    for bits, form in [(2048, "TraditionalOpenSSL"), (3072, "PKCS8"), (4096, "PKCS8")]:
        private = rsa.generate_private_key(65537, bits)
        form = getattr(serialization.PrivateFormat, form)
        keys[str(bits)] = private.private_bytes(PEM, form, serialization.NoEncryption()).decode()
        for maker in [by_pyca, by_node, by_openssl]:
            for text in TEXTS:
                value = maker(private.public_key(), text)
                objects.append({"maker": maker.__name__[3:], "key": str(bits), "text": text, "value": value})
    sha1 = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    public = serialization.load_pem_private_key(keys["2048"].encode(), None).public_key()
    refused = {}
    for name, pad in [("OAEP with SHA-1", sha1), ("PKCS #1 v1.5", padding.PKCS1v15())]:
        key = os.urandom(32)
        refused[name] = sealed(public.encrypt(key, pad), key, TEXTS[0])
    for name, size in [("a key of 16 bytes", 16), ("a key of 33 bytes", 33)]:
        key = os.urandom(size)
        refused[name] = sealed(public.encrypt(key, OAEP), key.ljust(32, b"\0")[:32] if size > 16 else key, TEXTS[0])
    path = pathlib.Path(__file__).with_name("ai_gateway.json")
    lines = ",\n".join(json.dumps(entry) for entry in objects)
    path.write_text(f'{{"keys":{json.dumps(keys)},\n"refused":{json.dumps(refused)},\n"objects":[\n{lines}\n]}}\n')


main()
