"""Google Cloud Storage: fake-gcs-server, which takes objects by the JSON interface, behind what takes them by the XML interface."""

import contextlib
import hashlib
import http.client
import http.server
import itertools
import json
import pathlib
import threading
import urllib.parse
import urllib.request
from xml.etree import ElementTree

from servers import free_port
from store import Server

BUILD = pathlib.Path(__file__).resolve().parents[1] / ".build" / "stores"
# Of one connection, and not of what is in it.
HOPS = ("connection", "transfer-encoding", "date", "server")


class Gcs(Server):
    scheme = "gs"
    lacks = {"wrong_credentials": "fake-gcs-server accepts every client"}
    # It answers with status 500, which is a store that does not answer.
    missing_bucket = 3

    def command(self):
        self.listens = self.inner = free_port()
        front = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Front)
        front.inner, front.uploads, front.ids = self.inner, {}, itertools.count(1)
        threading.Thread(target=front.serve_forever, daemon=True).start()
        # The public host is what its XML interface answers to.
        return [BUILD / "fake-gcs-server", "-scheme", "http", "-host", "127.0.0.1", "-port", str(self.inner), "-backend", "memory",
                "-public-host", f"127.0.0.1:{self.relay_port}", "-log-level", "warn"]

    def connect(self):
        self.url = f"http://127.0.0.1:{self.inner}"

    def environment(self):
        return {"GOOGLE_BASE_URL": f"http://127.0.0.1:{self.relay.port}", "GOOGLE_BEARER_TOKEN": "any", "GOOGLE_ALLOW_HTTP": "true"}

    def ask(self, path, data=None, **headers):
        method = "GET" if data is None else "POST"
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data=data, method=method, headers=headers)) as answer:
            return answer.read()

    def make(self, bucket):
        self.ask("/storage/v1/b?project=test", json.dumps({"name": bucket}).encode(), **{"Content-Type": "application/json"})

    def put(self, bucket, key, data):
        self.ask(upload(bucket, key), data, **{"Content-Type": "application/octet-stream"})

    def get(self, bucket, key):
        return self.ask(f"/storage/v1/b/{bucket}/o/{urllib.parse.quote(key, safe='')}?alt=media", **{"Accept-Encoding": "gzip"})

    def keys(self, bucket, below):
        found = json.loads(self.ask(f"/storage/v1/b/{bucket}/o?prefix={urllib.parse.quote(below + '/')}"))
        return sorted(item["name"] for item in found.get("items", []))


def upload(bucket, key):
    return f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={urllib.parse.quote(key, safe='')}"


class Front(http.server.BaseHTTPRequestHandler):
    """Uploads by the XML interface, whole or in parts, become those of the JSON interface. All else goes through as it is."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle(self):
        # A client that is killed, or cut off by the relay.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_PUT(self):
        bucket, key, query, body = self.asked()
        if "uploadId" not in query:
            return self.insert(bucket, key, body)
        parts = self.server.uploads.get(query["uploadId"][0])
        if parts is None:
            return self.say(404)
        etag = f'"{hashlib.md5(body).hexdigest()}"'
        parts[int(query["partNumber"][0])] = etag, body
        self.say(200, headers={"ETag": etag})

    def do_POST(self):
        bucket, key, query, body = self.asked()
        if "uploads" in query:
            name = str(next(self.server.ids))
            self.server.uploads[name] = {}
            return self.say(200, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>".encode())
        # It is kept: a client that got no answer asks again.
        parts = self.server.uploads.get(query["uploadId"][0])
        named = [{child.tag.rpartition("}")[2]: child.text for child in part} for part in ElementTree.fromstring(body)]
        if parts is None:
            return self.say(404)
        if {int(part["PartNumber"]): part["ETag"] for part in named} != {number: etag for number, (etag, _) in parts.items()}:
            return self.say(400)
        self.insert(bucket, key, b"".join(parts[number][1] for number in sorted(parts)), is_whole=False)

    def do_DELETE(self):
        *_, query, _ = self.asked()
        if "uploadId" not in query:
            return self.passed()
        self.server.uploads.pop(query["uploadId"][0], None)
        self.say(204)

    def do_GET(self):
        self.passed()

    do_HEAD = do_GET

    def asked(self):
        path, _, query = self.path.partition("?")
        bucket, _, key = urllib.parse.unquote(path).removeprefix("/").partition("/")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return bucket, key, urllib.parse.parse_qs(query, keep_blank_values=True), body

    def insert(self, bucket, key, body, is_whole=True):
        wanted = self.headers.get("x-goog-if-generation-match")
        condition = "" if wanted is None else f"&ifGenerationMatch={wanted}"
        status, _, answer = self.ask("POST", upload(bucket, key) + condition, body, {"Content-Type": "application/octet-stream"})
        if status != 200:
            return self.say(status)
        made = json.loads(answer)
        etag = made["etag"].strip('"')
        text = f'<CompleteMultipartUploadResult><ETag>"{etag}"</ETag></CompleteMultipartUploadResult>'
        self.say(200, b"" if is_whole else text.encode(), {"ETag": f'"{etag}"', "x-goog-generation": made["generation"]})

    def passed(self):
        status, headers, body = self.ask(self.command, self.path, None, dict(self.headers))
        self.say(status, body, headers)

    def ask(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.inner)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in HOPS}
        return answer.status, kept, answer.read()

    def say(self, status, body=b"", headers=None):
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if "content-length" not in {name.lower() for name in headers or {}}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
