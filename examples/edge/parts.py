"""The parts of the example: what each one runs, when it is ready, and how it ends."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# How long anything may take, in seconds.
PATIENCE = 120


class Failed(Exception):
    """Why the demonstration cannot go on."""


class Part:
    """A program in a separate process group. It is ready when its port accepts connections."""

    def __init__(self, folder, name, words, port=None):
        self.folder, self.name, self.words, self.port = folder, name, [str(word) for word in words], port
        self.process = None

    def start(self):
        with open(self.folder / f"{self.name}.err", "ab") as said:
            self.process = subprocess.Popen(
                self.words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )
        end = time.monotonic() + PATIENCE
        while self.port and not accepts(self.port):
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"the {self.name} does not start: {self.last_words()}")
            time.sleep(0.02)

    def check(self):
        if self.process.poll() is not None:
            raise Failed(f"the {self.name} ended with {self.process.returncode}: {self.last_words()}")

    def kill(self):
        """kill -9, for all processes of it."""
        if self.process is not None:
            self.signal(signal.SIGKILL)
            self.process.wait()

    def stop(self):
        """Asks it to end; the exit code."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"the {self.name} does not end") from None

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def last_words(self):
        return (self.folder / f"{self.name}.err").read_text(errors="replace").strip()[-500:]


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def free_ports(names):
    """A port for each name, below those that systems give to clients."""
    ports = {}
    for name in names:
        while name not in ports:
            port = random.randrange(20000, 32000)
            if port not in ports.values() and not accepts(port):
                ports[name] = port
    return ports


def write_configuration(folder, ports):
    for name in ["rules.toml", "nginx.conf", "modsecurity.conf", "receiver.toml"]:
        text = (HERE / name).read_text()
        for key, port in ports.items():
            text = text.replace(f"@{key}@", str(port))
        (folder / name).write_text(text)
    (folder / "edge.secret").write_text(random.SystemRandom().randbytes(32).hex())
    (folder / "opened").mkdir()


def make(folder, programs, public_key):
    """All parts, in the order in which they start, and the port for clients."""
    ports = free_ports(["UPSTREAM", "NGINX", "EDGE", "RECEIVER"])
    write_configuration(folder, ports)
    pqseal, edge = programs / "pqseal", programs / "pqseal-edge"
    at = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    server = [sys.executable, HERE / "upstream.py", ports["UPSTREAM"], "upstream.log"]
    nginx = ["/usr/sbin/nginx", "-p", folder, "-c", "nginx.conf"]
    receiver = [pqseal, "logs", "serve", "-c", "receiver.toml"]
    proxy = [edge, "--rules", "rules.toml", "--to", public_key, "--upstream", f"http://{at['NGINX']}"]
    proxy += ["--listen", at["EDGE"], "--log", "events.ndjson", "--require-log"]
    shipper = [sys.executable, HERE / "ship.py", "events.ndjson", "shipped.json", f"http://{at['RECEIVER']}/logs", "edge.secret"]
    sealer = [pqseal, "logs", "seal", "--preset", "modsecurity", "--also", "message,request,response", "--to", public_key]
    sealer += ["--follow", "audit.log", "--state", "sealed.state", "-o", "audit.sealed.ndjson"]
    parts = [
        Part(folder, "server", server, ports["UPSTREAM"]),
        Part(folder, "nginx", nginx, ports["NGINX"]),
        Part(folder, "receiver", receiver, ports["RECEIVER"]),
        Part(folder, "edge", proxy, ports["EDGE"]),
        Part(folder, "shipper", shipper),
        Part(folder, "sealer", sealer),
    ]
    return parts, ports["EDGE"]
