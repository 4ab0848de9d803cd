"""A worker process of the fleet for `test_single_flight`: runs of one tenant, each gathering the same documents.

The url pack's own gathering, with the services a worker gives it, over a fetcher that knows the test's site. Reading
and gating the pages is left out: fifty readers would measure this machine, not the single flight.
"""

import hashlib
import json
import sys
import threading
import time
from typing import Any

import django

from packs.fetch import FetchPolicy
from tests.packs.fetch.zoo_web import ZooWeb


def shown(body: bytes) -> str:
    return body.decode() if len(body) < 1_000 else hashlib.sha256(body).hexdigest()


def run(services: dict[str, Any], urls: list[str], report: list[dict[str, Any]]) -> None:
    from dataclasses import replace

    from packs.cache import Fetched
    from packs.url.gather import gather
    from tests.packs.url.desk import Desk

    desk = Desk(services["fetcher"], services=services)
    context = replace(desk.context(), tenant_id="acme")
    arrived = gather(urls, context, timeout_sec=10, max_hops=5, ends_at=time.monotonic() + 60)
    outcomes = {}
    for gathered in arrived:
        if isinstance(gathered.outcome, Fetched) and gathered.set_aside:
            outcomes[gathered.url] = shown(gathered.outcome.document.body)
            context.meter.charge_set_aside(gathered.set_aside)
        else:
            outcomes[gathered.url] = repr(gathered.outcome)
    report.append({"documents": outcomes, "bought": dict(desk.meter.bought)})


def main(port: str, authority: str, runs: str, *urls: str) -> None:
    django.setup()
    from runs.documents.services import document_services

    fetcher = ZooWeb(int(port), authority).fetcher(FetchPolicy())
    services = {"fetcher": fetcher, **document_services(fetcher)}
    report: list[dict[str, Any]] = []
    threads = [threading.Thread(target=run, args=(services, list(urls), report)) for _ in range(int(runs))]
    print("ready", flush=True)
    sys.stdin.readline()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
