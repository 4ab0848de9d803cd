"""A web of our own, emptied before each test."""

from collections.abc import Iterator

import pytest

from tests.packs.fetch.zoo import Zoo, open_zoo


@pytest.fixture(scope="module")
def shared_zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        yield zoo


@pytest.fixture
def zoo(shared_zoo: Zoo) -> Zoo:
    shared_zoo.clear()
    return shared_zoo
