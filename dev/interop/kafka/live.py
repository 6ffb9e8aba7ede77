#!/usr/bin/env python3
"""`pqseal logs` on Apache Kafka, in KRaft mode.

    dev/interop/kafka/live.py [CHECK...]

Starts a broker on the loopback interface, behind a relay that counts bytes and cuts connections. Topics are filled and read by Kafka's own
console programs. 100,000 messages go in and each comes out once, or is counted as a duplicate, across kill -9 and resume, rebalances, and
brokers that go away. Needs what `dev/interop/setup.sh kafka` installs, and openssl. Takes some minutes. Ends with `N passed, N failed`, and
exits with 1 if something failed.
"""

import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from broker import JARS, PASSWORD, USER, Broker, Second  # noqa: E402
from servers import ROOT, build, expect, report  # noqa: E402

RECORDS, KILLS = 100_000, 12
# The most records of a batch, which come again if its offsets are not committed.
BATCH = 8192


def main():
    if not JARS.exists():
        sys.exit("dev/interop/kafka: the broker is missing; run: dev/interop/setup.sh kafka")
    pqseal = build("kafka")
    results = []
    with tempfile.TemporaryDirectory(prefix="pqseal-kafka-") as name, contextlib.ExitStack() as servers:
        folder = pathlib.Path(name)
        broker = servers.enter_context(Broker(folder / "broker"))
        checks = Checks(folder, broker, pqseal)
        for check in (checks.topic_to_topic, checks.kills, checks.kills_to_file, checks.rebalance, checks.member_killed, checks.broker_away,
                      checks.broker_gone, checks.signals, checks.brokers, checks.failures, checks.missing_topic, checks.credentials, checks.places, checks.lines, checks.sealing,
                      checks.too_large, checks.command_lines):
            if not sys.argv[1:] or check.__name__ in sys.argv[1:]:
                results.append(report(check.__name__, check))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


class Run:
    """A run of pqseal."""

    def __init__(self, pqseal, folder, *arguments, **more):
        self.command = [str(argument) for argument in (pqseal, *arguments)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        self.process = subprocess.Popen(self.command, env=environment, stdin=more.get("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, code=0, timeout=300):
        try:
            out, error = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, error = self.process.communicate()
            raise AssertionError(f"does not end: {error.decode()[-600:]}") from None
        text = error.decode(errors="replace")
        expect(self.process.returncode == code, f"exit code {self.process.returncode} and not {code}: {text[-900:]}")
        self.out = out
        return text

    def stop(self, how=signal.SIGTERM):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(how)


class Checks:
    def __init__(self, folder, broker, pqseal):
        self.folder, self.broker, self.pqseal = folder, broker, pqseal
        self.at = lambda topic: f"kafka://127.0.0.1:{broker.relay_port}/{topic}"
        self.key = folder / "key.txt"
        subprocess.run([pqseal, "keygen", "-o", self.key], check=True, capture_output=True)
        public = subprocess.run([pqseal, "pubkey", self.key], check=True, capture_output=True, text=True).stdout.strip()
        self.public, self.groups = public, iter(range(1000))
        plain = "".join(json.dumps({"id": number, "Metadata": {"matched_data": f"value {number}"}}) + "\n" for number in range(RECORDS))
        sealed = subprocess.run([pqseal, "logs", "seal", "--to", public], check=True, capture_output=True, input=plain.encode()).stdout
        self.sealed = sealed.decode().splitlines()
        broker.topic("events")
        broker.fill("events", ((f"n:{number}", f"key-{number % 1000}", line) for number, line in enumerate(self.sealed)))

    def group(self):
        return f"group-{next(self.groups)}"

    def config(self, **settings):
        """A file of settings; two underscores are a dot."""
        path = self.folder / f"{next(self.groups)}.properties"
        path.write_text("".join(f"{name.replace('__', '.')}={value}\n" for name, value in settings.items()))
        path.chmod(0o600)
        return path

    def open(self, *arguments, **more):
        return Run(self.pqseal, self.folder, "logs", "open", "-k", self.key, *arguments, **more)

    def counted(self, topic=None, values=None):
        """How often each record came out; all must have, and be open."""
        values = values if values is not None else [message.value for message in self.broker.read(topic)]
        records = [json.loads(value) for value in values]
        for record in records:
            expect(record["Metadata"]["decrypted_matched_data"] == f"value {record['id']}", record)
        ids = {record["id"] for record in records}
        missing, others = set(range(RECORDS)) - ids, ids - set(range(RECORDS))
        expect(not missing and not others, f"{len(missing)} records are missing, {len(others)} were never sent")
        return len(records) - RECORDS

    def expect_duplicates(self, most, topic=None, values=None):
        """Each record came out, and no more of them twice than the documentation says."""
        duplicates = self.counted(topic, values)
        print(f"      {duplicates} duplicates, at most {most} are documented", flush=True)
        expect(duplicates <= most, f"{duplicates} duplicates")

    def out(self, name):
        self.broker.topic(name)
        return name

    def topic_to_topic(self):
        """Each message comes out once, with its key, header, timestamp and partition, and in order."""
        out, group = self.out("opened"), self.group()
        text = self.open(self.at("events"), "-o", self.at(out), "--group", group, "--until-end", "--stats", "json").end()
        expect(json.loads(text.splitlines()[-1])["records"] == RECORDS, text)
        before, after = self.broker.read("events"), self.broker.read(out)
        expect(len(after) == RECORDS, f"{len(after)} messages")
        facts = lambda messages: collections.Counter((each.time, each.partition, each.headers, each.key) for each in messages)
        expect(facts(before) == facts(after), "keys, headers, timestamps or partitions differ")
        order = lambda messages: sorted((each.partition, each.offset, each.headers) for each in messages)
        expect([each[2] for each in order(before)] == [each[2] for each in order(after)], "the order differs")
        expect(self.counted(values=[each.value for each in after]) == 0, "duplicates")
        text = self.open(self.at("events"), "-o", self.at(out), "--group", group, "--until-end", "--stats", "json").end()
        expect(json.loads(text.splitlines()[-1])["records"] == 0, text)

    def kills(self):
        """Killed at random, the next run goes on where offsets were committed."""
        out, group, config = self.out("killed"), self.group(), self.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
        arguments = [self.at("events"), "-o", self.at(out), "--group", group, "--until-end", "--kafka-config", config]
        kills = self.killed(arguments)
        self.open(*arguments).end()
        print(f"      {kills} kills", flush=True)
        self.expect_duplicates(kills * BATCH, out)
        expect(kills >= KILLS // 2, "it was not killed often enough")

    def kills_to_file(self):
        """The same to a file, which is synced before offsets are committed."""
        path, group, config = self.folder / "killed.ndjson", self.group(), self.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
        arguments = [self.at("events"), "-o", path, "--group", group, "--until-end", "--kafka-config", config]
        kills = self.killed(arguments)
        self.open(*arguments).end()
        # A line that was cut off by a kill has its record again, whole.
        lines = path.read_text().splitlines()
        whole = [line for line in lines if line.endswith("}}")]
        print(f"      {kills} kills, {len(lines) - len(whole)} lines cut off", flush=True)
        expect(len(lines) - len(whole) <= kills, "more lines were cut off")
        self.expect_duplicates(kills * BATCH, values=whole)
        expect(kills >= KILLS // 2, "it was not killed often enough")

    def killed(self, arguments):
        """Kills runs after random numbers of bytes. How many were killed before they had ended."""
        kills, size = 0, sum(map(len, self.sealed))
        for _ in range(KILLS):
            run = self.open(*arguments)
            self.broker.relay.after(random.randrange(size // 4), lambda run=run: run.stop(signal.SIGKILL))
            run.process.wait(timeout=120)
            self.broker.relay.hook = None
            kills += run.process.returncode == -signal.SIGKILL
        return kills

    def rebalance(self):
        """A second member joins and the first one leaves, at work: nothing is lost, and nothing comes twice."""
        for strategy in ("range,roundrobin", "cooperative-sticky"):
            out, group = self.out(f"shared-{strategy.split('-')[0].split(',')[0]}"), self.group()
            config = self.config(partition__assignment__strategy=strategy, queued__max__messages__kbytes=1024)
            arguments = [self.at("events"), "-o", self.at(out), "--group", group, "--kafka-config", config, "--stats", "json"]
            runs, size = [self.open(*arguments)], sum(map(len, self.sealed))
            self.broker.relay.after(size // 8, lambda: runs.append(self.open(*arguments)))
            self.wait(lambda: len(runs) == 2)
            self.broker.relay.after(size // 2, lambda: runs[0].stop())
            runs[0].process.wait(timeout=200)
            text = runs[0].end()
            first = json.loads(text.splitlines()[-1])["records"]
            self.open(*arguments, "--until-end").end()
            # The third run has read its partitions and left; the second one may still be at work.
            runs[1].stop()
            second = json.loads(runs[1].end().splitlines()[-1])["records"]
            self.open(*arguments, "--until-end").end()
            duplicates = self.counted(out)
            print(f"      {strategy}: {first} and {second} records by two members, {duplicates} duplicates", flush=True)
            expect(first > 0 and second > 0, "the work was not shared")
            expect(duplicates == 0, f"{duplicates} duplicates")

    def wait(self, is_so, seconds=60):
        end = time.monotonic() + seconds
        while not is_so():
            expect(time.monotonic() < end, "waited for too long")
            time.sleep(0.05)

    def member_killed(self):
        """One of two members is killed; the other one takes its partitions."""
        out, group = self.out("taken"), self.group()
        config = self.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
        arguments = [self.at("events"), "-o", self.at(out), "--group", group, "--kafka-config", config]
        runs, size = [self.open(*arguments)], sum(map(len, self.sealed))
        self.broker.relay.after(size // 8, lambda: runs.append(self.open(*arguments, "--until-end")))
        self.wait(lambda: len(runs) == 2)
        self.broker.relay.after(size // 4, lambda: runs[0].stop(signal.SIGKILL))
        runs[0].process.wait(timeout=120)
        runs[1].end()
        self.open(*arguments, "--until-end").end()
        self.expect_duplicates(BATCH, out)

    def broker_away(self):
        """The broker is killed twice at work, and started again; then connections are cut for some seconds."""
        out, group, size = self.out("away"), self.group(), sum(map(len, self.sealed))
        run = self.open(self.at("events"), "-o", self.at(out), "--group", group, "--until-end")
        for away in (self.restart, self.restart, self.cut):
            is_there = []
            self.broker.relay.after(size // 4, lambda: is_there.append(True))
            self.wait(lambda: is_there or run.process.poll() is not None)
            away()
        run.end()
        self.expect_duplicates(0, out)

    def restart(self):
        self.broker.kill()
        time.sleep(3)
        self.broker.start()

    def cut(self):
        self.broker.relay.cut()
        time.sleep(5)
        self.restore()

    def restore(self):
        self.broker.relay.hook = None
        self.broker.relay.cut()
        self.broker.relay.restore()

    def broker_gone(self):
        """A broker that does not come back ends the run in time, with what to do."""
        out, group = self.out("gone"), self.group()
        run = self.open(self.at("events"), "-o", self.at(out), "--group", group, "--retry-max-time", "5s")
        self.broker.relay.after(sum(map(len, self.sealed)) // 4, self.broker.relay.cut)
        try:
            text = run.end(3, timeout=60)
            expect("not acknowledged" in text or "no broker has answered" in text or "commit" in text, text)
            text = self.open(self.at("events"), "--group", group, "--retry-max-time", "5s").end(3)
            expect("no broker has answered" in text, text)
        finally:
            self.broker.relay.restore()
        self.open(self.at("events"), "-o", self.at(out), "--group", group, "--until-end").end()
        self.expect_duplicates(BATCH, out)

    def signals(self):
        """A signal ends a run whose commit is repeated, in a tenth of the time that brokers are waited for; a second one ends it at once."""
        path, group, relay = self.folder / "signals.ndjson", self.group(), self.broker.relay
        config = self.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
        arguments = [self.at("events"), "-o", path, "--group", group, "--kafka-config", config]
        for signals, code in (([signal.SIGTERM], 3), ([signal.SIGINT], 3), ([signal.SIGTERM, signal.SIGTERM], -signal.SIGTERM)):
            run, cut = self.open(*arguments), []
            relay.after(sum(map(len, self.sealed)) // 8, lambda cut=cut: (relay.cut(), cut.append(True)))
            try:
                self.wait(lambda cut=cut: cut)
                self.wait(lambda: self.is_still(path))
                for each in signals:
                    run.stop(each)
                    time.sleep(1)
                text = run.end(code, timeout=100)
                expect(code < 0 or ("cannot commit" in text and "a signal asked for the end" in text), text)
            finally:
                self.restore()
        relay.cut()
        try:
            # Nothing was read, and nothing is undone.
            run = self.open(*arguments)
            time.sleep(3)
            run.stop()
            run.end(0, timeout=100)
        finally:
            self.restore()
        self.open(*arguments, "--until-end").end()
        self.expect_duplicates(3 * BATCH, values=path.read_text().splitlines())

    def is_still(self, path):
        """Whether a file that has something does not grow for some seconds."""
        size = path.stat().st_size if path.exists() else 0
        time.sleep(4)
        return 0 < size == path.stat().st_size

    def brokers(self):
        """One of two brokers is killed at work: the other one leads its partitions, and the run goes on by itself."""
        # The group's coordinator is the broker that stays.
        self.broker.read("events")
        with Second(self.broker) as second:
            for name in ("both", "both-opened"):
                self.broker.topic(name, replicas=2)
            self.broker.fill("both", ((f"n:{number}", f"key-{number % 1000}", line) for number, line in enumerate(self.sealed)))
            for name in ("both", "both-opened"):
                leaders = self.broker.leaders(name)
                expect(leaders["1"] and leaders["2"], leaders)
            killed = []
            self.broker.relay.after(sum(map(len, self.sealed)) // 8, lambda: (second.kill(), killed.append(True)))
            self.open(self.at("both"), "-o", self.at("both-opened"), "--group", self.group(), "--until-end").end()
            expect(killed, "it was killed too late")
            self.expect_duplicates(0, "both-opened")
            expect(set(self.broker.leaders("both-opened")) == {"1"}, "the dead one leads")

    def failures(self):
        """Records that do not open are passed on, counted, and dead letters; messages without a value are passed on."""
        self.broker.topic("mixed", 1)
        out = self.out("mixed-opened")
        other = self.folder / "other.txt"
        subprocess.run([self.pqseal, "keygen", "-o", other], check=True, capture_output=True)
        public = subprocess.run([self.pqseal, "pubkey", other], check=True, capture_output=True, text=True).stdout.strip()
        foreign = subprocess.run([self.pqseal, "logs", "seal", "--to", public], check=True, capture_output=True,
                                 input=b'{"id":1,"Metadata":{"matched_data":"x"}}\n').stdout.decode().strip()
        values = [self.sealed[0], "no JSON", foreign, "NULL", '{"id":4}']
        self.broker.fill("mixed", ((f"n:{number}", f"k{number}", value) for number, value in enumerate(values)))
        letters, group = self.folder / "letters.ndjson", self.group()
        arguments = [self.at("mixed"), "-o", self.at(out), "--until-end", "--dead-letter", letters]
        text = self.open(*arguments, "--group", group, "--stats", "json").end()
        stats = json.loads(text.splitlines()[-1])
        expect(stats["records"] == 4 and stats["opened"] == 1, stats)
        found = [json.loads(line) for line in letters.read_text().splitlines()]
        expect([(each["code"], each["line"]) for each in found] == [("bad_json", 1), ("no_key_with_id", 2)], found)
        expect(found[0]["source"].endswith("/mixed/0"), found)
        after = {message.key: message.value for message in self.broker.read(out)}
        expect(after["k1"] == "no JSON" and after["k3"] == "null" and after["k4"] == '{"id":4}', after)
        expect(json.loads(after["k2"])["Metadata"]["decrypt_status"] == "no_key_with_id", after)
        self.open(*arguments, "--group", self.group(), "--strict").end(1)

    def missing_topic(self):
        """A topic that is not there is not made, though the broker would make it."""
        for arguments in ([self.at("missing"), "--group", "g"], [self.at("events"), "-o", self.at("missing"), "--group", "g"]):
            text = self.open(*arguments).end(3)
            expect("there is no topic missing" in text, text)
        expect("missing" not in self.broker.topics(), "it was made")

    def credentials(self):
        """TLS and SASL by a file of settings; wrong ones end the run."""
        at, group = f"kafka://127.0.0.1:{self.broker.secure}/events", self.group()
        right = {"security__protocol": "SASL_SSL", "sasl__mechanism": "SCRAM-SHA-256", "sasl__username": USER, "sasl__password": PASSWORD,
                 "ssl__ca__location": self.broker.folder / "ca.pem"}
        path = self.folder / "secure.ndjson"
        run = lambda settings, *more: self.open(at, "-o", path, "--group", group, "--until-end", "--kafka-config", self.config(**settings), *more)
        run(right).end()
        expect(self.counted(values=path.read_text().splitlines()) == 0, "duplicates")
        for wrong, words in (({"sasl__password": "hunter2"}, "refused"), ({"ssl__ca__location": self.broker.folder / "other.pem"}, "certificate")):
            text = run({**right, **wrong}, "--retry-max-time", "20s").end(3)
            expect(words in text and "hunter2" not in text, text)
        copied = self.folder / "client.properties"
        text = (ROOT / "docs/siem/kafka/client.properties").read_text()
        for old, new in (("/etc/ssl/certs/ca-certificates.crt", str(self.broker.folder / "ca.pem")), ("SCRAM-SHA-512", "SCRAM-SHA-256"),
                         ("username=pqseal", f"username={USER}"), ("CHANGE-ME", PASSWORD)):
            expect(text.count(old) == 1, f"{old} is not in the file to copy")
            text = text.replace(old, new)
        copied.write_text(text)
        copied.chmod(0o600)
        self.open(at, "-o", self.folder / "copied.ndjson", "--group", self.group(), "--until-end", "--kafka-config", copied).end()
        expect(self.counted(values=(self.folder / "copied.ndjson").read_text().splitlines()) == 0, "duplicates")
        text = run({**right, "sasl__mechanism": "NONE"}).end(2)
        expect("Unsupported SASL mechanism" in text, text)

    def places(self):
        """Where a group begins, and what is said when its place was deleted."""
        self.broker.topic("places", 1)
        message = lambda number: (f"n:{number}", "k", self.sealed[number])
        self.broker.fill("places", map(message, range(3)))
        ids = lambda run: [json.loads(line)["id"] for line in run.out.splitlines()]
        late, early = self.group(), self.group()
        arguments = [self.at("places"), "--until-end", "--group"]
        for group, more, expected in ((late, ["--from-end"], []), (early, [], [0, 1, 2])):
            run = self.open(*arguments, group, *more)
            run.end()
            expect(ids(run) == expected, ids(run))
        self.broker.fill("places", map(message, range(3, 5)))
        # What came after the first run of a group is not missed, whatever it is told.
        run = self.open(*arguments, late, "--from-end")
        run.end()
        expect(ids(run) == [3, 4], ids(run))
        deleted = self.folder / "deleted.json"
        self.broker.fill("places", map(message, range(5, 8)))
        deleted.write_text(json.dumps({"partitions": [{"topic": "places", "partition": 0, "offset": 7}], "version": 1}))
        self.broker.tool("DeleteRecordsCommand", "--offset-json-file", deleted)
        text = self.open(*arguments, early).end(3)
        expect("some were deleted unread" in text, text)
        run = self.open(*arguments, early, "--kafka-config", self.config(auto__offset__reset="earliest"))
        run.end()
        expect(ids(run) == [7], ids(run))

    def lines(self):
        """Files and standard input become messages; a file that is followed goes on after kill -9."""
        path = self.folder / "sealed.ndjson"
        path.write_text("\n".join(self.sealed))
        out = self.out("lines")
        self.open(path, "-o", self.at(out)).end()
        expect(self.counted(out) == 0, "duplicates")
        out = self.out("piped")
        with open(path, "rb") as stdin:
            self.open("-o", self.at(out), stdin=stdin).end()
        expect(self.counted(out) == 0, "duplicates")
        path.write_text("\n".join(self.sealed) + "\n")
        out, state = self.out("followed"), self.folder / "state"
        # Only acknowledgements are counted, which are short.
        for acknowledged in (3_000, 4_000, None):
            run = self.open("--follow", path, "-o", self.at(out), "--state", state)
            if acknowledged:
                self.broker.relay.after(acknowledged, lambda run=run: run.stop(signal.SIGKILL))
                run.process.wait(timeout=100)
                continue
            self.wait(lambda: self.is_done(out), 120)
            run.stop()
            run.end()
        # All of the file, twice.
        self.expect_duplicates(2 * RECORDS, out)

    def is_done(self, topic):
        ids = {json.loads(message.value)["id"] for message in self.broker.read(topic)}
        return len(ids) == RECORDS

    def sealing(self):
        """Sealed from topic to topic, and opened again."""
        self.broker.topic("plain", 2)
        self.broker.topic("sealed", 3)
        events = [json.dumps({"id": number, "Metadata": {"matched_data": f"value {number}"}}) for number in range(1000)]
        self.broker.fill("plain", ((f"n:{number}", f"k{number}", event) for number, event in enumerate(events)))
        Run(self.pqseal, self.folder, "logs", "seal", "--to", self.public, self.at("plain"), "-o", self.at("sealed"), "--group", self.group(),
            "--until-end").end()
        run = self.open(self.at("sealed"), "--group", self.group(), "--until-end", "--drop-encrypted")
        run.end()
        found = {json.loads(line)["id"]: json.loads(line)["Metadata"] for line in run.out.splitlines()}
        expect(found == {number: {"decrypted_matched_data": f"value {number}"} for number in range(1000)}, list(found.items())[:3])

    def too_large(self):
        """A record that the topic does not take ends the run, and nothing is committed past it."""
        self.broker.topic("small", 1, max_message_bytes=400)
        group, blob = self.group(), json.dumps({"id": 1, "text": "x" * 1000})
        self.broker.topic("large", 1)
        self.broker.fill("large", [("n:1", "k", blob)])
        for _ in range(2):
            text = self.open(self.at("large"), "-o", self.at("small"), "--group", group, "--until-end").end(3)
            expect("max.message.bytes" in text, text)

    def command_lines(self):
        """What does not fit is a usage error, before anything is read."""
        at, config = self.at("events"), self.config(client__id="x")
        for arguments, words in (
            ([at], "--group"),
            ([at, "-o", at, "--group", "g"], "read again"),
            ([at, "--group", "g", "--follow"], "followed anyway"),
            ([at, self.key, "--group", "g"], "on its own"),
            ([at, "--group", "g", "-o", f"{self.folder}/folder/"], "one output"),
            ([at, "--group", "g", "-o", "x.gz"], "not compressed"),
            ([at, "--group", "g", "--state", "x"], "--state"),
            ([at, "--group", "g", "--input-format", "csv"], "--input-format"),
            ([self.key, "--group", "g"], "--group"),
            ([self.key, "--kafka-config", config], "--kafka-config is for topics"),
            ([at, "--group", "g", "--kafka-config", config, "-o", config], "would overwrite it"),
            ([at, "--group", "g", "-k", "-", "--kafka-config", "-"], "standard input"),
            ([self.key, "-o", at, "--kafka-config", self.config(no__such="1")], "no.such"),
            ([at, "--group", "g", "--kafka-config", self.config(delivery__timeout__ms="1")], "--retry-max-time"),
            ([self.key, "-o", at, "--compress", "zstd"], "compression.type"),
            ([self.folder / "table.csv.gz", "-o", at], "is a table"),
            (["kafka://user:secret@h/t", "--group", "g"], "--kafka-config"),
            (["kafka://h/t/u", "--group", "g"], "not the address of a topic"),
            ([at, "--group", "g", "--kafka-config", self.config(enable__auto__commit="true")], "leave it out"),
            ([at, "--group", "g", "--kafka-config", self.config(no__such="1")], "no.such"),
        ):
            text = self.open(*arguments).end(2)
            expect(words in text and "secret" not in text, text)


if __name__ == "__main__":
    sys.exit(main())
