#!/usr/bin/env python3
"""Writes files of records of every kind into a folder: the command line, the page, the receiver and Python must find
the same sealed fields in them.

  dev/checks/record_inputs.py FOLDER BLOB...   BLOB: sealed values that the key opens

The same files each time, for the same blobs. Damaged records begin like JSON, and no record is only a string or a word:
the page takes those for sealed values without a record. Names end in .ndjson for lines and in .json for documents.
"""

import json
import pathlib
import random
import sys

LINES, DOCUMENTS = 400, 140
FIELD = "encrypted_matched_data"


class Records:
    def __init__(self, blobs: list[str]) -> None:
        self.blobs = blobs
        self.random = random.Random(46)

    def below(self, n: int) -> int:
        return int(self.random.random() * n)

    def one_of(self, *all: str) -> str:
        return all[self.below(len(all))]

    def scalar(self) -> str:
        return self.one_of("1", "-0.5e3", "12345678901234567890", "true", "null", '""', '"a b"', '"\\u00e9\\n"', '"é☃😀"', "[]", "{}", '"\\ud800"', '"x\\\\"')

    def sealed(self) -> str:
        """Returns the value of a field: most often a sealed one."""
        blob = self.blobs[self.below(len(self.blobs))]
        if self.below(3):
            return json.dumps(blob)
        at = self.below(len(blob))
        altered = blob[:at] + ("A" if blob[at] != "A" else "B") + blob[at + 1 :]
        escaped = "".join(f"\\u{ord(c):04x}" if self.below(9) == 0 else c for c in blob)
        return self.one_of(f'"{escaped}"', f'"{altered}"', f'"{blob[:at]}"', f'" {blob}"', '"truncated"', '"no base64!"', '""', "null", "5", "false", '["x"]', '{"type":"x"}')

    def field(self) -> list[str]:
        """Returns the members of a field, perhaps with what an earlier run wrote beside it."""
        name = self.one_of(*[FIELD] * 6, "encrypted_matched_dat\\u0061", "\\u0065ncrypted_matched_data")
        members = [f'"{name}"{self.blank()}:{self.blank()}{self.sealed()}']
        earlier = ['"decrypted_matched_data":"earlier"', '"decrypt_status":"no_key_matched"', '"decrypt_lossy":true']
        members += [member for member in earlier if self.below(12) == 0]
        if self.below(15) == 0:
            members.append(f'"{FIELD}":{self.sealed()}')
        return members

    def pairs(self) -> str:
        pair = f'{{"key":"{FIELD}","value":{self.sealed()}}}'
        odd = self.one_of('{"key":1,"value":2}', "3", f'{{"value":"x","key":"k"}}', f'{{"key":"{FIELD}"}}')
        return "[" + ", ".join([pair, odd][:: 1 - 2 * self.below(2)]) + "]"

    def blank(self) -> str:
        return self.one_of("", "", "", " ", "\t")

    def object(self, depth: int = 0) -> str:
        members: list[str] = []
        for number in range(1 + self.below(3)):
            members.append(f'"m{number}":{self.blank()}{self.value(depth)}')
        if self.below(2):
            members += self.field()
        if self.below(6) == 0:
            members.append(f'"metadata":{self.pairs()}')
        self.random.shuffle(members)
        return "{" + ",".join(f"{self.blank()}{member}" for member in members) + "}"

    def value(self, depth: int) -> str:
        kind = self.below(8)
        if depth > 3 or kind > 3:
            return self.scalar()
        if kind == 0:
            return self.object(depth + 1)
        if kind == 1:
            return "[" + ",".join(self.value(depth + 1) for _ in range(self.below(4))) + "]"
        # JSON in a string, as programs in containers write it.
        inner = self.object(depth + 1) + self.one_of("", "\n")
        return json.dumps(inner, ensure_ascii=self.below(2) == 0)

    def damaged(self, record: str) -> str:
        at = 1 + self.below(len(record) - 1)
        kept = record[:at].rstrip("\n")
        return self.one_of(kept, kept + "\x01", kept + record[at + 1 :], record + "}", record[:-1] + ",}")

    def line(self) -> str:
        record = self.object()
        return self.damaged(record) if self.below(9) == 0 else record

    def lines(self) -> str:
        text = self.one_of("", "", "", "", "\ufeff")
        for _ in range(1 + self.below(5)):
            text += self.line() + self.one_of("\n", "\n", "\n", "\r\n", "\n\n", " \n")
        return text if self.below(4) else text.rstrip("\r\n")

    def document(self) -> str:
        items = ",\n".join(self.object() if self.below(8) else self.one_of("5", "null", "[]", "{}", '[1,{"a":2}]') for _ in range(self.below(5)))
        head, tail = [("[", "]"), ('{\n"result":[', '], "success":true}'), ('{\n"data":{"zones":[{"name":"z","events":[', "]}]}}\n"), ("[\n", ']\n[{"next":1}]')][self.below(4)]
        return head + items + tail


def main() -> None:
    folder, records = pathlib.Path(sys.argv[1]), Records(sys.argv[2:])
    for number in range(LINES + DOCUMENTS):
        name, text = ("ndjson", records.lines()) if number < LINES else ("json", records.document())
        (folder / f"{number:03}.{name}").write_bytes(text.encode("utf-8", "surrogatepass"))


main()
