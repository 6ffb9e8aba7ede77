"""What the owner of the private key reads: on the command line, in the page, and from the receiver."""

import json
import os
import subprocess
from subprocess import PIPE

from parts import HERE, Failed

# How the names of sealed members begin, and of results beside them.
SEALED = "encrypted_"
OPENED = "decrypted_"


class Opened:
    def __init__(self, folder, pqseal, page, browser):
        self.folder, self.pqseal, self.page, self.browser = folder, pqseal, page, browser
        events = self.on_command_line("cf-logpush", "events.ndjson")
        self.events = parsed(events)
        self.audit = self.on_command_line("modsecurity", "audit.sealed.ndjson")
        self.has_same_events_in_page = self.in_page("events.ndjson") == events
        self.audit_in_page = parsed(self.in_page("audit.sealed.ndjson"))
        segments = sorted((folder / "opened").glob("*.ndjson"))
        self.received = [event for segment in segments for event in parsed(segment.read_text())]

    def on_command_line(self, preset, name):
        return self.run([self.pqseal, "logs", "open", "--strict", "-k", "key.pem", "--preset", preset, name])

    def in_page(self, name):
        """What the page saves: whole records. It gets the names of the fields that are sealed."""
        fields = sealed_fields(parsed((self.folder / name).read_text()))
        output = self.folder / f"page.{name}"
        words = ["node", HERE / "page.mjs", self.page, "key.pem", name, ", ".join(sorted(fields)), output]
        self.run(words, CHROMIUM=self.browser)
        return output.read_text()

    def run(self, words, **environment):
        process = subprocess.Popen(words, cwd=self.folder, stdout=PIPE, stderr=PIPE, text=True, env=os.environ | environment)
        try:
            out, said = process.communicate()
        except BaseException:
            # The browser is closed by SIGTERM, and left by SIGKILL.
            process.terminate()
            process.wait()
            raise
        if process.returncode:
            raise Failed(f"{words[0]} ended with {process.returncode}: {said[-500:]}")
        return out


def lines(text):
    """Only line breaks end a line: JSON may have other separators in strings."""
    return [line for line in text.split("\n") if line]


def parsed(text):
    return [json.loads(line) for line in lines(text)]


def sealed_fields(value):
    """The names of members that begin so, at any depth."""
    if isinstance(value, list):
        return set().union(*map(sealed_fields, value))
    if not isinstance(value, dict):
        return set()
    names = {name for name in value if name.startswith(SEALED)}
    return names.union(*map(sealed_fields, value.values()))
