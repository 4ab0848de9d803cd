"""The floor of a submit: its own Redis, PostgreSQL and SQS calls in a bare loop, without HTTP, checks or Django's ORM.

One process of the floor. It makes the calls of one submit after the other (one send each) in as many threads as an API
process has, for a given time, and prints what it counted.
"""

import argparse
import json
import os
import threading
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import boto3
import django
import psycopg
import redis


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--tenant", required=True)
    options = parser.parse_args()
    django.setup()
    loop = _Loop(options.tenant)
    threads = [threading.Thread(target=loop.run, args=(options.seconds,)) for _ in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(loop.latencies_ms))


class _Loop:
    def __init__(self, tenant: str) -> None:
        from dpp_project.celery import RUNS_QUEUE, queue_url
        from runs.lifecycle import admission
        from runs.lifecycle.queue import EXECUTE_TASK, encode
        from runs.lifecycle.statements import ACCEPT

        self.tenant = tenant
        self.latencies_ms: list[float] = []
        self.redis = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
        self.admit = self.redis.script_load(admission._ADMIT.source)
        self.confirm = self.redis.script_load(admission._CONFIRM.source)
        self.accept = ACCEPT
        self.sqs = boto3.client("sqs", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        self.queue_url = queue_url("dpp-runs")
        self.message = encode(
            {"run_id": str(uuid4()), "tenant_id": tenant, "pack_type": "decision"},
            task_name=EXECUTE_TASK,
            queue=RUNS_QUEUE,
        )

    def run(self, seconds: float) -> None:
        began = time.perf_counter() + 1.0  # one second to warm up, as everywhere
        ends = began + seconds
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, prepare_threshold=1) as database:
            while (asked_at := time.perf_counter()) < ends:
                self._one(database)
                if asked_at >= began and (now := time.perf_counter()) <= ends:
                    self.latencies_ms.append((now - asked_at) * 1000)

    def _one(self, database: "psycopg.Connection[tuple[object, ...]]") -> None:
        run_id, now, key = uuid4(), datetime.now(UTC), str(uuid4())
        tenant, amount = self.tenant, 500_000
        names = [f"idem:{tenant}:{key}", f"idem_lock:{tenant}:{key}", f"limit:{tenant}:submits"]
        money = [f"budget:{tenant}:balance_usd_micros", f"reserve:{run_id}", "holds:open", "runs:unsent"]
        self.redis.evalsha(
            self.admit,
            9,
            *(*names, f"budget:{tenant}:holds", *money, f"receipt:{run_id}"),
            *(key, "5000", "", "1000000000", "1000000000", tenant, str(run_id), str(amount)),
        )
        database.execute(
            self.accept,
            {
                "run_id": run_id,
                "tenant_id": tenant,
                "pack_type": "decision",
                "idempotency_key": key,
                "profile_version": "PROFILE_DPP_0_4_2_2",
                "payload_hash": "x",
                "reservation": amount,
                "minimum_fee": 10_000,
                "timebox_sec": 90,
                "min_reliability_score": 0.8,
                "inline_result": False,
                "retention_until": now + timedelta(days=30),
                "trace_id": "trace",
                "created_at": now,
                "body": "{}",
                "object_key": None,
                "client_name": None,
                "client_version": None,
                "api_key_id": None,
                "key_budget_id": None,
                "tags": None,
            },
        )
        self.redis.evalsha(
            self.confirm,
            7,
            *(names[0], names[1], f"reserve:{run_id}", f"receipt:{run_id}"),
            *("run:events:0", f"run:state:{run_id}", f"published:{run_id}:queued:1"),
            *(f"{run_id}:x", "2592000", key, str(run_id), "1", "queued", "{}", "100000", "3600", "3600"),
        )
        self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=self.message)


if __name__ == "__main__":
    main()
