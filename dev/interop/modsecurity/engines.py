"""The firewalls, each in a folder of its own and on the loopback interface, in front of a page that repeats what it is asked."""

import contextlib
import http.server
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from servers import ROOT, expect, free_port

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / ".build"
SIEM = ROOT / "docs" / "siem" / "modsecurity"
NEEDED = [pathlib.Path("/usr/lib/nginx/modules/ngx_http_modsecurity_module.so"), pathlib.Path("/usr/lib/apache2/modules/mod_security2.so"),
          pathlib.Path("/usr/share/modsecurity-crs/rules"), BUILD / "coraza-peer"]


class Page(http.server.BaseHTTPRequestHandler):
    """Repeats the argument `page`, as pages do that are open to cross-site scripting."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        text = ("You asked for " + "".join(query.get("page", ["nothing"])) + ".\n").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    def log_message(self, *_):
        pass


class Upstream:
    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Engine:
    """One firewall; `preset` is what its audit log is sealed with."""

    preset = "modsecurity"

    def __init__(self, folder, upstream):
        self.folder, self.upstream, self.port, self.process = folder, upstream, free_port(), None
        # nginx and Apache run as other users, if root starts them.
        folder.mkdir(mode=0o755)
        folder.chmod(0o777)
        self.log = folder / "audit.log"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.configure()
        with open(self.folder / "output", "wb") as output:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE if self.preset == "coraza" else output,
                                            stderr=output, cwd=self.folder)
        self.wait()

    def wait(self):
        for _ in range(600):
            expect(self.process.poll() is None, f"ended: {self.output()}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.1)
        raise AssertionError(f"does not listen: {self.output()}")

    def output(self):
        return (self.folder / "output").read_text(errors="replace")[-600:]

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def template(self, source, name, **more):
        """Writes a configuration with the places and ports of this run."""
        text = source.read_text()
        for word, value in {"FOLDER": self.folder, "PORT": self.port, "UPSTREAM": self.upstream, **more}.items():
            expect(word in text, f"{source} has no {word}")
            text = text.replace(word, str(value))
        (self.folder / name).write_text(text)

    def rotate(self):
        """Renames the log and starts the firewall again: ModSecurity in nginx writes on to a renamed file also after SIGHUP."""
        self.stop()
        self.log.rename(self.log.with_name("audit.log.1"))
        self.start()

    def errors(self):
        path = self.folder / "error.log"
        return path.read_bytes() if path.exists() else b""


class Nginx(Engine):
    """ModSecurity 3 in nginx, with the file that docs/siem/modsecurity has for it."""

    name = "nginx"

    def configure(self):
        self.template(HERE / "nginx.conf", "nginx.conf")
        rules = (SIEM / "modsecurity.conf").read_text()
        expect("/run/modsecurity/audit.log" in rules, "another path of the log")
        (self.folder / "modsecurity.conf").write_text(rules.replace("/run/modsecurity/audit.log", str(self.log)))

    def command(self):
        return ["/usr/sbin/nginx", "-p", self.folder, "-c", self.folder / "nginx.conf"]


class Apache(Engine):
    """ModSecurity 2 in Apache."""

    name = "apache"

    def configure(self):
        self.template(HERE / "apache.conf", "apache.conf")

    def command(self):
        return ["/usr/sbin/apache2", "-f", self.folder / "apache.conf", "-D", "FOREGROUND"]

    def wait(self):
        super().wait()
        # It opens its logs as root, and its children write to them.
        expect(self.log.exists(), "no log")


class Coraza(Engine):
    """Coraza, with the directives that docs/siem/modsecurity has for it, and with error messages."""

    name, preset = "coraza", "coraza"

    def configure(self):
        directives = (SIEM / "coraza.conf").read_text()
        expect("/run/coraza/audit.log" in directives and "ABCEFKZ" in directives, "another path, or other parts")
        directives = directives.replace("/run/coraza/audit.log", str(self.log)).replace("ABCEFKZ", "ABCEFHKZ")
        (self.folder / "coraza.conf").write_text(directives)

    def command(self):
        return [BUILD / "coraza-peer", self.folder / "coraza.conf", f"http://127.0.0.1:{self.upstream}"]

    def wait(self):
        line = self.process.stdout.readline()
        expect(line.strip().isdigit(), f"ended: {self.output()}")
        self.port = int(line)
