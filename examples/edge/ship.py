#!/usr/bin/env python3
"""Posts the lines of a log to a receiver as they are added.

    ship.py LOG STATE URL SECRET-FILE

How far it came is in STATE, which is written only after the receiver has answered 200. So no line is lost if
this program is killed, and those of one request may be sent twice. A log that is renamed is read to its end;
if that happens twice while this program is not running, it does not find the file in between. A log that has
become shorter than what was sent is sent again: pqseal-edge cuts off events that may not be on the disk.
"""

import http.client
import json
import os
import pathlib
import sys
import time
import urllib.parse

# How much a request has at most, and how long to wait for more lines, or after a failure.
BATCH = 1 << 20
PAUSE = 0.1


class Place:
    """How far the log was read: the file, by its inode, and the bytes."""

    def __init__(self, path):
        self.path = path
        found = json.loads(path.read_text()) if path.exists() else {}
        self.inode, self.offset = found.get("inode"), found.get("offset", 0)

    def move(self, inode, offset):
        self.inode, self.offset = inode, offset
        new = self.path.with_suffix(".new")
        with open(new, "w") as file:
            json.dump({"inode": inode, "offset": offset}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)


class Receiver:
    def __init__(self, url, secret):
        self.at = urllib.parse.urlsplit(url)
        self.headers = {"Authorization": f"Bearer {secret}"}

    def takes(self, lines):
        """Whether the receiver acknowledged them."""
        kind = http.client.HTTPSConnection if self.at.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.at.netloc, timeout=60)
        try:
            connection.request("POST", self.at.path, lines, self.headers)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def open_log(log, inode):
    """The file of that inode, which may have another name by now; if there is none, the log."""
    names = [log, *log.parent.glob(f"{log.name}*")]
    known = [name for name in names if name.exists() and name.stat().st_ino == inode]
    return open((known or [log])[0], "rb")


def ends_line(file, offset):
    """Whether a line ends there, as it did when it was sent."""
    file.seek(max(offset - 1, 0))
    return offset == 0 or file.read(1) == b"\n"


def ship(log, place, receiver):
    """Ships what was added to one file, until another one has its name and nothing is added."""
    with open_log(log, place.inode) as file:
        inode = os.fstat(file.fileno()).st_ino
        offset = place.offset if inode == place.inode else 0
        while True:
            is_renamed = not log.exists() or log.stat().st_ino != inode
            offset = offset if ends_line(file, offset) else 0
            file.seek(offset)
            lines = file.read(BATCH) + file.readline()
            lines = lines[: lines.rfind(b"\n") + 1]
            if lines and receiver.takes(lines):
                offset += len(lines)
                place.move(inode, offset)
            elif not lines and is_renamed and log.exists():
                return place.move(log.stat().st_ino, 0)
            else:
                time.sleep(PAUSE)


def main():
    log, state, url, secret = sys.argv[1:]
    place = Place(pathlib.Path(state))
    receiver = Receiver(url, pathlib.Path(secret).read_text().strip())
    log = pathlib.Path(log)
    while True:
        try:
            ship(log, place, receiver)
        except FileNotFoundError:
            # It does not exist yet, or is being renamed.
            time.sleep(PAUSE)


main()
