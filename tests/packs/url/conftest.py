"""A desk that fetches from a web of our own."""

import pytest

from tests.packs.fetch.zoo import Zoo
from tests.packs.url.desk import Desk


@pytest.fixture
def desk(zoo: Zoo) -> Desk:
    return Desk(zoo.fetcher())
