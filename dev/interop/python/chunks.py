"""Cobblestone with pyca/cryptography, for ../tests/it/file_peers.rs. One JSON object per line on stdin, one per line on stdout:

    {"op": "seal" or "open", "bits": 128 or 256, "key": hex, "context": hex, "from": path, "to": path}    answered with {}

Any failure is answered with {"error": text}.
"""

import json
import pathlib
import sys

from cryptography import cobblestone

CLASSES = {
    ("seal", 128): cobblestone.Cobblestone128Encryptor,
    ("seal", 256): cobblestone.Cobblestone256Encryptor,
    ("open", 128): cobblestone.Cobblestone128Decryptor,
    ("open", 256): cobblestone.Cobblestone256Decryptor,
}


def run(request):
    stream = CLASSES[request["op"], request["bits"]](bytes.fromhex(request["key"]), bytes.fromhex(request["context"]))
    output = stream.update(pathlib.Path(request["from"]).read_bytes())
    pathlib.Path(request["to"]).write_bytes(output + stream.finalize())


for line in sys.stdin:
    try:
        run(json.loads(line))
        answer = {}
    except Exception as error:  # whatever pyca raises is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
