"""A fleet over real PostgreSQL, Valkey and S3, and sites of our own."""

from collections.abc import Iterator
from typing import Any

import pytest

from runs.models import DocumentFlight
from tests.cache.office import SITE, Office, Offices
from tests.packs.fetch.zoo import Zoo, open_zoo, page
from tests.packs.url.articles import korean
from tests.services import SessionServices


@pytest.fixture(scope="module")
def shared_zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        yield zoo


@pytest.fixture
def zoo(shared_zoo: Zoo) -> Zoo:
    shared_zoo.clear()
    shared_zoo.site(SITE, page(korean()))
    return shared_zoo


@pytest.fixture
def fleet(platform: SessionServices) -> SessionServices:
    """Everything up, no document cached, none under way."""
    DocumentFlight.objects.all().delete()
    return platform


@pytest.fixture
def office(fleet: SessionServices, zoo: Zoo) -> Offices:
    """Starts processes of the fleet, so to speak: each has its own memory, all share the rest."""

    def start(**options: Any) -> Office:
        return Office(zoo, **options)

    return start
