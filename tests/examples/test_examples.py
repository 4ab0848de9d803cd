"""The pages of docs/examples are what the platform answers today, and the same request always gives the same data."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from dpp_project.canonical import canonical_bytes
from tests.builders import customer
from tests.conftest import wipe
from tests.examples.cases import FOLDER, examples, open_sites
from tests.examples.pages import comparable, read_back, second_time, shortened
from tests.examples.platform import Outcome, run_example
from tests.packs.fetch.zoo import open_zoo
from tests.packs.fetch.zoo_web import settings_of, web_of
from tests.processes import CLONE, ApiProcess, WorkerProcess, ZooWorkerProcess
from tests.services import SessionServices

PACKS = ["decision", "url", "compliance", "eval", "ocr"]


@pytest.fixture(scope="module")
def outcomes(
    services: SessionServices,
    api_process: ApiProcess,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, Outcome]]:
    """Every example, sent through API, queue and worker once for all tests of this module."""
    WorkerProcess.wait_for_dead_polls()
    with django_db_blocker.unblock(), open_zoo() as zoo:
        wipe()
        open_sites(zoo)
        acme, rival = (customer(name, budget="10.0000") for name in ("acme", "rival"))
        worker = ZooWorkerProcess(settings_of(web_of(zoo, tmp_path_factory.mktemp("zoo"))))
        worker.start()
        try:
            yield {example.pack: run_example(example, api_process.url, worker, acme, rival) for example in examples()}
        finally:
            worker.stop()


@pytest.mark.parametrize("pack", PACKS)
def test_the_page_shows_what_the_platform_answers(outcomes: Mapping[str, Outcome], pack: str) -> None:
    left_out = next(example.left_out for example in examples() if example.pack == pack)
    fresh = shortened(outcomes[pack].first.envelope, left_out)
    assert comparable(read_back(_page(pack), "envelope")) == comparable(fresh), "run: make examples"


@pytest.mark.parametrize("pack", ["url", "ocr"])
def test_the_page_shows_what_a_copy_costs(outcomes: Mapping[str, Outcome], pack: str) -> None:
    again = outcomes[pack].again
    assert again is not None
    assert read_back(_page(pack), "again") == second_time(again), "run: make examples"


@pytest.mark.parametrize("pack", ["decision", "compliance", "eval", "ocr"])
def test_the_same_inputs_give_byte_identical_data(outcomes: Mapping[str, Outcome], pack: str) -> None:
    """Of two tenants, so that nothing comes from a cache: the second run did all of the work again."""
    one, other = outcomes[pack].first.envelope, outcomes[pack].of_another_tenant.envelope
    assert one["run_id"] != other["run_id"]
    assert canonical_bytes(one["data"]) == canonical_bytes(other["data"])
    assert one["cost"] == other["cost"]


def test_a_page_from_the_cache_is_the_page(outcomes: Mapping[str, Outcome]) -> None:
    outcome = outcomes["ocr"]
    assert outcome.again is not None
    assert canonical_bytes(outcome.again.envelope["data"]) == canonical_bytes(outcome.first.envelope["data"])


def test_every_pack_has_an_example_that_readers_find() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == sorted(PACKS)
    assert [example.pack for example in examples()] == PACKS
    for index in ("docs/packs.md", "README.md", "README.ko.md"):
        assert "examples/" in Path(CLONE, index).read_text(encoding="utf-8"), index


def test_both_languages_appear() -> None:
    everything = "".join(_page(pack) for pack in PACKS)
    assert "어느 것으로" in everything
    assert "handling time" in everything


def _page(pack: str) -> str:
    return (FOLDER / f"{pack}.md").read_text(encoding="utf-8")
