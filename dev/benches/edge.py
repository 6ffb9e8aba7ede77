#!/usr/bin/env python3
"""What `pqseal-edge` adds to a request: its processor time per request without rules, with rules that
match nothing, and with one that matches, by turns, without and with --require-log. Everything is on
this machine, over loopback.

    cargo build --release -p pqseal --features edge
    dev/benches/edge.py [--edge PROGRAM] [--sealing PROGRAM] [--requests N] [--rounds N]

The benchmark of `pqseal-edge` has the same without connections; it runs by turns too, for what sealing an
event takes alone. With other features than those above, name what `cargo bench --no-run` built by --sealing.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import time

from processor import processor

KEY = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8="
RULES = [
    r'http.request.uri.query matches "(?i)union\s+select"',
    r'http.request.uri.query contains "<script"',
    r'http.request.uri.path contains "../"',
    r'http.user_agent matches "(?i)sqlmap|nikto|nessus"',
    r'http.request.method in {"TRACE" "TRACK" "DEBUG"}',
    r'ip.src in {192.0.2.0/24 203.0.113.0/24} and http.request.uri.path contains "/admin"',
    r'http.cookie contains "${jndi:" or http.referer contains "${jndi:"',
    r'http.request.version eq "HTTP/1.1" and (http.request.uri.path matches "\n+." or http.request.uri.query matches "\x00+.")',
]
HEADERS = (
    "Host: shop.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
    "Accept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nReferer: https://shop.example.com/\r\n"
    "Cookie: session=6f1c1c7f3c0d4b0f9a7e; theme=dark\r\n\r\n"
)
# The rules, the words, and what is asked for.
CASES = {
    "no rules": ([], [], "/products/7?color=red"),
    "rules, no match": (RULES, [], "/products/7?color=red"),
    "rules, one matches": (RULES, [], "/products/%0Ax?color=red"),
    "the same, --require-log": (RULES, ["--require-log"], "/products/%0Ax?color=red"),
}
CLIENTS = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edge", default="target/release/pqseal-edge")
    parser.add_argument("--sealing")
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def built_benchmark():
    """The program of the benchmark `edge`, with AWS-LC as the command line has it."""
    words = "cargo bench --quiet --locked --no-run --message-format=json -p pqseal -p pqseal-edge --features pqseal/edge --bench edge"
    lines = subprocess.run(words.split(), check=True, capture_output=True, text=True).stdout.splitlines()
    return next(program for line in lines if (program := json.loads(line).get("executable")))


def sealing(program):
    """Microseconds of processor time for sealing an event."""
    said = subprocess.run([program, "--bench"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"sealing its event +([0-9.]+) us", said)[1])


async def answer(reader, writer):
    """The server behind the proxy."""
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


class Edge:
    def __init__(self, folder, name, program, upstream):
        rules, words, self.target = CASES[name]
        text = "".join(f"[[rule]]\nid = \"{index}\"\nexpression = '''{rule}'''\n" for index, rule in enumerate(rules))
        (folder / f"{name}.toml").write_text(text)
        self.said = folder / f"{name}.err"
        words = [program, *words, "--rules", f"{name}.toml", "--to", KEY, "--upstream", upstream, "--log", f"{name}.log", "--listen", "127.0.0.1:0"]
        with open(self.said, "w") as said:
            self.process = subprocess.Popen(words, cwd=folder, stderr=said)
        while '"listening"' not in (text := self.said.read_text()):
            if self.process.poll() is not None:
                raise SystemExit(text)
            time.sleep(0.05)
        self.port = int(text.split('"address":"127.0.0.1:')[1].split('"')[0])

    def seconds(self):
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    async def client(self, count):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        request = f"GET {self.target} HTTP/1.1\r\n{HEADERS}".encode()
        for _ in range(count):
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            await reader.readexactly(2)
        writer.close()

    async def run(self, count):
        """Microseconds of processor time for each request."""
        before = self.seconds()
        await asyncio.gather(*(self.client(count // CLIENTS) for _ in range(CLIENTS)))
        return (self.seconds() - before) / (count // CLIENTS * CLIENTS) * 1e6

    async def end(self):
        self.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self.process.wait)


async def main():
    options = arguments()
    program = os.path.abspath(options.edge)
    benchmark = options.sealing or built_benchmark()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    upstream = "http://127.0.0.1:{}".format(server.sockets[0].getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        edges = {name: Edge(pathlib.Path(folder), name, program, upstream) for name in CASES}
        times = {name: [] for name in CASES}
        alone = []
        for turn in range(options.rounds + 1):
            for name, edge in edges.items():
                took = await edge.run(options.requests)
                # The first round warms up.
                if turn:
                    times[name].append(took)
            alone.append(await asyncio.to_thread(sealing, benchmark))
        for edge in edges.values():
            await edge.end()
        # The server sees the ends of its connections.
        await asyncio.sleep(0.1)
    print(f"{processor()}, load {os.getloadavg()[0]:.1f}")
    # Noise comes in waves, so what is compared is from the same round.
    more = {name: [one - base for one, base in zip(took, times["no rules"])] for name, took in times.items()}
    for name, took in times.items():
        print(f"{name:24} {statistics.median(took):7.1f} us ({min(took):.1f} to {max(took):.1f}), {statistics.median(more[name]):+.1f} us")
    beside = [one - seal for one, seal in zip(more["rules, one matches"], alone)]
    print(f"{'sealing an event alone':24} {statistics.median(alone):7.1f} us ({min(alone):.1f} to {max(alone):.1f})")
    print(f"{'a match beside sealing':24} {statistics.median(beside):+7.1f} us")


if __name__ == "__main__":
    asyncio.run(main())
