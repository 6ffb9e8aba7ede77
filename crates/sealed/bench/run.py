#!/usr/bin/env python3
"""Opens AI Gateway records, agent receipts and OTLP by `pqseal logs open` and by pyca/cryptography, in
turn, and compares every field. Prints records per second of processor time, for docs/siem/speed.md.

  crates/sealed/bench/run.py PQSEAL [RSA-2048 RECORDS [RSA-4096 RECORDS [RECEIPTS [ROUNDS]]]]

OTLP has as many log records as there are receipts, ten in a line.

`shared` records wrap one key for their three fields, which is unwrapped once; `separate` ones wrap
three. Needs a virtual environment with `cryptography` and `obsigna`. The rates are medians of the
rounds. Those of pqseal include its start."""

import base64
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from obsigna import decrypt_disclosure, encrypt_disclosure

OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
FIELDS = ["Metadata", "RequestBody", "ResponseBody"]
PQSEAL = os.path.abspath(sys.argv[1])
SMALL, LARGE, RECEIPTS, ROUNDS = [*map(int, sys.argv[2:]), *[20000, 2000, 20000, 3][len(sys.argv) - 2 :]]
WORK = pathlib.Path(tempfile.mkdtemp())


def encode(data):
    return base64.b64encode(data).decode()


def sealed(wrapped, key, text):
    iv = os.urandom(12)
    return {"type": "encrypted", "key": encode(wrapped), "iv": encode(iv), "data": encode(AESGCM(key).encrypt(iv, text, None))}


def gateway(public, shared):
    wrap = lambda key: (public.encrypt(key, OAEP), key)
    one = wrap(os.urandom(32))
    texts = [os.urandom(50).hex().encode() for _ in FIELDS]
    pairs = [one if shared else wrap(os.urandom(32)) for _ in FIELDS]
    return {name: sealed(*pair, text) for name, pair, text in zip(FIELDS, pairs, texts)}


def open_gateway(private, lines):
    for line in lines:
        record, keys = json.loads(line), {}
        for name in FIELDS:
            part = {member: base64.b64decode(record[name][member]) for member in ("key", "iv", "data")}
            if part["key"] not in keys:
                keys[part["key"]] = AESGCM(private.decrypt(part["key"], OAEP))
            text = keys[part["key"]].decrypt(part["iv"], part["data"], None)
            record["decrypted_" + name] = text.decode()
        yield record


def write(name, records):
    path = WORK / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def processor_time():
    """Returns the time of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(title, count, peer, command, results, each=1):
    """Runs both in turn, and compares what they opened."""
    rates = {"pqseal": [], "pyca": []}
    for _ in range(ROUNDS):
        start = time.process_time()
        theirs = list(peer())
        rates["pyca"].append(count * each / (time.process_time() - start))
        start = processor_time()
        out = subprocess.run(command, check=True, capture_output=True).stdout
        rates["pqseal"].append(count * each / (processor_time() - start))
        ours = [json.loads(line) for line in out.splitlines()]
        assert len(ours) == len(theirs) == count
        for own, their in zip(ours, theirs):
            assert all(own[name] == their[name] for name in results), (own, their)
    ours, theirs = (statistics.median(rates[name]) for name in ("pqseal", "pyca"))
    print(f"| {title} | {count * each} | {ours:.0f} | {theirs:.0f} |", flush=True)


def batch(suite, public):
    """Returns a line of ten log records, each with messages that are sealed as version 3 of matched data."""
    records = []
    for number in range(10):
        text = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": os.urandom(50).hex()}}]}}
        sealed = suite.encrypt(json.dumps(text).encode(), public)
        enc, text = sealed[:32], sealed[32:]
        blob = encode(b"\3" + enc + (len(text) - 16).to_bytes(8, "little") + text)
        messages = {"key": "gen_ai.input.messages", "value": {"stringValue": blob}}
        name = {"key": "service.name", "value": {"stringValue": "shop"}}
        records.append({"timeUnixNano": str(number), "attributes": [name, messages]})
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def open_batches(suite, private, lines):
    for line in lines:
        opened = json.loads(line)
        for record in opened["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
            messages = record["attributes"][1]
            blob = base64.b64decode(messages["value"]["stringValue"])
            messages["value"] = json.loads(suite.decrypt(blob[1:33] + blob[41:], private))
        yield opened


def main():
    print("| records | number | `pqseal logs open -j1` | Python, pyca |\n|---|---|---|---|")
    for bits, count in [(2048, SMALL), (4096, LARGE)]:
        private = rsa.generate_private_key(65537, bits)
        pem = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        key = WORK / f"{bits}.pem"
        key.touch(0o600)
        key.write_bytes(pem)
        for name in ["shared", "separate"]:
            path = write("records", (gateway(private.public_key(), name == "shared") for _ in range(count)))
            lines = path.read_text().splitlines()
            command = [PQSEAL, "logs", "open", "-j1", "-k", key, "--preset", "ai-gateway", path]
            title = f"AI Gateway, RSA-{bits}, {name} key"
            measure(title, count, lambda: open_gateway(private, lines), command, ["decrypted_" + name for name in FIELDS])
    private = x25519.X25519PrivateKey.generate()
    raw = private.private_bytes_raw()
    key = WORK / "x25519"
    key.touch(0o600)
    key.write_text(encode(raw))
    public = private.public_key().public_bytes_raw()
    kid = "sha256:" + hashes_of(public)
    receipts = []
    for number in range(RECEIPTS):
        envelope = encrypt_disclosure({"n": number, "command": "ls"}, public, kid)
        receipts.append({"id": f"urn:{number}", "credentialSubject": {"action": {"parameters_disclosure": envelope}}})
    path = write("receipts", receipts)

    def peer():
        for line in path.read_text().splitlines():
            envelope = json.loads(line)["credentialSubject"]["action"]["parameters_disclosure"]
            yield {"parameters": decrypt_disclosure(envelope, raw)}

    command = [PQSEAL, "logs", "open", "-j1", "-k", key, "--preset", "agent-receipts", path]
    measure("agent receipts (peer: obsigna)", RECEIPTS, peer, command, ["parameters"])

    suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
    path = write("otlp", (batch(suite, private.public_key()) for _ in range(RECEIPTS // 10)))
    lines = path.read_text().splitlines()
    command = [PQSEAL, "logs", "open", "-j1", "-k", key, "--preset", "otlp-genai", path]
    measure("OTLP, ten in a line", RECEIPTS // 10, lambda: open_batches(suite, private, lines), command, ["resourceLogs"], 10)


def hashes_of(public):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(public)
    return digest.finalize().hex()


main()
