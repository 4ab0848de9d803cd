"""The gateway beside the API. It logs all it can."""

from collections.abc import Iterator

import pytest

from tests.mcp.gateway import GatewayProcess
from tests.processes import ApiProcess


@pytest.fixture(scope="session")
def gateway(api_process: ApiProcess) -> Iterator[GatewayProcess]:
    process = GatewayProcess({"DPP_API_URL": api_process.url, "DPP_LOG_LEVEL": "DEBUG"})
    with process:
        yield process
