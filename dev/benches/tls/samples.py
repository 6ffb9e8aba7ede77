"""The samples that `tls-bench` prints."""

import statistics


def read(path):
    found = Samples()
    for line in path.read_text().splitlines():
        kind, *fields = line.split("\t")
        getattr(found, f"add_{kind}")(*fields)
    found.quic = {name: found.quic[name] for name in sorted(found.quic, key=order)}
    return found


class Samples:
    def __init__(self):
        # {(table, delay, name, requests): [{"handshake": us, "total": us, "client": us, "server":
        # us}]}, a round each.
        self.rows = {}
        # {name: {message: bytes}}
        self.bytes = {}
        # {name: [{"connections": n, "seconds": s, "sent": datagrams, "received": datagrams}]}, a
        # round each.
        self.quic = {}

    def add_requests(self, *fields):
        self.add("requests", *fields)

    def add_handshakes(self, *fields):
        self.add("handshakes", *fields)

    def add(self, table, delay, name, requests, _round, *times):
        row = dict(zip(("handshake", "total", "client", "server"), map(float, times)))
        self.rows.setdefault((table, float(delay), name, int(requests)), []).append(row)

    def add_bytes(self, name, message, length):
        self.bytes.setdefault(name, {})[message] = int(length)

    def add_quic(self, name, _round, *values):
        row = dict(zip(("connections", "seconds", "sent", "received"), map(float, values)))
        row["connections"] = int(row["connections"])
        self.quic.setdefault(name, []).append(row)

    def delays(self, table):
        return sorted({delay for of, delay, _, _ in self.rows if of == table})

    def counts(self):
        return sorted({requests for of, _, _, requests in self.rows if of == "requests"})

    def names(self, table):
        """ECDHE first, and each of rustls' and s2n-tls' beside ours."""
        return sorted({name: None for of, _, name, _ in self.rows if of == table}, key=order)

    def values(self, table, delay, name, requests, key):
        return [row[key] for row in self.rows[table, delay, name, requests]]

    def count(self, table, delay, name):
        return len(self.rows[table, delay, name, 1])

    def median(self, *which):
        return statistics.median(self.values(*which))


def order(name):
    groups = ["X25519", "X25519MLKEM768", "SecP256r1MLKEM768", "X25519Kyber768Draft00", "x25519_bikel1"]
    group, _, library = name.partition(" of ")
    return groups.index(group), library
