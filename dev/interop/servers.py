"""What live runs of servers have in common: building, reporting, and a relay that cuts connections."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(features):
    """Builds the command line with these features, and says where it is. PQSEAL_BIN names the folder of one that has them."""
    if folder := os.environ.get("PQSEAL_BIN"):
        return pathlib.Path(folder).resolve() / "pqseal"
    command = ["cargo", "build", "--quiet", "--locked", "-p", "pqseal", "--features", features, "--bin", "pqseal"]
    subprocess.run(command, cwd=ROOT, check=True)
    metadata = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"], cwd=ROOT, check=True, capture_output=True)
    return pathlib.Path(json.loads(metadata.stdout)["target_directory"]) / "debug" / "pqseal"


def report(name, check):
    began = time.monotonic()
    try:
        check()
        error = None
    except Exception as found:  # A check that cannot run is a failure, whatever the reason.
        error = f"{type(found).__name__}: {found}"
    seconds = time.monotonic() - began
    print(f"{'FAILED' if error else 'ok'}  {name} ({seconds:.0f} s){f': {error}' if error else ''}", flush=True)
    return error is None


def expect(is_so, message):
    if not is_so:
        raise AssertionError(message)


class Relay:
    """Passes bytes between pqseal and a server; counts them, and cuts all connections when it is told to."""

    def __init__(self, target, port):
        self.target, self.listener, self.connections, self.passed = target, None, set(), 0
        self.hook, self.port = None, port
        self.restore()

    def restore(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self, listener):
        while True:
            try:
                ours, _ = listener.accept()
            except OSError:
                return
            try:
                theirs = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                # The server is away.
                ours.close()
                continue
            self.connections |= {ours, theirs}
            for pair in ((ours, theirs, False), (theirs, ours, True)):
                threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if counts:
                    self.count(len(data))
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            self.connections.discard(end)
        source.close()

    def count(self, length):
        self.passed += length
        if self.hook and self.passed >= self.hook[0]:
            action, self.hook = self.hook[1], None
            action()

    def after(self, length, action):
        self.hook = (self.passed + length, action)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
