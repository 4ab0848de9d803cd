"""Whether a tenant can tell that another tenant had a page fetched: from a field, a price, a text or the time.

`make prove-privacy` runs the same comparison with thousands of pages, where chance alone stays within 0.48 and 0.52.
"""

import os
import random
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dpp_project.prices import PRICES
from dpp_project.redis import client
from packs.cache.entry_keys import PINNED
from packs.url import PACK
from runs.access import document_keys
from runs.models import DocumentFlight
from tests.api.prove_stealth import chance_to_be_slower
from tests.cache.office import Office
from tests.packs.fetch.zoo import Request, Zoo, open_zoo, respond
from tests.packs.url.desk import Desk
from tests.services import SessionServices

ROUNDS = int(os.environ.get("DPP_PRIVACY_ROUNDS", "150"))
# A coin's own deviation with so many rounds, times four: wider than 0.48 to 0.52 for the few of `make test`.
MOST_ADVANTAGE = max(0.02, 4 * (1 / (6 * ROUNDS)) ** 0.5) if ROUNDS < 3_000 else 0.02
SITE = "www.me.go.kr"
_VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|/page-\d+|visit \d+")


class SiteWithCounter:
    """As news sites and shops are: every visit is shown something new, so that an older text gives itself away."""

    visits = 0

    def __call__(self, tls: socket.socket, request: Request) -> None:
        self.visits += 1
        respond(tls, f"<html><title>Notice</title><p>visit {self.visits} of {request.path}".encode())


@pytest.fixture(scope="module")
def shared_zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        yield zoo


@pytest.fixture
def site() -> SiteWithCounter:
    return SiteWithCounter()


@pytest.fixture
def office(platform: SessionServices, shared_zoo: Zoo, site: SiteWithCounter) -> Office:
    shared_zoo.clear()
    shared_zoo.site(SITE, site)
    DocumentFlight.objects.all().delete()
    return Office(shared_zoo)


def test_time_does_not_tell_that_another_tenant_had_the_page_fetched(office: Office) -> None:
    """Given pages of which another tenant had every second one fetched, in random order, Expect that the fetches of
    the two kinds cannot be told apart by how long they take."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    for number in random.sample(range(2 * ROUNDS), k=2 * ROUNDS):
        url, was_fetched = f"https://{SITE}/page-{number}", number % 2 == 0
        # The same work before each, so that only whose page it was differs.
        office.fetch("acme", url if was_fetched else f"https://{SITE}/other-{number}")
        began = time.perf_counter()
        office.fetch("rival", url)
        taken[was_fetched].append(time.perf_counter() - began)
    told = chance_to_be_slower(taken[True], taken[False])
    print(f"\n{ROUNDS:,} pages of each kind: slower of a pair {told:.4f}", flush=True)
    assert abs(told - 0.5) < MOST_ADVANTAGE


def test_the_measure_finds_a_shared_copy(office: Office) -> None:
    """Planted: the tenant's own second fetch stands for a copy that is shared. Time tells it at once."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    for number in range(40):
        for again in (False, True):
            began = time.perf_counter()
            office.fetch("rival", f"https://{SITE}/page-{number}")
            taken[again].append(time.perf_counter() - began)
    assert chance_to_be_slower(taken[True], taken[False]) < 0.2


def test_no_field_price_or_text_of_a_run_tells_it_either(office: Office, site: SiteWithCounter) -> None:
    known, unknown = f"https://{SITE}/page-1", f"https://{SITE}/page-2"
    office.fetch("acme", known)
    visits = site.visits
    seen = [_seen(office, url) for url in (known, unknown)]
    assert seen[0] == seen[1]
    assert site.visits == visits + 2
    # The text is the one of its own visit, not of acme's.
    own = office.documents.cached(known, tenant_id="rival", max_hops=5)
    assert own is not None
    assert f"visit {visits + 1} of".encode() in own.document.body


BUSY_WITH = {
    "its own": ["rival/1", "rival/2"],
    "others'": ["acme/1", "acme/2", "third/1"],
    "the platform's": [f"{PINNED}/1", f"{PINNED}/2", "acme/1"],
}


def test_a_busy_host_is_told_in_the_same_words_whoever_keeps_it_busy(office: Office) -> None:
    """Given a host without a place, by the tenant's own downloads, by others' or by the platform's, Expect one answer,
    one time to come back and one number of attempts: what is told is that the host is busy, never with what."""
    seen, attempts = [], []
    for number, tokens in enumerate(BUSY_WITH.values()):
        client().delete(document_keys.host_slots(SITE))
        client().zadd(document_keys.host_slots(SITE), dict.fromkeys(tokens, (time.time() + 60) * 1000))
        began = time.monotonic()
        seen.append(_seen(office, f"https://{SITE}/page-{number}"))
        attempts.append(round((time.monotonic() - began) / office.limits.host_attempt_gap_sec))
    assert "HOST_BUSY" in seen[0][0]
    assert seen[0] == seen[1] == seen[2]
    assert min(attempts) >= office.limits.host_attempts - 1


def _run(office: Office, url: str) -> tuple[Any, Desk]:
    desk = Desk(office.services["fetcher"], services=office.services)
    return PACK.execute({"urls": [url]}, replace(desk.context(), tenant_id="rival")), desk


def _seen(office: Office, url: str) -> tuple[str, int]:
    """All that the tenant can see of its run but for what differs between two pages that nobody else knows."""
    result, desk = _run(office, url)
    shown = _VARYING.sub("…", repr((result.data, result.cache, result.discard_log, result.reliability)))
    return shown, sum(PRICES[item] * count for item, count in desk.meter.bought.items())
