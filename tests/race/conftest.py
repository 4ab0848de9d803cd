from collections.abc import Iterator

import pytest

from dpp_project import faults


@pytest.fixture(autouse=True)
def nothing_stays_armed() -> Iterator[None]:
    yield
    faults.disarm()
