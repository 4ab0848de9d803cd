"""Agents that know one way in each complete all five packs, handle refusals, and never pay twice."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from budget import journal
from dpp_project.money import parse_usd
from runs.models import Run
from tests.books import assert_balanced
from tests.builders import customer
from tests.examples.agents import EXPECTED, KINDS, agent_of, spend_a_day
from tests.examples.cases import examples, open_sites
from tests.mcp.gateway import GatewayProcess
from tests.packs.fetch.zoo import open_zoo
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.processes import CLONE, ApiProcess, WorkerProcess, ZooWorkerProcess

_PAGE = CLONE / "docs" / "transcripts.md"


@pytest.fixture
def working(worker: Callable[..., WorkerProcess], tmp_path: Path) -> Iterator[None]:
    """A worker with the examples' sites for a web."""
    with open_zoo() as zoo:
        open_sites(zoo)
        worker(ZooWorkerProcess, **settings_of(web_of(zoo, tmp_path)))
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_with_one_way_in_gets_all_five_packs(kind: str, live_api: ApiProcess, working: None) -> None:
    # A tenant each: pages that were read before cost a tenant less.
    owner = customer(f"agent-{kind.lower()}", budget="10.0000")
    with (
        GatewayProcess({"DPP_API_URL": live_api.url}) as gateway,
        agent_of(kind, owner, api_url=live_api.url, gateway=gateway) as agent,
    ):
        day = spend_a_day(agent)

    packs = [example.pack for example in examples()]
    assert {pack: bought.status for pack, bought in day.bought.items()} == dict.fromkeys(packs, "COMPLETED")
    assert day.repeated == day.bought, "the same run, and what it cost"
    assert day.refused == EXPECTED
    assert Run.objects.count() == len(packs)
    spent = sum(parse_usd(bought.used_usd) for bought in day.bought.values())
    assert journal.available(owner.id) == 10_000_000 - spent
    assert_balanced(owner, 10_000_000 - spent)
    section = _PAGE.read_text(encoding="utf-8").partition(f"## With {kind} alone")[2].partition("\n## ")[0]
    assert "\n".join(day.transcript) in section, "`make examples` writes the page anew"
