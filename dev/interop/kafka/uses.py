"""Keys, settings, places in a topic, and what is refused."""

import json
import signal
import subprocess

from broker import PASSWORD, USER
from context import RECORDS, Run
from servers import ROOT, expect


def failures(kafka):
    """Records that do not open are passed on, counted, and dead letters; messages without a value are passed on."""
    kafka.broker.topic("mixed", 1)
    out = kafka.out("mixed-opened")
    other = kafka.folder / "other.txt"
    subprocess.run([kafka.pqseal, "keygen", "-o", other], check=True, capture_output=True)
    public = subprocess.run([kafka.pqseal, "pubkey", other], check=True, capture_output=True, text=True).stdout.strip()
    foreign = subprocess.run([kafka.pqseal, "logs", "seal", "--to", public], check=True, capture_output=True,
                             input=b'{"id":1,"Metadata":{"matched_data":"x"}}\n').stdout.decode().strip()
    values = [kafka.sealed[0], "no JSON", foreign, "NULL", '{"id":4}']
    kafka.broker.fill("mixed", ((f"n:{number}", f"k{number}", value) for number, value in enumerate(values)))
    letters, group = kafka.folder / "letters.ndjson", kafka.group()
    arguments = [kafka.at("mixed"), "-o", kafka.at(out), "--until-end", "--dead-letter", letters]
    text = kafka.open(*arguments, "--group", group, "--stats", "json").end()
    stats = json.loads(text.splitlines()[-1])
    expect(stats["records"] == 4 and stats["opened"] == 1, stats)
    found = [json.loads(line) for line in letters.read_text().splitlines()]
    expect([(each["code"], each["line"]) for each in found] == [("bad_json", 1), ("no_key_with_id", 2)], found)
    expect(found[0]["source"].endswith("/mixed/0"), found)
    after = {message.key: message.value for message in kafka.broker.read(out)}
    expect(after["k1"] == "no JSON" and after["k3"] == "null" and after["k4"] == '{"id":4}', after)
    expect(json.loads(after["k2"])["Metadata"]["decrypt_status"] == "no_key_with_id", after)
    kafka.open(*arguments, "--group", kafka.group(), "--strict").end(1)


def missing_topic(kafka):
    """A topic that is not there is not made, though the broker would make it."""
    for arguments in ([kafka.at("missing"), "--group", "g"], [kafka.at("events"), "-o", kafka.at("missing"), "--group", "g"]):
        text = kafka.open(*arguments).end(3)
        expect("topic missing does not exist" in text, text)
    expect("missing" not in kafka.broker.topics(), "it was made")


def credentials(kafka):
    """TLS and SASL by a file of settings; wrong ones end the run."""
    at, group = f"kafka://127.0.0.1:{kafka.broker.secure}/events", kafka.group()
    right = {"security__protocol": "SASL_SSL", "sasl__mechanism": "SCRAM-SHA-256", "sasl__username": USER, "sasl__password": PASSWORD,
             "ssl__ca__location": kafka.broker.folder / "ca.pem"}
    path = kafka.folder / "secure.ndjson"
    run = lambda settings, *more: kafka.open(at, "-o", path, "--group", group, "--until-end", "--kafka-config", kafka.config(**settings), *more)
    run(right).end()
    expect(kafka.counted(values=path.read_text().splitlines()) == 0, "duplicates")
    for wrong, words in (({"sasl__password": "hunter2"}, "refused"), ({"ssl__ca__location": kafka.broker.folder / "other.pem"}, "certificate")):
        text = run({**right, **wrong}, "--retry-max-time", "20s").end(3)
        expect(words in text and "hunter2" not in text, text)
    copied = kafka.folder / "client.properties"
    text = (ROOT / "docs/siem/kafka/client.properties").read_text()
    for old, new in (("/etc/ssl/certs/ca-certificates.crt", str(kafka.broker.folder / "ca.pem")), ("SCRAM-SHA-512", "SCRAM-SHA-256"),
                     ("username=pqseal", f"username={USER}"), ("CHANGE-ME", PASSWORD)):
        expect(text.count(old) == 1, f"{old} is not in the file to copy")
        text = text.replace(old, new)
    copied.write_text(text)
    copied.chmod(0o600)
    kafka.open(at, "-o", kafka.folder / "copied.ndjson", "--group", kafka.group(), "--until-end", "--kafka-config", copied).end()
    expect(kafka.counted(values=(kafka.folder / "copied.ndjson").read_text().splitlines()) == 0, "duplicates")
    text = run({**right, "sasl__mechanism": "NONE"}).end(2)
    expect("Unsupported SASL mechanism" in text, text)


def places(kafka):
    """Where a group begins, and what is said when its place was deleted."""
    kafka.broker.topic("places", 1)
    message = lambda number: (f"n:{number}", "k", kafka.sealed[number])
    kafka.broker.fill("places", map(message, range(3)))
    ids = lambda run: [json.loads(line)["id"] for line in run.out.splitlines()]
    late, early = kafka.group(), kafka.group()
    arguments = [kafka.at("places"), "--until-end", "--group"]
    for group, more, expected in ((late, ["--from-end"], []), (early, [], [0, 1, 2])):
        run = kafka.open(*arguments, group, *more)
        run.end()
        expect(ids(run) == expected, ids(run))
    kafka.broker.fill("places", map(message, range(3, 5)))
    # What came after the first run of a group is not missed, whatever it is told.
    run = kafka.open(*arguments, late, "--from-end")
    run.end()
    expect(ids(run) == [3, 4], ids(run))
    deleted = kafka.folder / "deleted.json"
    kafka.broker.fill("places", map(message, range(5, 8)))
    deleted.write_text(json.dumps({"partitions": [{"topic": "places", "partition": 0, "offset": 7}], "version": 1}))
    kafka.broker.tool("DeleteRecordsCommand", "--offset-json-file", deleted)
    text = kafka.open(*arguments, early).end(3)
    expect("messages were deleted before they were read" in text, text)
    run = kafka.open(*arguments, early, "--kafka-config", kafka.config(auto__offset__reset="earliest"))
    run.end()
    expect(ids(run) == [7], ids(run))


def lines(kafka):
    """Files and standard input become messages; a file that is followed goes on after kill -9."""
    path = kafka.folder / "sealed.ndjson"
    path.write_text("\n".join(kafka.sealed))
    out = kafka.out("lines")
    kafka.open(path, "-o", kafka.at(out)).end()
    expect(kafka.counted(out) == 0, "duplicates")
    out = kafka.out("piped")
    with open(path, "rb") as stdin:
        kafka.open("-o", kafka.at(out), stdin=stdin).end()
    expect(kafka.counted(out) == 0, "duplicates")
    path.write_text("\n".join(kafka.sealed) + "\n")
    out, state = kafka.out("followed"), kafka.folder / "state"
    # Only acknowledgements are counted, which are short.
    for acknowledged in (3_000, 4_000, None):
        run = kafka.open("--follow", path, "-o", kafka.at(out), "--state", state)
        if acknowledged:
            kafka.broker.relay.after(acknowledged, lambda run=run: run.stop(signal.SIGKILL))
            run.process.wait(timeout=100)
            continue
        kafka.wait(lambda: is_done(kafka, out), 120)
        run.stop()
        run.end()
    # All of the file, twice.
    kafka.expect_duplicates(2 * RECORDS, out)


def is_done(kafka, topic):
    ids = {json.loads(message.value)["id"] for message in kafka.broker.read(topic)}
    return len(ids) == RECORDS


def sealing(kafka):
    """Sealed from topic to topic, and opened again."""
    kafka.broker.topic("plain", 2)
    kafka.broker.topic("sealed", 3)
    events = [json.dumps({"id": number, "Metadata": {"matched_data": f"value {number}"}}) for number in range(1000)]
    kafka.broker.fill("plain", ((f"n:{number}", f"k{number}", event) for number, event in enumerate(events)))
    Run(kafka.pqseal, kafka.folder, "logs", "seal", "--to", kafka.public, kafka.at("plain"), "-o", kafka.at("sealed"), "--group", kafka.group(),
        "--until-end").end()
    run = kafka.open(kafka.at("sealed"), "--group", kafka.group(), "--until-end", "--drop-encrypted")
    run.end()
    found = {json.loads(line)["id"]: json.loads(line)["Metadata"] for line in run.out.splitlines()}
    expect(found == {number: {"decrypted_matched_data": f"value {number}"} for number in range(1000)}, list(found.items())[:3])


def too_large(kafka):
    """A record that the topic does not take ends the run, and nothing is committed past it."""
    kafka.broker.topic("small", 1, max_message_bytes=400)
    group, blob = kafka.group(), json.dumps({"id": 1, "text": "x" * 1000})
    kafka.broker.topic("large", 1)
    kafka.broker.fill("large", [("n:1", "k", blob)])
    for _ in range(2):
        text = kafka.open(kafka.at("large"), "-o", kafka.at("small"), "--group", group, "--until-end").end(3)
        expect("max.message.bytes" in text, text)


def command_lines(kafka):
    """What does not fit is a usage error, before anything is read."""
    at, config = kafka.at("events"), kafka.config(client__id="x")
    for arguments, words in (
        ([at], "--group"),
        ([at, "-o", at, "--group", "g"], "read again"),
        ([at, "--group", "g", "--follow"], "followed anyway"),
        ([at, kafka.key, "--group", "g"], "on its own"),
        ([at, "--group", "g", "-o", f"{kafka.folder}/folder/"], "one output"),
        ([at, "--group", "g", "-o", "x.gz"], "not compressed"),
        ([at, "--group", "g", "--state", "x"], "--state"),
        ([at, "--group", "g", "--input-format", "csv"], "--input-format"),
        ([kafka.key, "--group", "g"], "--group"),
        ([kafka.key, "--kafka-config", config], "--kafka-config is for topics"),
        ([at, "--group", "g", "--kafka-config", config, "-o", config], "would overwrite it"),
        ([at, "--group", "g", "-k", "-", "--kafka-config", "-"], "standard input"),
        ([kafka.key, "-o", at, "--kafka-config", kafka.config(no__such="1")], "no.such"),
        ([at, "--group", "g", "--kafka-config", kafka.config(delivery__timeout__ms="1")], "--retry-max-time"),
        ([kafka.key, "-o", at, "--compress", "zstd"], "compression.type"),
        ([kafka.folder / "table.csv.gz", "-o", at], "name of a table"),
        (["kafka://user:secret@h/t", "--group", "g"], "--kafka-config"),
        (["kafka://h/t/u", "--group", "g"], "not the address of a topic"),
        ([at, "--group", "g", "--kafka-config", kafka.config(enable__auto__commit="true")], "leave it out"),
        ([at, "--group", "g", "--kafka-config", kafka.config(no__such="1")], "no.such"),
    ):
        text = kafka.open(*arguments).end(2)
        expect(words in text and "secret" not in text, text)
