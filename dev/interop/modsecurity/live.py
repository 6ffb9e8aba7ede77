#!/usr/bin/env python3
"""`pqseal logs seal --preset modsecurity` and `coraza` beside the firewalls that write the logs, under attacks.

    dev/interop/modsecurity/live.py [nginx] [apache] [coraza]

Starts nginx with ModSecurity 3, Apache with ModSecurity 2, and a Go program with Coraza, each with the OWASP Core Rule Set, on the loopback
interface and with the configuration of docs/siem/modsecurity. Two runs of `pqseal logs seal --follow` seal each audit log as it grows, one of
them everything and one only what the rules matched, while attacks are sent. A run is killed with kill -9 and started again, and the logs
are rotated. Needs what `dev/interop/setup.sh modsecurity` installs. Takes a minute after the build. Ends with `N passed, N failed`, and exits
with 1 if something failed.

    dev/interop/modsecurity/live.py --fixtures FOLDER      writes some lines of each audit log, for cli/tests/audit_logs
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from attacks import ATTACKS, HARMLESS, send  # noqa: E402
from engines import NEEDED, SIEM, Apache, Coraza, Nginx, Upstream  # noqa: E402
from servers import build, expect, report  # noqa: E402

ENGINES = {engine.name: engine for engine in (Nginx, Apache, Coraza)}
# What `pqseal` is expected to seal, written down once more: of each engine's records, without and
# with --also.
MATCHES = {
    "nginx": ["transaction.messages[].details.match", "transaction.messages[].details.data"],
    "apache": ["audit_data.messages", "audit_data.error_messages", "audit_data.action.message"],
    "coraza": ["messages[].data.data", "messages[].error_message"],
}
ALSO = {
    "nginx": ["transaction.messages[].message", "transaction.request", "transaction.server_id", "transaction.response"],
    "apache": ["request", "uploads", "response"],
    "coraza": ["messages[].message", "messages[].data.msg", "transaction.request", "transaction.server_id", "transaction.response"],
}


def main():
    missing = [path for path in NEEDED if not path.exists()]
    if missing:
        sys.exit(f"dev/interop/modsecurity: {missing[0]} is missing; run: dev/interop/setup.sh modsecurity")
    if sys.argv[1:2] == ["--fixtures"]:
        return fixtures(pathlib.Path(sys.argv[2]))
    pqseal = build("")
    results = []
    with Upstream() as upstream, tempfile.TemporaryDirectory(prefix="pqseal-modsecurity-") as name:
        pathlib.Path(name).chmod(0o755)
        for engine in sys.argv[1:] or ENGINES:
            checks = Checks(ENGINES[engine](pathlib.Path(name) / engine, upstream.port), pqseal)
            for check in (checks.attacks, checks.matched, checks.sealed, checks.only_matches, checks.nothing_in_the_clear, checks.opened, checks.error_log):
                results.append(report(f"{engine}: {check.__name__}", check))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


class Sealer:
    """A run of `pqseal logs seal --follow`."""

    def __init__(self, name, checks, leave_out=()):
        engine, self.output = checks.engine, checks.folder / f"{name}.ndjson"
        self.command = [word for word in service({
            "/usr/local/bin/pqseal": checks.pqseal, "modsecurity": engine.preset, "/etc/pqseal/public.txt": checks.public,
            "/run/modsecurity/audit.log": engine.log, "/var/lib/pqseal/seal.state": checks.folder / f"{name}.state",
            "/var/lib/pqseal/audit.ndjson": self.output}) if word not in leave_out]
        self.errors = checks.folder / f"{name}.err"
        self.start()

    def start(self):
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=errors)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wait(self, lines):
        for _ in range(600):
            expect(self.process.poll() is None, f"ended: {self.errors.read_text()[-600:]}")
            if self.output.exists() and self.output.read_bytes().count(b"\n") >= lines:
                return
            time.sleep(0.1)
        raise AssertionError(f"{lines} lines are not sealed: {self.errors.read_text()[-600:]}")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        expect(code == 0, f"exit code {code}: {self.errors.read_text()[-600:]}")


def service(places):
    """The command of the unit for systemd, with other places."""
    unit = (SIEM / "pqseal-seal.service").read_text().replace("\\\n", " ")
    words = re.search(r"^ExecStart=(.*)$", unit, re.M).group(1).split()
    expect(set(places) <= set(words), f"the unit has other places: {words}")
    return [str(places.get(word, word)) for word in words]


class Checks:
    def __init__(self, engine, pqseal):
        self.engine, self.pqseal = engine, pqseal
        self.folder = engine.folder.with_name(f"{engine.name}-sealed")
        self.folder.mkdir()
        self.key, self.public = self.folder / "key.pem", self.folder / "public.txt"
        # A hybrid key, as most users should have.
        self.public.write_bytes(subprocess.run([pqseal, "keygen", "-o", self.key], check=True, capture_output=True).stdout)

    def attacks(self):
        """Attacks are blocked and other requests are not, while two runs seal the log, of which one is killed."""
        self.all, self.matches = Sealer("all", self), Sealer("matches", self, ["--also", "message,request,response"])
        runs = (self.all, self.matches)
        try:
            with self.engine as engine:
                for number, request in enumerate(ATTACKS):
                    if number == len(ATTACKS) // 2:
                        # It knows the file by now: one that it has never seen would not be looked
                        # for.
                        self.all.wait(1)
                        self.all.kill()
                        engine.rotate()
                    if number == len(ATTACKS) - 2:
                        self.all.start()
                    status = send(engine.port, request)
                    expect(status == 403, f"{request.name}: {status}")
                    if number < len(HARMLESS):
                        expect(send(engine.port, HARMLESS[number]) == 200, HARMLESS[number].name)
                self.wait_for_log()
                for run in runs:
                    run.wait(len(ATTACKS))
                    run.end()
        finally:
            for run in runs:
                run.kill()
        print(f"      {len(ATTACKS)} attacks, {len(self.written())} bytes of log, {len(self.all.output.read_bytes())} sealed", flush=True)

    def written(self):
        """What the firewall wrote."""
        logs = [self.engine.log.with_name("audit.log.1"), self.engine.log]
        return b"".join(log.read_bytes() for log in logs if log.exists())

    def wait_for_log(self):
        for _ in range(100):
            lines = self.written().count(b"\n")
            if lines >= len(ATTACKS):
                return
            time.sleep(0.1)
        raise AssertionError(f"{lines} transactions in the log, and not {len(ATTACKS)}")

    def matched(self):
        """Each attack's text is in what the firewall says that a rule matched: otherwise the other checks would show nothing."""
        records = self.records(self.written())
        for request in ATTACKS:
            found = [record for record in records if any(request.matched in text for text in texts(taken(record, MATCHES[self.engine.name])))]
            expect(found, f"{request.name}: no rule matched {request.matched!r}")

    def sealed(self):
        """Every field that there is was sealed, and nothing else was changed."""
        self.expect_sealed(self.all, MATCHES[self.engine.name] + ALSO[self.engine.name])

    def only_matches(self):
        """The same without --also; then no attack is in the fields of messages that hold what matched."""
        self.expect_sealed(self.matches, MATCHES[self.engine.name])

    def expect_sealed(self, run, paths):
        written, sealed = sorted_by_id(self.records(self.written())), sorted_by_id(self.records(run.output.read_bytes()))
        expect(len(written) == len(sealed) == len(ATTACKS), f"{len(written)} records, {len(sealed)} sealed")
        for before, after in zip(written, sealed):
            expect(taken(before, paths), f"nothing to seal in {before}")
            expect(not taken(after, paths), f"in the clear: {taken(after, paths)}")
            expect(len(taken(after, [encrypted(path) for path in paths])) == len(taken(before, paths)), "a field is missing")
            expect(without(before, paths) == without(after, [encrypted(path) for path in paths]), "another field was changed")

    def nothing_in_the_clear(self):
        """With --also, no text of an attack is anywhere in the sealed log, in whatever encoding."""
        raw = self.all.output.read_bytes()
        found = [text for record in self.records(raw) for text in texts(record)]
        found += [urllib.parse.unquote_plus(urllib.parse.unquote_plus(text)) for text in found]
        for request in ATTACKS:
            expect(request.matched.encode() not in raw, f"{request.name}: in the file")
            expect(not any(request.matched in text for text in found), f"{request.name}: in a field")

    def opened(self):
        """It opens to the same bytes as the firewall wrote, each line once."""
        for run in (self.all, self.matches):
            opened = subprocess.run([self.pqseal, "logs", "open", "-k", self.key, "--preset", self.engine.preset, "--strict", run.output], check=True,
                                    capture_output=True).stdout
            # A log that was rotated may be sealed after the new one.
            expect(sorted(opened.splitlines()) == sorted(self.written().splitlines()), f"{run.output.name} opens to something else")

    def error_log(self):
        """With the level that the documentation asks for, errors do not repeat what is sealed."""
        errors = urllib.parse.unquote_to_bytes(self.engine.errors())
        for request in ATTACKS:
            expect(request.matched.encode() not in errors, f"{request.name}: in the error log")

    def records(self, lines):
        return [json.loads(line.decode(errors="surrogateescape")) for line in lines.splitlines()]


def sorted_by_id(records):
    ids = lambda record: next(record["transaction"][name] for name in ("unique_id", "transaction_id", "id") if name in record["transaction"])
    return sorted(records, key=ids)


def encrypted(path):
    return re.sub(r"(\w+)$", r"encrypted_\1", path)


def places(value, path):
    """The objects that have the last name of the path, and that name."""
    *names, last = path.split(".")
    values = [value]
    for name in names:
        values = [each.get(name.removesuffix("[]")) for each in values if isinstance(each, dict)]
        if name.endswith("[]"):
            values = [item for each in values if isinstance(each, list) for item in each]
    return [(each, last) for each in values if isinstance(each, dict) and last in each]


def taken(record, paths):
    return [holder[name] for path in paths for holder, name in places(record, path)]


def without(record, paths):
    copy = json.loads(json.dumps(record))
    for path in paths:
        for holder, name in places(copy, path):
            del holder[name]
    return copy


def texts(value):
    """Every string in it, names of members included."""
    if isinstance(value, dict):
        return [text for name, each in value.items() for text in [name, *texts(each)]]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def fixtures(folder):
    """Some lines of each audit log, as the firewall wrote them."""
    wanted = ["SQL injection in the query", "path traversal in the query", "bytes that are not text"]
    with Upstream() as upstream, tempfile.TemporaryDirectory(prefix="pqseal-modsecurity-") as name:
        pathlib.Path(name).chmod(0o755)
        for engine in ENGINES.values():
            with engine(pathlib.Path(name) / engine.name, upstream.port) as running:
                for request in ATTACKS:
                    if request.name in wanted:
                        send(running.port, request)
                time.sleep(2)
                (folder / f"{engine.name}.ndjson").write_bytes(running.log.read_bytes())
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        os.umask(0o022)
        sys.exit(main())
