"""A run of pqseal on topics, and what all checks share."""

import contextlib
import json
import os
import signal
import subprocess
import time

from servers import expect

RECORDS = 100_000


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


class Kafka:
    """A broker with a topic of sealed records, and a key that opens them."""

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

    def wait(self, is_so, seconds=60):
        end = time.monotonic() + seconds
        while not is_so():
            expect(time.monotonic() < end, "waited for too long")
            time.sleep(0.05)

    def restore(self):
        self.broker.relay.hook = None
        self.broker.relay.cut()
        self.broker.relay.restore()
