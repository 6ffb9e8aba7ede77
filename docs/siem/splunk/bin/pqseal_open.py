"""Splunk: a streaming search command that adds `decrypted_matched_data` and `decrypt_status` to each event.

The key is a file of the app, readable only by Splunk's user: local/key.txt. No search names it or shows it.
"""

import pathlib
import sys

import pqseal
from splunklib.searchcommands import Configuration, Option, StreamingCommand, dispatch

KEY_FILE = pathlib.Path(__file__).resolve().parents[1] / "local" / "key.txt"


@Configuration()
class PqsealOpen(StreamingCommand):
    field = Option(default="encrypted_matched_data")

    def stream(self, records):
        ring = pqseal.KeyRing.from_files(KEY_FILE)
        for record in records:
            record["decrypted_matched_data"], record["decrypt_status"] = opened(ring, record.get(self.field))
            yield record


def opened(ring, blob):
    if not blob:
        return None, "absent"
    try:
        return pqseal.open(ring, blob).decode(errors="replace"), "opened"
    except pqseal.PqsealError as error:
        return None, error.code


dispatch(PqsealOpen, sys.argv, sys.stdin, sys.stdout, __name__)
