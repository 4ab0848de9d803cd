"""Bare Celery on the same broker, in a queue of its own: a task that puts one object."""

import os
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.speed.plain.settings")

import boto3
from celery import Celery
from kombu import Exchange, Queue

QUEUE = "bench-plain"
BUCKET = "bench-plain"
ENDPOINT = os.environ["AWS_ENDPOINT_URL"]
QUEUE_URL = f"{ENDPOINT}/000000000000/{QUEUE}"

app = Celery("plain")
app.conf.update(
    broker_url="sqs://{AWS_ACCESS_KEY_ID}:{AWS_SECRET_ACCESS_KEY}@{host}//".format(
        **os.environ, host=ENDPOINT.removeprefix("http://")
    ),
    broker_transport_options={
        "region": os.environ["AWS_DEFAULT_REGION"],
        "is_secure": False,
        "wait_time_seconds": 1,
        "polling_interval": 0,
        "predefined_queues": {QUEUE: {"url": QUEUE_URL, "region": os.environ["AWS_DEFAULT_REGION"]}},
    },
    broker_connection_retry_on_startup=True,
    task_queues=[Queue(QUEUE, Exchange(QUEUE), routing_key=QUEUE)],
    task_default_queue=QUEUE,
    task_create_missing_queues=False,
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
)

_s3 = boto3.client("s3", endpoint_url=ENDPOINT)


@app.task(name="plain.execute")
def execute(run_id: str, body: str) -> None:
    _s3.put_object(Bucket=BUCKET, Key=run_id, Body=body.encode(), ContentType="application/json")
    # For the measurement: looking for the object would take time from the server that stores it.
    with open(os.environ["BENCH_DONE"], "a") as done:
        done.write(f"{time.time()}\n")
