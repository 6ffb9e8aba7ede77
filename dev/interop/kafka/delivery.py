"""Records come once, or as often as the documentation says, even if a run or a broker is killed."""

import collections
import json
import random
import signal
import time

from broker import Second
from context import RECORDS
from servers import expect

KILLS = 12
# The most records of a batch, which come again if its offsets are not committed.
BATCH = 8192


def topic_to_topic(kafka):
    """Each message comes out once, with its key, header, timestamp and partition, and in order."""
    out, group = kafka.out("opened"), kafka.group()
    text = kafka.open(kafka.at("events"), "-o", kafka.at(out), "--group", group, "--until-end", "--stats", "json").end()
    expect(json.loads(text.splitlines()[-1])["records"] == RECORDS, text)
    before, after = kafka.broker.read("events"), kafka.broker.read(out)
    expect(len(after) == RECORDS, f"{len(after)} messages")
    facts = lambda messages: collections.Counter((each.time, each.partition, each.headers, each.key) for each in messages)
    expect(facts(before) == facts(after), "keys, headers, timestamps or partitions differ")
    order = lambda messages: sorted((each.partition, each.offset, each.headers) for each in messages)
    expect([each[2] for each in order(before)] == [each[2] for each in order(after)], "the order differs")
    expect(kafka.counted(values=[each.value for each in after]) == 0, "duplicates")
    text = kafka.open(kafka.at("events"), "-o", kafka.at(out), "--group", group, "--until-end", "--stats", "json").end()
    expect(json.loads(text.splitlines()[-1])["records"] == 0, text)


def kills(kafka):
    """Killed at random, the next run goes on where offsets were committed."""
    out, group, config = kafka.out("killed"), kafka.group(), kafka.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
    arguments = [kafka.at("events"), "-o", kafka.at(out), "--group", group, "--until-end", "--kafka-config", config]
    kills = killed(kafka, arguments)
    kafka.open(*arguments).end()
    print(f"      {kills} kills", flush=True)
    kafka.expect_duplicates(kills * BATCH, out)
    expect(kills >= KILLS // 2, "it was not killed often enough")


def kills_to_file(kafka):
    """The same to a file, which is synced before offsets are committed."""
    path, group, config = kafka.folder / "killed.ndjson", kafka.group(), kafka.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
    arguments = [kafka.at("events"), "-o", path, "--group", group, "--until-end", "--kafka-config", config]
    kills = killed(kafka, arguments)
    kafka.open(*arguments).end()
    # A line that was cut off by a kill has its record again, whole.
    lines = path.read_text().splitlines()
    whole = [line for line in lines if line.endswith("}}")]
    print(f"      {kills} kills, {len(lines) - len(whole)} lines cut off", flush=True)
    expect(len(lines) - len(whole) <= kills, "more lines were cut off")
    kafka.expect_duplicates(kills * BATCH, values=whole)
    expect(kills >= KILLS // 2, "it was not killed often enough")


def killed(kafka, arguments):
    """Kills runs after random numbers of bytes. How many were killed before they had ended."""
    kills, size = 0, sum(map(len, kafka.sealed))
    for _ in range(KILLS):
        run = kafka.open(*arguments)
        kafka.broker.relay.after(random.randrange(size // 4), lambda run=run: run.stop(signal.SIGKILL))
        run.process.wait(timeout=120)
        kafka.broker.relay.hook = None
        kills += run.process.returncode == -signal.SIGKILL
    return kills


def rebalance(kafka):
    """A second member joins and the first one leaves, at work: nothing is lost, and nothing comes twice."""
    for strategy in ("range,roundrobin", "cooperative-sticky"):
        out, group = kafka.out(f"shared-{strategy.split('-')[0].split(',')[0]}"), kafka.group()
        config = kafka.config(partition__assignment__strategy=strategy, queued__max__messages__kbytes=1024)
        arguments = [kafka.at("events"), "-o", kafka.at(out), "--group", group, "--kafka-config", config, "--stats", "json"]
        runs, size = [kafka.open(*arguments)], sum(map(len, kafka.sealed))
        kafka.broker.relay.after(size // 8, lambda: runs.append(kafka.open(*arguments)))
        kafka.wait(lambda: len(runs) == 2)
        kafka.broker.relay.after(size // 2, lambda: runs[0].stop())
        runs[0].process.wait(timeout=200)
        text = runs[0].end()
        first = json.loads(text.splitlines()[-1])["records"]
        kafka.open(*arguments, "--until-end").end()
        # The third run has read its partitions and left; the second one may still be at work.
        runs[1].stop()
        second = json.loads(runs[1].end().splitlines()[-1])["records"]
        kafka.open(*arguments, "--until-end").end()
        duplicates = kafka.counted(out)
        print(f"      {strategy}: {first} and {second} records by two members, {duplicates} duplicates", flush=True)
        expect(first > 0 and second > 0, "the work was not shared")
        expect(duplicates == 0, f"{duplicates} duplicates")


def member_killed(kafka):
    """One of two members is killed; the other one takes its partitions."""
    out, group = kafka.out("taken"), kafka.group()
    config = kafka.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
    arguments = [kafka.at("events"), "-o", kafka.at(out), "--group", group, "--kafka-config", config]
    runs, size = [kafka.open(*arguments)], sum(map(len, kafka.sealed))
    kafka.broker.relay.after(size // 8, lambda: runs.append(kafka.open(*arguments, "--until-end")))
    kafka.wait(lambda: len(runs) == 2)
    kafka.broker.relay.after(size // 4, lambda: runs[0].stop(signal.SIGKILL))
    runs[0].process.wait(timeout=120)
    runs[1].end()
    kafka.open(*arguments, "--until-end").end()
    kafka.expect_duplicates(BATCH, out)


def broker_away(kafka):
    """The broker is killed twice at work, and started again; then connections are cut for some seconds."""
    out, group, size = kafka.out("away"), kafka.group(), sum(map(len, kafka.sealed))
    run = kafka.open(kafka.at("events"), "-o", kafka.at(out), "--group", group, "--until-end")
    for away in (restart, restart, cut):
        is_there = []
        kafka.broker.relay.after(size // 4, lambda: is_there.append(True))
        kafka.wait(lambda: is_there or run.process.poll() is not None)
        away(kafka)
    run.end()
    kafka.expect_duplicates(0, out)


def restart(kafka):
    kafka.broker.kill()
    time.sleep(3)
    kafka.broker.start()


def cut(kafka):
    kafka.broker.relay.cut()
    time.sleep(5)
    kafka.restore()


def broker_gone(kafka):
    """A broker that does not come back ends the run in time, with what to do."""
    out, group = kafka.out("gone"), kafka.group()
    run = kafka.open(kafka.at("events"), "-o", kafka.at(out), "--group", group, "--retry-max-time", "5s")
    kafka.broker.relay.after(sum(map(len, kafka.sealed)) // 4, kafka.broker.relay.cut)
    try:
        text = run.end(3, timeout=60)
        expect("not acknowledged" in text or "no broker has answered" in text or "commit" in text, text)
        text = kafka.open(kafka.at("events"), "--group", group, "--retry-max-time", "5s").end(3)
        expect("no broker has answered" in text, text)
    finally:
        kafka.broker.relay.restore()
    kafka.open(kafka.at("events"), "-o", kafka.at(out), "--group", group, "--until-end").end()
    kafka.expect_duplicates(BATCH, out)


def signals(kafka):
    """A signal ends a run whose commit is repeated, in a tenth of the time that brokers are waited for; a second one ends it at once."""
    path, group, relay = kafka.folder / "signals.ndjson", kafka.group(), kafka.broker.relay
    config = kafka.config(session__timeout__ms=6000, heartbeat__interval__ms=1000)
    arguments = [kafka.at("events"), "-o", path, "--group", group, "--kafka-config", config]
    for signals, code in (([signal.SIGTERM], 3), ([signal.SIGINT], 3), ([signal.SIGTERM, signal.SIGTERM], -signal.SIGTERM)):
        run, cut = kafka.open(*arguments), []
        relay.after(sum(map(len, kafka.sealed)) // 8, lambda cut=cut: (relay.cut(), cut.append(True)))
        try:
            kafka.wait(lambda cut=cut: cut)
            kafka.wait(lambda: is_still(path))
            for each in signals:
                run.stop(each)
                time.sleep(1)
            text = run.end(code, timeout=100)
            expect(code < 0 or ("cannot commit" in text and "a signal ended the run" in text), text)
        finally:
            kafka.restore()
    relay.cut()
    try:
        # Nothing was read, and nothing is undone.
        run = kafka.open(*arguments)
        time.sleep(3)
        run.stop()
        run.end(0, timeout=100)
    finally:
        kafka.restore()
    kafka.open(*arguments, "--until-end").end()
    kafka.expect_duplicates(3 * BATCH, values=path.read_text().splitlines())


def is_still(path):
    """Whether a file that has something does not grow for some seconds."""
    size = path.stat().st_size if path.exists() else 0
    time.sleep(4)
    return 0 < size == path.stat().st_size


def brokers(kafka):
    """One of two brokers is killed at work: the other one leads its partitions, and the run goes on by itself."""
    # The group's coordinator is the broker that stays.
    kafka.broker.read("events")
    with Second(kafka.broker) as second:
        for name in ("both", "both-opened"):
            kafka.broker.topic(name, replicas=2)
        kafka.broker.fill("both", ((f"n:{number}", f"key-{number % 1000}", line) for number, line in enumerate(kafka.sealed)))
        for name in ("both", "both-opened"):
            leaders = kafka.broker.leaders(name)
            expect(leaders["1"] and leaders["2"], leaders)
        killed = []
        kafka.broker.relay.after(sum(map(len, kafka.sealed)) // 8, lambda: (second.kill(), killed.append(True)))
        kafka.open(kafka.at("both"), "-o", kafka.at("both-opened"), "--group", kafka.group(), "--until-end").end()
        expect(killed, "it was killed too late")
        kafka.expect_duplicates(0, "both-opened")
        expect(set(kafka.broker.leaders("both-opened")) == {"1"}, "the dead one leads")
