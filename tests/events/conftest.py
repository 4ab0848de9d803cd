from collections.abc import Iterator

import pytest

from tests.events.processes import GatewayProcess
from tests.services import SessionServices


@pytest.fixture(scope="session")
def gateway(services: SessionServices) -> Iterator[GatewayProcess]:
    """The gateway as it is served, with short times. It outlives the data of every test."""
    process = GatewayProcess()
    with process:
        yield process
