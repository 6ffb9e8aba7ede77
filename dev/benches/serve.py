#!/usr/bin/env python3
"""`pqseal logs serve` beside `pqseal logs open`: events per second of processor time, and how long an
acknowledgement takes. Everything is on this machine, over loopback. The receiver has the environment that
docs/siem/serve/pqseal.service gives it.

    dev/benches/serve.py [--pqseal PROGRAM] [--events N] [--batch N] [--clients N] [--soak SECONDS]

With --soak it sends for that long after the measurement, and prints the receiver's memory after one
minute and at the end. It exits with 1 if that grew by more than 10 %.
"""

import argparse
import gzip
import http.client
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

from processor import processor

UNIT = pathlib.Path(__file__).resolve().parents[2] / "docs/siem/serve/pqseal.service"
SECRET = "0123456789abcdef0123456789abcdef"
CONFIG = """listen = "127.0.0.1:0"
[[client]]
name = "bench"
secret-file = "secret"
[open]
key = "key.pem"
[output]
folder = "out"
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pqseal", default="target/release/pqseal")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--soak", type=int, default=0)
    return parser.parse_args()


def prepare(folder, pqseal, count, kem="x25519"):
    """Sealed events, as lines, and the key that opens them."""
    def run(*words, **more):
        return subprocess.run([pqseal, *words], cwd=folder, check=True, stderr=subprocess.DEVNULL, **more)

    public = run("keygen", "--kem", kem, "-o", "key.pem", stdout=subprocess.PIPE).stdout.decode()
    run("logs", "generate", "--seed", "7", "-o", "clear.ndjson", str(count))
    run("logs", "seal", "--to", public.strip(), "-o", "events.ndjson", "clear.ndjson")
    (folder / "secret").write_text(SECRET)
    (folder / "out").mkdir()
    (folder / "pqseal.toml").write_text(CONFIG)
    return (folder / "events.ndjson").read_bytes().splitlines(keepends=True)


def environment():
    """What the unit sets."""
    prefix = "Environment="
    settings = [line.removeprefix(prefix) for line in UNIT.read_text().splitlines() if line.startswith(prefix)]
    return {**os.environ, **dict(setting.split("=", 1) for setting in settings)}


def opened(folder, pqseal):
    """Processor time of `logs open` on the same events, compressed as they are sent."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([pqseal, "logs", "open", "-k", "key.pem", "-o", "opened.ndjson", "events.ndjson.gz"], cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Receiver:
    def __init__(self, folder, pqseal):
        self.log = open(folder / "log", "w+")
        self.process = subprocess.Popen([pqseal, "logs", "serve", "-c", "pqseal.toml"], cwd=folder, env=environment(), stderr=self.log)
        while '"listening"' not in (text := (folder / "log").read_text()):
            time.sleep(0.05)
        self.address = text.split('"address":"')[1].split('"')[0]

    def status(self, name):
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1])

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, batches, clients, until=None):
        """How long each batch took. With `until`, batches are sent again and again."""
        times, rest, lock = [], iter(batches), threading.Lock()

        def batch():
            nonlocal rest
            with lock:
                found = next(rest, None)
                if found is None and until and time.monotonic() < until:
                    rest = iter(batches)
                    found = next(rest)
                return found

        def client():
            connection = http.client.HTTPConnection(self.address)
            while (body := batch()) is not None:
                start = time.monotonic()
                connection.request("POST", "/logs", body, {"Authorization": f"Bearer {SECRET}"})
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200, answer.status
                times.append(time.monotonic() - start)

        threads = [threading.Thread(target=client) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(times)


def main():
    asked = arguments()
    pqseal = str(pathlib.Path(asked.pqseal).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = prepare(folder, pqseal, asked.events)
        batches = [gzip.compress(b"".join(lines[at : at + asked.batch]), 6) for at in range(0, len(lines), asked.batch)]
        (folder / "events.ndjson.gz").write_bytes(b"".join(batches))
        print(processor())
        grew = False
        # The quicker of three, of each.
        file = min(opened(folder, pqseal) for _ in range(3))
        receiver = Receiver(folder, pqseal)
        receiver.send(batches[:10], asked.clients)
        best, times = None, []
        for _ in range(3):
            start = receiver.seconds()
            times += receiver.send(batches, asked.clients)
            best = min(best or 1e9, receiver.seconds() - start)
        times.sort()
        rate = {"logs open": asked.events / file, "logs serve": asked.events / best}
        for what, events in rate.items():
            print(f"{what}: {events:,.0f} events per second of processor time")
        print(f"serve / open: {rate['logs serve'] / rate['logs open']:.2f}")
        at = {part: times[int(part / 100 * (len(times) - 1))] * 1000 for part in (50, 99)}
        print(f"batches of {asked.batch} by {asked.clients} clients: p50 {at[50]:.1f} ms, p99 {at[99]:.1f} ms")
        if asked.soak:
            end = time.monotonic() + asked.soak
            receiver.send(batches, asked.clients, min(end, time.monotonic() + 60))
            first = receiver.status("VmRSS")
            sent = len(receiver.send(batches, asked.clients, end))
            last = receiver.status("VmRSS")
            growth = last / first - 1
            print(f"memory: {first} KiB after a minute, {last} KiB after {asked.soak} s and {sent} more batches: {growth:+.1%}, at most +10 % is the goal")
            grew = growth > 0.1
        receiver.process.terminate()
        assert receiver.process.wait() == 0
    return grew


if __name__ == "__main__":
    sys.exit(main())
