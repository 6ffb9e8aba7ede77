"""COSE-HPKE with the package cwt, for ../tests/it/formats.rs. One JSON object per line on stdin, one per line on stdout; bytes in hexadecimal,
keys as COSE_Key, which name their algorithm:

    {"op": "seal", "keys", "alg", "plaintext", "aad", "info", "psk"}    answered with {"message"}
    {"op": "open", "keys", "message", "aad", "info", "psk"}             answered with {"plaintext"}

"keys" has a key for each recipient. "psk" may be empty; its id is PSK_ID. Any failure is answered with {"error": text}.
"""

import json
import sys

import cbor2
from cwt import COSE, COSEKey, Recipient

# Labels of COSE (RFC 9052) and of the draft, and HPKE-0-KE to HPKE-7-KE.
ALG, KID, PSK_ID_LABEL = 1, 4, -5
KEY_ENCRYPTION = range(46, 54)
A256GCM = 3
PSK_ID = b"psk 1"


def run(request):
    keys = [COSEKey.new(cbor2.loads(bytes.fromhex(key))) for key in request["keys"]]
    aad, info = bytes.fromhex(request["aad"]), bytes.fromhex(request["info"])
    psk = bytes.fromhex(request["psk"]) or None
    if request["op"] == "open":
        message = bytes.fromhex(request["message"])
        plaintext = COSE.new().decode(message, keys, external_aad=aad, hpke_psk=psk, hpke_info=info, extra_info=info)
        return {"plaintext": plaintext.hex()}
    plaintext, alg = bytes.fromhex(request["plaintext"]), request["alg"]
    header = {ALG: alg, PSK_ID_LABEL: PSK_ID} if psk else {ALG: alg}
    if alg in KEY_ENCRYPTION:
        recipients = [
            Recipient.new(header, {KID: key.kid}, recipient_key=key, hpke_psk=psk, extra_info=info) for key in keys
        ]
        content = COSEKey.generate_symmetric_key(alg="A256GCM")
        message = COSE.new().encode(plaintext, content, {ALG: A256GCM}, recipients=recipients, external_aad=aad)
    else:
        message = COSE.new().encode(
            plaintext, keys[0], header, {KID: keys[0].kid}, external_aad=aad, hpke_psk=psk, hpke_info=info
        )
    return {"message": message.hex()}


for line in sys.stdin:
    try:
        answer = run(json.loads(line))
    except Exception as error:  # whatever cwt raises is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
