"""A hostile page through the whole platform: API process, real queue, real worker process, object storage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import QUESTION, Customer, body, fresh_key
from tests.http import Api
from tests.packs.fetch.zoo import Zoo, page
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.packs.url.articles import ENGLISH_QUESTION, korean
from tests.packs.url.test_hostile_pages import GOOD, HALF_A_PAIR, HOSTILE
from tests.processes import ApiProcess, WorkerProcess, ZooWorkerProcess


@pytest.mark.parametrize(
    ("pack_type", "inputs"),
    [
        ("url", {"urls": [HOSTILE, GOOD]}),
        ("decision", {**QUESTION, "question": ENGLISH_QUESTION, "evidence_urls": [HOSTILE, GOOD]}),
    ],
)
def test_a_page_of_broken_characters_costs_its_neighbours_nothing(
    live_api: ApiProcess,
    acme: Customer,
    zoo: Zoo,
    worker: Callable[..., WorkerProcess],
    tmp_path: Path,
    pack_type: str,
    inputs: dict[str, Any],
) -> None:
    zoo.site("www.oecd.org", page(HALF_A_PAIR, content_type="text/plain; charset=utf-7"))
    zoo.site("www.me.go.kr", page(korean()))
    process, api = worker(ZooWorkerProcess, **settings_of(web_of(zoo, tmp_path))), Api(live_api.url, acme)

    accepted = api.submit(body(pack_type=pack_type, inputs=inputs, options={"inline": 1}), key=fresh_key())
    ended = api.wait_until_ended(accepted.json["poll"]["href"], process, seconds=90)

    assert (ended.json["status"], ended.json["money_state"]) == ("COMPLETED", "SETTLED"), ended.text
    data = ended.json["result"]["inline"]["data"]
    kept = data["keep"] if pack_type == "url" else data["evidence"]["keep"]
    assert {entry["url"] for entry in kept} == {HOSTILE, GOOD}
