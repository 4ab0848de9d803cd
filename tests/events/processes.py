"""The gateway as it is served, for a test."""

import sys

from tests.processes import ApiProcess

# Keep-alives and row reads that a test can wait for.
SHORT = '{"keep_alive_sec": 1.0, "grace_sec": 0.3, "send_timeout_sec": 2.0}'


class GatewayProcess(ApiProcess):
    name = "gateway"
    graceful_sec = 60
    """Longer than a test waits for the end: streams that do not close by themselves are noticed."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        super().__init__({"DPP_EVENTS_OVERRIDES": SHORT, **(environment or {})})

    def command(self) -> list[str]:
        return [
            *(sys.executable, "-m", "runs.gateway", "--port", str(self.port)),
            *("--graceful-sec", str(self.graceful_sec)),
        ]
