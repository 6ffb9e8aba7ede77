#!/usr/bin/env python3
"""TLS with what others wrote, in both roles where they have both, and what `pqseal tls probe` says of each server.

    dev/interop/tls/live.py

Node.js 26, pyOpenSSL and Chromium connect to the programs of examples/tls or are connected to by them; rustls' own groups and s2n-tls
run in dev/benches/tls. The probe's report is compared with the groups that each server is configured with: Go's, rustls', s2n-tls',
nginx's, Node.js' and ours. More of Go and OpenSSL is in `tools/test tests`. The checks take a minute, and all took eight with an empty
build folder. Needs what tools/setup installs. Ends with `N passed, N failed`, and exits with 1 if something failed.
"""

import contextlib
import json
import os
import pathlib
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = HERE / ".build"
HYBRIDS = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"]
CURVES = ["X25519", "prime256v1", "secp384r1"]
NODE, PYTHON = "26", ["pyOpenSSL>=26", "cryptography>=50"]
CONFIG = """[req]
distinguished_name=dn
x509_extensions=ext
prompt=no
[dn]
CN=localhost
[ext]
subjectAltName=DNS:localhost
"""


def main():
    BUILD.mkdir(exist_ok=True)
    results = []
    with tempfile.TemporaryDirectory(prefix="pqseal-tls-") as name:
        peers = Peers(pathlib.Path(name))
        for check in (peers.rust, peers.rust_probed, peers.go_probed, peers.ours_probed, peers.nginx_probed, peers.node_client,
                      peers.node_server, peers.python_client, peers.python_server, peers.chromium, peers.quic):
            results += [report(*result) for result in outcomes(check)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


def outcomes(check):
    """What a check found: pairs of a name and an error, or None. A check that cannot run is a failure."""
    try:
        yield from check()
    except (OSError, subprocess.SubprocessError, RuntimeError, KeyError, ValueError) as error:
        # A report that is not JSON is a ValueError, one that lacks a member a KeyError.
        yield check.__name__, f"{type(error).__name__}: {error}"


def report(name, error):
    print(f"{'FAILED' if error else 'ok'}  {name}{f': {error}' if error else ''}", flush=True)
    return not error


def expect(name, text, wanted):
    return name, None if wanted in text else f"{wanted} is not in {text.strip()[:300]!r}"


def need(program, package):
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    if not path:
        raise RuntimeError(f"{program} is missing (Debian: apt install {package})")
    return path


def output(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def cargo(folder, *arguments):
    subprocess.run(["cargo", *arguments, "--quiet", "--locked"], cwd=folder, check=True)
    metadata = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"], cwd=folder, check=True, capture_output=True)
    return pathlib.Path(json.loads(metadata.stdout)["target_directory"])


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Peers:
    def __init__(self, work):
        self.work = work
        self.certificate, self.key = work / "certificate.pem", work / "key.pem"
        command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -config /dev/stdin".split()
        output([need("openssl", "openssl"), *command, "-keyout", self.key, "-out", self.certificate], input=CONFIG)
        self.examples = cargo(ROOT / "examples/tls", "build") / "debug"
        self.bench = cargo(ROOT / "dev/benches/tls", "build", "--release") / "release/tls-bench"
        features = ["-p", "pqseal-tls", "-p", "pqseal", "--features", "pqseal-tls/quic,pqseal/tls"]
        self.pqseal = cargo(ROOT, "build", *features) / "debug/pqseal"

    @contextlib.contextmanager
    def server(self, command, **more):
        """A program whose first line has its address: `ADDRESS:PORT`."""
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
        late = threading.Timer(60, child.kill)
        try:
            late.start()
            line = child.stdout.readline().strip()
            late.cancel()
            if not line:
                raise RuntimeError(f"{command[0]} does not start")
            yield line
        finally:
            late.cancel()
            child.kill()
            child.wait()

    def ours(self, name):
        return self.server([self.examples / name, self.certificate, self.key, "127.0.0.1:0"])

    def our_client(self, address):
        return output([self.examples / "https-client", self.certificate, "localhost", address])

    def probe(self, address, *more):
        """The exit code and the report."""
        command = [self.pqseal, "--json", "tls", "probe", address, "--server-name", "localhost", *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if not done.stdout:
            raise RuntimeError(f"probe: {done.stderr.strip()}")
        return done.returncode, json.loads(done.stdout)

    def probed(self, name, address, groups, *more):
        """Whether the probe reports that the server accepts these groups, and that it refuses all others."""
        code, said = self.probe(address, *more)
        accepted = said["FS_KEMs"] + said["FS_ECDHE_curves"]
        unknown = [group["name"] for group in said["groups"] if group["accepted"] is None]
        wanted = 0 if set(groups) & set(HYBRIDS) else 1
        good = code == wanted and accepted == groups and not unknown
        return f"probe of {name}", None if good else f"exit code {code}, accepted {accepted}, unknown {unknown}"

    def rust(self):
        """rustls' own groups and s2n-tls, with ours and among themselves."""
        # It ends with an error if one pair fails, and has a line for each pair all the same.
        done = subprocess.run([self.bench, "peers", self.work], capture_output=True, text=True, timeout=120)
        lines = done.stdout.splitlines()
        for line in lines:
            pair, _, said = line.partition(": ")
            yield pair, None if said == "connected" else said or "no result"
        if not lines or done.returncode and all(line.endswith(": connected") for line in lines):
            yield "tls-bench peers", f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"

    def rust_probed(self):
        # A server prints an error for each group that it refuses.
        with self.server([self.bench, "server", self.work], stderr=subprocess.DEVNULL) as line:
            addresses = dict(reversed(item.split(" ", 1)) for item in line.split("\t"))
            for name, groups in {
                "X25519": ["X25519"],
                "X25519MLKEM768 of rustls": HYBRIDS[:1],
                "SecP256r1MLKEM768 of rustls": HYBRIDS[1:2],
                "X25519 of s2n-tls": CURVES,
                "X25519MLKEM768 of s2n-tls": HYBRIDS + CURVES,
            }.items():
                yield self.probed(f"the server {name}", addresses[name], groups)

    def go_probed(self):
        (self.work / "identity.pem").write_text(self.certificate.read_text() + self.key.read_text())
        peer = self.work / "go-peer"
        output([need("go", "golang"), "build", "-o", peer, "."], cwd=HERE, env={**os.environ, "GOTOOLCHAIN": "local"})
        with self.server([peer, "server", self.work, "default"]) as address:
            yield self.probed("Go", address, HYBRIDS + CURVES)

    def ours_probed(self):
        with self.ours("https-server") as address:
            yield self.probed("https-server", address, HYBRIDS + CURVES)

    def node(self):
        package = f"node-{sys.platform}-{dict(x86_64='x64', aarch64='arm64')[platform.machine()]}"
        program = BUILD / "node_modules" / package / "bin/node"
        if not program.exists():
            command = [need("npm", "npm"), "install", "--prefix", BUILD, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
            output([*command, f"{package}@{NODE}"])
        return program

    def node_client(self):
        with self.ours("https-server") as address:
            for groups in [None, *HYBRIDS]:
                page = output([self.node(), HERE / "client.mjs", self.certificate, address, groups or ""])
                wanted = groups or HYBRIDS[0]
                pair = f"client Node.js {NODE} ({groups or 'default'}), server pqseal"
                yield expect(pair, page, f"key exchange: {wanted}<")
                yield expect(f"{pair}, by itself", page, f"group {wanted}\n")

    def node_server(self):
        for group in HYBRIDS:
            command = [self.node(), HERE / "server.mjs", self.certificate, self.key, group]
            with self.server(command) as address:
                yield expect(f"client pqseal, server Node.js {NODE}", self.our_client(address), group)
                yield self.probed(f"Node.js with {group}", address, [group])

    def python(self):
        venv = BUILD / "venv"
        program, ready = venv / "bin/python", venv / "ready"
        if not ready.exists():
            output([need("python3", "python3"), "-m", "venv", venv])
            output([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *PYTHON])
            ready.touch()
        return program

    def python_client(self):
        with self.ours("https-server") as address:
            said = output([self.python(), HERE / "peer.py", "client", self.certificate, address])
            yield expect("client pyOpenSSL, by itself", said, f"group {HYBRIDS[0]}")
            yield expect("client pyOpenSSL, server pqseal", said, f"key exchange: {HYBRIDS[0]}<")

    def python_server(self):
        with self.server([self.python(), HERE / "peer.py", "server", self.certificate, self.key]) as address:
            said = self.our_client(address)
            yield expect("client pqseal, server pyOpenSSL", said, HYBRIDS[0])
            yield expect("server pyOpenSSL, by itself", said, f"group {HYBRIDS[0]}")

    def chromium(self):
        program = need("chromium", "chromium")
        with self.ours("https-server") as address:
            port = address.rpartition(":")[2]
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", f"--user-data-dir={self.work / 'chromium'}"]
            page = output([program, *options, "--dump-dom", f"https://localhost:{port}/"])
            yield expect("client Chromium, server pqseal", page, f"key exchange: {HYBRIDS[0]}<")

    def nginx_probed(self):
        """Debian 12 has OpenSSL 3.0, which has no ML-KEM; of a newer one the probe says so."""
        program, port = need("nginx", "nginx-light"), free_port()
        config = self.work / "nginx.conf"
        config.write_text(
            f"daemon off; pid {self.work}/nginx.pid; error_log {self.work}/nginx.log; events {{}} http {{ access_log off; server {{"
            f" listen 127.0.0.1:{port} ssl; ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate {self.certificate};"
            f" ssl_certificate_key {self.key}; return 200; }} }}"
        )
        child = subprocess.Popen([program, "-c", config, "-p", self.work], stderr=subprocess.DEVNULL)
        try:
            wait(port)
            old = tuple(map(int, output(["openssl", "version"]).split()[1].split(".")[:2])) < (3, 5)
            kems = [] if old else HYBRIDS[:1]
            yield self.probed("nginx" + (", not post-quantum" if old else ""), f"127.0.0.1:{port}", kems + CURVES)
        finally:
            child.terminate()
            child.wait()

    def quic(self):
        kinds = ["quic", "s2n-quic"]
        for server in kinds:
            with self.ours(f"{server}-server") as address:
                for client in kinds:
                    said = output([self.examples / f"{client}-client", self.certificate, "localhost", address, "an echo"])
                    yield expect(f"{client}-client, {server}-server", said, "an echo")
                yield self.probed(f"{server}-server", address, HYBRIDS + CURVES, "--quic", "--alpn", "echo")


def wait(port):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise RuntimeError("the server does not start")


if __name__ == "__main__":
    sys.exit(__doc__ if sys.argv[1:] else main())
