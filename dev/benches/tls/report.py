"""Writes the tables of `run` into docs/tls.md, between its two marks, and docs/tls.svg, and prints the tables.

report.py [--print] FILE    FILE has the samples of `tls-bench`; --print leaves docs/ as it is
"""

import argparse
import datetime
import pathlib
import statistics
import sys

BENCHES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHES))
import bars
import samples
from processor import processor

DOCS = BENCHES.parents[1] / "docs"
START, END = "<!-- figures: dev/benches/tls/run -->", "<!-- end of figures -->"
BASE, ML_KEM, KYBER, BIKE, P256 = "X25519", "X25519MLKEM768", "X25519Kyber768Draft00", "x25519_bikel1", "SecP256r1MLKEM768"
# Of a ratio of processor times.
NOISE = 0.02
OURS = (ML_KEM, KYBER, BIKE, P256)


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--print", action="store_true")
    arguments.add_argument("file", type=pathlib.Path)
    arguments = arguments.parse_args()
    found = samples.read(arguments.file)
    text = section(found)
    print(text)
    if not arguments.print:
        document = DOCS / "tls.md"
        before, rest = document.read_text().split(START)
        document.write_text(f"{before}{START}\n\n{text}\n{END}{rest.split(END)[1]}")
        (DOCS / "tls.svg").write_text(bars.draw(*picture(found)))


def section(found):
    intro = f"Measured on {datetime.date.today().isoformat()}, {processor()}."
    plot = "![Latency of TLS connections and rate of QUIC connections with each key exchange](tls.svg)"
    return "\n".join([plot, "", intro, "", *requests(found), *sizes(found), *quic(found), *costs(found)])


def table(heads, rows):
    """Lines of Markdown, and an empty one."""
    yield f"| | {' | '.join(heads)} |"
    yield "|---" + "|---:" * len(heads) + "|"
    for name, cells in rows:
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""


def change(value, base):
    return f"{(value / base - 1) * 100:+.0f} %"


def requests(found):
    yield "### a. A handshake and HTTP/1.1 requests on one connection"
    yield ""
    for delay in found.delays("requests"):
        count = found.count("requests", delay, BASE)
        yield f"Median latency in ms of {count} connections and the increase over X25519, {delay:g} ms of delay one way:"
        yield ""
        counts = found.counts()
        base = {n: found.median("requests", delay, BASE, n, "total") for n in counts}
        rows = []
        for name in found.names("requests"):
            times = {n: found.median("requests", delay, name, n, "total") for n in counts}
            rows.append((name, [f"{times[n] / 1e3:.2f} ({change(times[n], base[n])})" for n in counts]))
        yield from table([plural(n) for n in counts], rows)


def plural(n):
    return "1 request" if n == 1 else f"{n} requests"


def sizes(found):
    yield "### b. Bytes of each handshake message"
    yield ""
    messages = list(dict.fromkeys(message for row in found.bytes.values() for message in row))
    rows = [(name, [*(f"{row[m]:,}" for m in messages), f"{sum(row.values()):,}"]) for name, row in found.bytes.items()]
    yield from table([*messages, "sum"], rows)
    added = sum(found.bytes[BIKE].values()) - sum(found.bytes[BASE].values())
    yield f"BIKE-L1 adds {added:,} bytes to X25519."
    yield ""


def quic(found):
    total = sum(block["connections"] for block in found.quic[BASE])
    yield f"### c. {total:,} QUIC connections one after another, one byte each way"
    yield ""
    rows = []
    for name, blocks in found.quic.items():
        datagrams = [f"{statistics.median(block[way] for block in blocks):g}" for way in ("sent", "received")]
        rows.append((name, [f"{rate(blocks):.0f}", f"{(relative(found, name) - 1) * 100:+.1f} %", *datagrams]))
    yield from table(["connections per second", "relative to X25519", "datagrams from the client", "to the client"], rows)


def rate(blocks):
    return statistics.median(block["connections"] / block["seconds"] for block in blocks)


def relative(found, name):
    """Rates of the same round are compared, since noise comes in waves."""
    pairs = zip(found.quic[BASE], found.quic[name])
    return statistics.median(base["seconds"] / other["seconds"] for base, other in pairs)


def costs(found):
    yield "### d. Processor time of a handshake"
    yield ""
    yield "Medians in microseconds of the thread that does it, with its system calls:"
    yield ""
    delay = found.delays("handshakes")[0]
    values = lambda name, key: found.values("handshakes", delay, name, 1, key)
    both = lambda name: [client + server for client, server in zip(values(name, "client"), values(name, "server"))]
    base = statistics.median(both(BASE))
    rows = []
    for name in found.names("handshakes"):
        cells = [statistics.median(values(name, key)) for key in ("client", "server")] + [statistics.median(both(name))]
        rows.append((name, [*(f"{us:.0f}" for us in cells), f"{cells[2] - base:+.0f}"]))
    yield from table(["client", "server", "both", "over X25519"], rows)
    for name in (ML_KEM, P256):
        pairs = {key: zip(values(name, key), values(f"{name} of rustls", key)) for key in ("client", "server")}
        client, server = (compared(statistics.median(ours / theirs for ours, theirs in pair)) for pair in pairs.values())
        yield f"- {name} of pqseal against that of rustls: client {client}, server {server}."
    time = lambda name: statistics.median(values(name, "handshake"))
    cpu, clock = statistics.median(both(BIKE)) - base, time(BIKE) - time(BASE)
    yield f"- BIKE-L1 adds {cpu / 1e3:.3f} ms of processor time and {clock / 1e3:.3f} ms to the median latency."
    yield ""
    yield f"Ratios within {NOISE * 100:g} % of 1 count as equal."
    yield ""


def compared(ratio):
    """A ratio of ours to theirs, with three digits and in words."""
    words = "equal within noise" if abs(ratio - 1) <= NOISE else "less" if ratio < 1 else "more"
    return f"{ratio:.3f} times ({words})"


def picture(found):
    delay = found.delays("requests")[-1]
    panels = []
    for n in (found.counts()[0], found.counts()[-1]):
        times = {name: found.median("requests", delay, name, n, "total") / 1e3 for name in found.names("requests")}
        heading = f"A handshake and {plural(n)}, {delay:g} ms of delay one way: median ms"
        panels.append((heading, [(name, ms, name in OURS, f"{ms:.2f}") for name, ms in times.items()], None))
    rates = [(name, rate(blocks), name in OURS, f"{rate(blocks):.0f}") for name, blocks in found.quic.items()]
    panels.append(("QUIC connections per second, one after another", rates, None))
    return "TLS and QUIC connections with each key exchange; in blue those of pqseal", panels


main()
