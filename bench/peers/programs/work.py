"""What every peer's task does, as the bare Celery task of `make bench`: one object is put, and its end noted."""

import json
import os
import sys
import time
from collections.abc import Callable
from uuid import uuid4

import boto3

BUCKET = "bench-peers"
ENVELOPE = b"x" * 6_000  # as large as the envelope of the measured decision

_s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])


def put_an_object() -> None:
    _s3.put_object(Bucket=BUCKET, Key=str(uuid4()), Body=ENVELOPE, ContentType="application/json")


def note_the_end() -> None:
    with open(os.environ["BENCH_DONE"], "a") as done:
        done.write(f"{time.time()}\n")


def run(prepare: Callable[[], None], accept: Callable[[dict[str, object]], str], work: Callable[[], None]) -> None:
    """The three commands of a peer: `prepare`, `fill NUMBER` (prints the ids), `work`."""
    if sys.argv[1] == "prepare":
        prepare()
    elif sys.argv[1] == "fill":
        inputs = json.loads(sys.stdin.read())
        print(json.dumps([accept(inputs) for _ in range(int(sys.argv[2]))]))
    else:
        work()
