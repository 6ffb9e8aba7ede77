"""Apache Kafka in KRaft mode: one broker, which Kafka's own console programs fill and read."""

import collections
import contextlib
import pathlib
import subprocess
import time

from servers import Relay, expect, free_port

JARS = pathlib.Path(__file__).resolve().parents[1] / ".build" / "kafka"
CLUSTER = "4L6g3nShT-eMCtK--X86sw"
JAVA = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/*"]
PARTITIONS = 6
USER, PASSWORD = "reader", "reader-secret"


class Broker:
    """One broker, which is its own controller: directly for Kafka's programs, and for pqseal by a relay, in the clear and with TLS and SASL."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.direct, self.relayed, self.controller, self.secure = (free_port() for _ in range(4))
        self.relay_port = free_port()
        self.certificates()
        (folder / "server.properties").write_text(f"""
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{self.controller}
controller.listener.names=CONTROLLER
listeners=DIRECT://127.0.0.1:{self.direct},RELAYED://127.0.0.1:{self.relayed},SECURE://127.0.0.1:{self.secure},CONTROLLER://127.0.0.1:{self.controller}
advertised.listeners=DIRECT://127.0.0.1:{self.direct},RELAYED://127.0.0.1:{self.relay_port},SECURE://127.0.0.1:{self.secure}
listener.security.protocol.map=DIRECT:PLAINTEXT,RELAYED:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=DIRECT
listener.name.secure.sasl.enabled.mechanisms=SCRAM-SHA-256
listener.name.secure.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location={folder}/server.pem
log.dirs={folder}/logs
auto.create.topics.enable=true
num.partitions={PARTITIONS}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
""")
        self.java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", folder / "server.properties",
                  "--add-scram", f"SCRAM-SHA-256=[name={USER},password={PASSWORD}]")
        self.log = open(folder / "server.log", "wb")
        self.start()
        self.relay = Relay(self.relayed, self.relay_port)

    def certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)
        for name in ("ca", "other"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        (self.folder / "san").write_text("subjectAltName=IP:127.0.0.1")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout", "server.key", "-out", "server.csr")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "san", "-out", "server.crt")
        (self.folder / "server.pem").write_text((self.folder / "server.key").read_text() + (self.folder / "server.crt").read_text())

    def start(self):
        self.process = server(self.folder, self.log)
        end = time.monotonic() + 90
        while True:
            with contextlib.suppress(AssertionError):
                self.java("org.apache.kafka.tools.TopicCommand", "--bootstrap-server", f"127.0.0.1:{self.direct}", "--list")
                return
            expect(time.monotonic() < end and self.process.poll() is None, "the broker does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.relay.cut()
        self.kill()

    def java(self, tool, *arguments, **more):
        done = subprocess.run([*JAVA, tool, *map(str, arguments)], capture_output=True, timeout=120, **more)
        expect(done.returncode == 0, f"{tool}: {(done.stdout + done.stderr).decode()[-600:]}")
        return done.stdout

    def tool(self, name, *arguments, **more):
        return self.java(f"org.apache.kafka.tools.{name}", "--bootstrap-server", f"127.0.0.1:{self.direct}", *arguments, **more)

    def topic(self, name, partitions=PARTITIONS, replicas=1, **settings):
        settings = [word for pair in settings.items() for word in ("--config", f"{pair[0].replace('_', '.')}={pair[1]}")]
        self.tool("TopicCommand", "--create", "--topic", name, "--partitions", partitions, "--replication-factor", replicas, *settings)

    def leaders(self, topic):
        """How many partitions each broker leads."""
        lines = self.tool("TopicCommand", "--describe", "--topic", topic).decode().splitlines()
        return collections.Counter(line.split("Leader: ")[1].split()[0] for line in lines if "Leader: " in line)

    def topics(self):
        return self.tool("TopicCommand", "--list").decode().split()

    def fill(self, topic, messages):
        """Messages are headers, key and value; each may be NULL."""
        text = "".join("\t".join(message) + "\n" for message in messages)
        options = ["parse.headers=true", "parse.key=true", "null.marker=NULL", "headers.separator=,", "headers.key.separator=:"]
        options = [word for option in options for word in ("--reader-property", option)]
        self.tool("ConsoleProducer", "--topic", topic, *options, input=text.encode())

    def read(self, topic):
        """All messages that are there: time, partition, offset, headers, key and value."""
        ends = self.tool("GetOffsetShell", "--topic", topic).decode().split()
        count = sum(int(end.rsplit(":", 1)[1]) for end in ends)
        if count == 0:
            return []
        wanted = ["timestamp", "partition", "offset", "headers", "key", "value"]
        options = [word for each in wanted for word in ("--formatter-property", f"print.{each}=true")]
        out = self.tool("consumer.ConsoleConsumer", "--topic", topic, "--from-beginning", "--max-messages", count, "--timeout-ms", "60000", *options)
        messages = [Message(*line.split("\t")) for line in out.decode().splitlines()]
        # A console that gives up says so only with fewer messages.
        expect(len(messages) == count, f"{len(messages)} of {count} messages of {topic} were read")
        return messages


def server(folder, log):
    return subprocess.Popen([*JAVA, "kafka.Kafka", folder / "server.properties"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)


class Second:
    """A second broker of the cluster, which clients reach directly."""

    def __init__(self, first):
        folder = first.folder / "second"
        folder.mkdir()
        direct, relayed = free_port(), free_port()
        (folder / "server.properties").write_text(f"""
process.roles=broker
node.id=2
controller.quorum.voters=1@127.0.0.1:{first.controller}
controller.listener.names=CONTROLLER
listeners=DIRECT://127.0.0.1:{direct},RELAYED://127.0.0.1:{relayed}
listener.security.protocol.map=DIRECT:PLAINTEXT,RELAYED:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=DIRECT
log.dirs={folder}/logs
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
""")
        first.java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", folder / "server.properties")
        self.log = open(folder / "server.log", "wb")
        self.process = server(folder, self.log)
        end = time.monotonic() + 90
        while b"id: 2 " not in first.tool("BrokerApiVersionsCommand"):
            expect(time.monotonic() < end and self.process.poll() is None, "the second broker does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.log.close()


class Message:
    def __init__(self, time, partition, offset, headers, key, value):
        self.time, self.headers, self.key, self.value = time, headers, key, value
        self.partition, self.offset = int(partition.split(":")[1]), int(offset.split(":")[1])
