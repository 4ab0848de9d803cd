"""A web of our own, emptied before each test, and a desk that fetches from it."""

from collections.abc import Iterator

import pytest

from tests.packs.fetch.zoo import Zoo, open_zoo
from tests.packs.url.desk import Desk


@pytest.fixture(scope="module")
def shared_zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        yield zoo


@pytest.fixture
def zoo(shared_zoo: Zoo) -> Zoo:
    shared_zoo.clear()
    return shared_zoo


@pytest.fixture
def desk(zoo: Zoo) -> Desk:
    return Desk(zoo.fetcher())
