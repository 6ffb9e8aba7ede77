"""A server of an object store behind a relay, and the one for S3: moto."""

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.request

from servers import Relay, expect, free_port


class Server:
    """A server, and what pqseal needs to know of it."""

    # Checks that it cannot do, and why.
    lacks = {}
    # The exit code where a bucket is missing.
    missing_bucket = 1

    def __init__(self, folder):
        self.folder, self.port, self.relay_port = folder, free_port(), free_port()
        self.listens = self.port
        log = open(folder / "server.log", "wb")
        self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.relay = Relay(self.port, self.relay_port)
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.listens)):
                break
            expect(time.monotonic() < end and self.process.poll() is None, f"{type(self).__name__}: {(folder / 'server.log').read_text()[-500:]}")
            time.sleep(0.1)
        self.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.relay.cut()
        self.process.kill()
        self.process.wait()

    def upload(self, bucket, paths, below):
        for path in paths:
            self.put(bucket, f"{below}/{path[0]}", path[1])


class S3(Server):
    scheme = "s3"

    def command(self):
        return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]

    def connect(self):
        import boto3
        self.boto3 = lambda service, **more: boto3.client(
            service, endpoint_url=f"http://127.0.0.1:{self.port}", region_name="us-east-1", **more)
        self.user = {"aws_access_key_id": "first", "aws_secret_access_key": "secret"}
        self.client = self.boto3("s3", **self.user)

    def environment(self):
        return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.relay.port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": self.user["aws_access_key_id"], "AWS_SECRET_ACCESS_KEY": self.user["aws_secret_access_key"]}

    @contextlib.contextmanager
    def wrong(self):
        """moto checks signatures when it is told to. Then a user must exist."""
        iam = self.boto3("iam", **self.user)
        iam.create_user(UserName="reader")
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
        iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))
        key = iam.create_access_key(UserName="reader")["AccessKey"]
        self.authenticate(b"0")
        try:
            right = {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
            yield {**right, "AWS_SECRET_ACCESS_KEY": "not this one"}, right
        finally:
            self.authenticate(b"inf")

    def authenticate(self, after):
        url = f"http://127.0.0.1:{self.port}/moto-api/reset-auth"
        headers = {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(url, data=after, headers=headers, method="POST")).read()

    def make(self, bucket):
        self.client.create_bucket(Bucket=bucket)

    def put(self, bucket, key, data):
        self.client.put_object(Bucket=bucket, Key=key, Body=data)

    def get(self, bucket, key):
        return self.client.get_object(Bucket=bucket, Key=key)["Body"].read()

    def keys(self, bucket, below):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{below}/")
        return [found["Key"] for page in pages for found in page.get("Contents", [])]
