"""Requests of the kind that the OWASP Core Rule Set covers, each with the text that a rule must match in it, and requests that match nothing."""

import collections
import http.client

Attack = collections.namedtuple("Attack", "name method target headers body matched")

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def attack(name, matched, target="/", method="GET", headers=None, body=None):
    return Attack(name, method, target, headers or {}, body, matched)


ATTACKS = [
    attack("SQL injection in the query", "1' OR '1'='1' -- -", "/item?id=1%27%20OR%20%271%27=%271%27%20--%20-"),
    attack("SQL injection in a form", "admin' UNION SELECT password FROM users--", "/login", "POST", FORM,
           b"user=admin' UNION SELECT password FROM users--&x=1"),
    attack("SQL injection in JSON", "x' AND SLEEP(9)#", "/api", "POST", {"Content-Type": "application/json"}, b'{"q": "x\' AND SLEEP(9)#"}'),
    attack("path traversal in the query", "../../../../etc/passwd", "/show?file=../../../../etc/passwd"),
    attack("path traversal, encoded twice", "/etc/shadow", "/show?file=%252e%252e%252fetc%252fshadow&also=/etc/shadow"),
    attack("cross-site scripting in the query", "<script>alert(1)</script>", "/?page=%3Cscript%3Ealert(1)%3C/script%3E"),
    attack("cross-site scripting in a header", "<script>alert(2)</script>", headers={"Referer": "http://x/<script>alert(2)</script>"}),
    attack("cross-site scripting in a cookie", "<img src=x onerror=alert(3)>", headers={"Cookie": "seen=<img src=x onerror=alert(3)>"}),
    # Bytes that are not UTF-8, control characters, and a backslash: what comes back must be the
    # same bytes.
    attack("bytes that are not text", "<script>alert(4)</script>", "/note", "POST", {**FORM, "X-Odd": b"a\xffb\\"},
           b"note=<script>alert(4)</script>&raw=\x01\x1f\x7f\xff\xfe\xe2\x80\xa8/\\\""),
    attack("an upload", "<script>alert(5)</script>", "/upload", "POST", {"Content-Type": "multipart/form-data; boundary=b"},
           b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n<script>alert(5)</script>\r\n'
           b'--b\r\nContent-Disposition: form-data; name="f"; filename="notes.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--\r\n'),
]

HARMLESS = [attack("a page", None, "/?page=welcome"), attack("a form", None, "/form", "POST", FORM, b"name=Ada&town=London")]


def send(port, request, host="shop.example"):
    """The status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
        headers = {"Host": host, "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Accept": "*/*", **request.headers}
        for name, value in headers.items():
            connection.putheader(name, value)
        if request.body is not None:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()
