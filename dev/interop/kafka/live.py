#!/usr/bin/env python3
"""`pqseal logs` on Apache Kafka, in KRaft mode.

    dev/interop/kafka/live.py [CHECK...]

Starts a broker on the loopback interface, behind a relay that counts bytes and cuts connections. Topics are filled and read by Kafka's own
console programs. 100,000 messages go in and each comes out once, or is counted as a duplicate, across kill -9 and resume, rebalances, and
brokers that go away. Needs what `dev/interop/setup.sh kafka` installs, and openssl. Takes some minutes. Ends with `N passed, N failed`, and
exits with 1 if something failed.
"""

import contextlib
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import delivery  # noqa: E402
import uses  # noqa: E402
from broker import JARS, Broker  # noqa: E402
from context import Kafka  # noqa: E402
from servers import build, report  # noqa: E402

CHECKS = (
    delivery.topic_to_topic, delivery.kills, delivery.kills_to_file, delivery.rebalance, delivery.member_killed, delivery.broker_away,
    delivery.broker_gone, delivery.signals, delivery.brokers,
    uses.failures, uses.missing_topic, uses.credentials, uses.places, uses.lines, uses.sealing, uses.too_large, uses.command_lines,
)


def main():
    if not JARS.exists():
        sys.exit("dev/interop/kafka: the broker is missing; run: dev/interop/setup.sh kafka")
    pqseal = build("kafka")
    results = []
    with tempfile.TemporaryDirectory(prefix="pqseal-kafka-") as name, contextlib.ExitStack() as servers:
        folder = pathlib.Path(name)
        broker = servers.enter_context(Broker(folder / "broker"))
        kafka = Kafka(folder, broker, pqseal)
        for check in CHECKS:
            if not sys.argv[1:] or check.__name__ in sys.argv[1:]:
                results.append(report(check.__name__, lambda check=check: check(kafka)))
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
