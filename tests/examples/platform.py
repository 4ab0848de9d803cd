"""The examples sent through the running platform: API, queue, worker, object storage, as a customer sees them."""

import json
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.builders import Customer, fresh_key
from tests.examples.cases import Example
from tests.http import Api
from tests.processes import WorkerProcess

Json = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """What the customer was told about one run."""

    receipt: Json
    ended: Json
    envelope: Json


@dataclass(frozen=True)
class Outcome:
    first: Told
    of_another_tenant: Told
    again: Told | None
    """By the first tenant once more, where that changes something."""


def run_example(example: Example, url: str, worker: WorkerProcess, acme: Customer, rival: Customer) -> Outcome:
    first = _run(example, Api(url, acme), worker)
    return Outcome(
        first=first,
        of_another_tenant=_run(example, Api(url, rival), worker),
        again=_run(example, Api(url, acme), worker) if example.again else None,
    )


def _run(example: Example, api: Api, worker: WorkerProcess) -> Told:
    accepted = api.submit(example.body, key=fresh_key())
    assert accepted.status == 202, accepted.text
    ended = api.wait_until_ended(accepted.json["poll"]["href"], worker, seconds=90)
    assert ended.json["status"] == "COMPLETED", ended.text
    with urllib.request.urlopen(ended.json["result"]["presigned_url"], timeout=10) as answer:
        envelope = json.loads(answer.read())
    return Told(accepted.json, ended.json, envelope)
