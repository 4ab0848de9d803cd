"""The same documents, wanted by fifty paid runs in five real workers at once: the whole pack, from submit to books."""

import json
import random
import socket
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpp_project.prices import FETCH, FETCH_CACHED, PRICES
from packs.cache import CACHE
from runs.lifecycle.envelope import signature_is_valid
from runs.models import DocumentFlight, Run
from runs.reports.invariants import audit_ledger
from storage import store
from tests.books import assert_balanced
from tests.builders import Customer, customer, fresh_key
from tests.cache.fleet import HOST, URLS, CountingSite
from tests.http import Api
from tests.packs.fetch.zoo import Request, Zoo, respond
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.packs.url.articles import html
from tests.processes import ApiProcess, WorkerProcess, ZooWorkerProcess
from tests.services import SessionServices

WORKERS, RUNS_EACH = 5, 10
QUESTION = "전기차 보조금 기준은 어떻게 바뀌었나요?"
_WORDS = (
    *("지원", "대상", "차량", "금액", "신청", "기간", "서류", "지역", "성능", "거리"),
    *("배터리", "등록", "업체", "예산", "심사", "결과", "공고", "조건", "접수", "환수"),
)


class LawSite(CountingSite):
    """Ten acts of our own, each of its own words, so that none is taken for another's duplicate."""

    def answer(self, tls: socket.socket, request: Request) -> None:
        number = request.path.rpartition("/")[2]
        chance = random.Random(number)
        paragraphs = [
            f"<p>전기차 보조금 기준 제{line}항은 {' '.join(chance.sample(_WORDS, 12))}에 관하여 새로 정한다.</p>"
            for line in range(1, 9)
        ]
        body = html(f"전기차 보조금 기준 제{number}조", "".join(paragraphs), published="2025-03-05", language="ko")
        respond(tls, body.encode())


def test_fifty_url_runs_in_five_celery_workers_download_ten_documents_once(
    live_api: ApiProcess,
    fleet: SessionServices,
    zoo: Zoo,
    worker: Callable[..., WorkerProcess],
    tmp_path: Path,
) -> None:
    site = LawSite()
    zoo.site(HOST, site)
    owner = customer("acme", budget="50.0000")
    for _ in range(WORKERS * RUNS_EACH):
        _submit(live_api, owner)

    workers = [worker(ZooWorkerProcess, **settings_of(web_of(zoo, tmp_path))) for _ in range(WORKERS)]
    _wait_until_all_ended(workers)

    runs = list(Run.objects.order_by("created_at"))
    assert Counter((run.status, run.money_state) for run in runs) == {("COMPLETED", "SETTLED"): 50}
    assert Counter(request.path for request in zoo.record.requests) == {f"/act/{number}": 1 for number in range(10)}
    assert site.most_at_once <= CACHE.host_slots_per_tenant
    assert list(DocumentFlight.objects.values_list("state", flat=True)) == ["CACHED"] * len(URLS)
    assert all(process.lines().count("message_done") for process in workers), "a worker had no part in it"

    envelopes = {run.pk: _envelope(run) for run in runs}
    assert [envelope["data"]["discard"] for envelope in envelopes.values() if envelope["data"]["discard"]] == []
    assert [sorted(kept["url"] for kept in envelope["data"]["keep"]) for envelope in envelopes.values()] == [URLS] * 50
    for run in runs:
        _assert_charged_as_itemised(run, envelopes[run.pk])
    report = audit_ledger()
    assert report.is_clean, report
    assert_balanced(owner, 50_000_000 - sum(run.actual_cost_usd_micros or 0 for run in runs))


def _submit(live_api: ApiProcess, owner: Customer) -> None:
    body = {
        "pack_type": "url",
        "inputs": {"urls": URLS, "decision_question": QUESTION},
        "reservation": {"max_cost_usd": "0.1000"},
    }
    accepted = Api(live_api.url, owner).submit(body, key=fresh_key())
    assert accepted.status == 202, accepted.text


def _wait_until_all_ended(workers: list[WorkerProcess], *, seconds: float = 600) -> None:
    ends = time.monotonic() + seconds
    while Run.objects.filter(status__in=("QUEUED", "PROCESSING")).exists():
        if time.monotonic() > ends:
            raise AssertionError("\n".join(process.lines()[-2000:] for process in workers))
        time.sleep(0.2)


def _envelope(run: Run) -> dict[str, Any]:
    assert run.result_key is not None
    assert run.result_sha256 is not None
    envelope: dict[str, Any] = json.loads(store.read(run.result_key, sha256=run.result_sha256))
    assert signature_is_valid(envelope)
    return envelope


def _assert_charged_as_itemised(run: Run, envelope: dict[str, Any]) -> None:
    """Each document was paid for once: as fetched, or as the tenant's own copy."""
    bought = {item["item"]: item["quantity"] for item in envelope["cost"]["items"]}
    assert set(bought) <= {FETCH, FETCH_CACHED}
    assert sum(bought.values()) == len(URLS)
    assert envelope["meta"]["cache"]["hits"] == bought.get(FETCH_CACHED, 0)
    assert run.actual_cost_usd_micros == sum(PRICES[item] * quantity for item, quantity in bought.items())
