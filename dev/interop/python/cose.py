"""COSE-HPKE with the package cwt, for ../tests/formats.rs. One JSON object per line on stdin, one per line on stdout; bytes in hexadecimal,
keys as COSE_Key, which name their algorithm:

    {"op": "seal", "key", "alg", "plaintext", "aad", "info"}    answered with {"message"}
    {"op": "open", "key", "message", "aad", "info"}             answered with {"plaintext"}

Any failure is answered with {"error": text}.
"""

import json
import sys

import cbor2
from cwt import COSE, COSEKey, Recipient

# Labels of COSE (RFC 9052), and HPKE-0-KE to HPKE-7-KE.
ALG, KID = 1, 4
KEY_ENCRYPTION = range(46, 54)
A256GCM = 3


def run(request):
    raw = bytes.fromhex(request["key"])
    key, alg = COSEKey.new(cbor2.loads(raw)), request.get("alg")
    aad, info = bytes.fromhex(request["aad"]), bytes.fromhex(request["info"])
    if request["op"] == "open":
        message = bytes.fromhex(request["message"])
        plaintext = COSE.new().decode(message, key, external_aad=aad, hpke_info=info, extra_info=info)
        return {"plaintext": plaintext.hex()}
    plaintext, header = bytes.fromhex(request["plaintext"]), {ALG: alg}
    if alg in KEY_ENCRYPTION:
        recipient = Recipient.new(header, {KID: key.kid}, recipient_key=key, extra_info=info)
        content = COSEKey.generate_symmetric_key(alg="A256GCM")
        message = COSE.new().encode(plaintext, content, {ALG: A256GCM}, recipients=[recipient], external_aad=aad)
    else:
        message = COSE.new().encode(plaintext, key, header, {KID: key.kid}, external_aad=aad, hpke_info=info)
    return {"message": message.hex()}


for line in sys.stdin:
    try:
        answer = run(json.loads(line))
    except Exception as error:  # whatever cwt raises is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
