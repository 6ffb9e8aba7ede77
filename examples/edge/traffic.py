"""What clients send, and what has to come of it."""

import http.client
import itertools
import json
import threading
import time
from dataclasses import dataclass
from urllib.parse import quote

HEADERS = {"Host": "example.com", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "Accept": "text/html,*/*;q=0.8"}
CLIENTS = 4

# Of the kinds that the Core Rule Set covers, with the numbers of the rules that have to match.
ATTACKS = {
    "942": "admin' UNION SELECT password FROM users -- {}",
    "930": "../../../../../../etc/passwd?{}",
    "941": "<script>alert({})</script>",
}


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    body: str = ""
    # What the published rule reads, as JSON, if it matches.
    matched: str = ""
    # What ModSecurity has to find, and the rules that find it.
    attack: str = ""
    rules: str = ""
    # Whether it may reach the server.
    passes: bool = True


def request(number):
    """The request of this number: the first is the published one, and of five that follow one is an attack."""
    if number == 0:
        return line_break("/cms/%0Aadmin", "action=%00post")
    match number % 5:
        case 1:
            return line_break(f"/cms/%0Aadmin/{number}", "action=view")
        case 2:
            return null_byte(f"/cms/{number}", f"action=%00post{number}")
        case 3:
            return attack(number)
        case _:
            return Request("GET", f"/products/{number}?color=red")


def line_break(path, query):
    """`or` stops at its first side that is true, so the query is not read."""
    read = {"http.request.version": "HTTP/1.1", "http.request.uri.path": path}
    return Request("GET", f"{path}?{query}", matched=json.dumps(read), passes=False)


def null_byte(path, query):
    read = {"http.request.version": "HTTP/1.1", "http.request.uri.path": path, "http.request.uri.query": query}
    return Request("GET", f"{path}?{query}", matched=json.dumps(read), passes=False)


def attack(number):
    rules, text = list(ATTACKS.items())[number // 5 % len(ATTACKS)]
    text = text.format(number)
    return Request("POST", f"/comments/{number}", f"text={quote(text)}", attack=text, rules=rules, passes=False)


@dataclass
class Sent:
    """A request, how often it was sent, and the status that was answered at last."""

    request: Request
    attempts: int = 0
    status: int = 0


class Clients:
    """Threads that send numbered requests, each until it is answered."""

    def __init__(self, port, requests, pause=0.0):
        self.port, self.pause = port, pause
        self.numbers = itertools.count()
        self.requests = requests
        self.is_over = threading.Event()
        self.sent = []
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def are_sending(self):
        return any(thread.is_alive() for thread in self.threads)

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.is_over.is_set():
            number = next(self.numbers)
            if self.requests is not None and number >= self.requests:
                return
            sent = Sent(request(number))
            self.sent.append(sent)
            while not self.is_over.is_set() and not sent.status:
                sent.attempts += 1
                sent.status = answer(connection, sent.request)
                time.sleep(self.pause)


def answer(connection, request):
    """The status of a whole answer. 0 if there is none, or the edge says that it has not logged the request."""
    headers = HEADERS | ({"Content-Type": "application/x-www-form-urlencoded"} if request.body else {})
    try:
        connection.request(request.method, request.target, request.body or None, headers)
        response = connection.getresponse()
        response.read()
        return 0 if response.status == 503 else response.status
    except (OSError, http.client.HTTPException):
        connection.close()
        time.sleep(0.05)
        return 0
