"""What a run that was completed gives."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpp_client.models import Artifact, Run, RunReliability, RunWarning


@dataclass(frozen=True)
class RunResult:
    """A completed run with its verified envelope."""

    run: Run
    envelope: dict[str, Any]
    """All of it; `data` is the answer in it."""
    content: bytes = field(repr=False)
    """The envelope as it was issued. Kept, it can be verified at any time: `dpp verify FILE`."""

    @property
    def run_id(self) -> str:
        return self.run["run_id"]

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = self.envelope["data"]
        return data

    @property
    def used_usd(self) -> str:
        return self.run["cost"]["used_usd"]

    @property
    def reliability(self) -> RunReliability:
        return self.run["reliability"]

    @property
    def warnings(self) -> list[RunWarning]:
        return self.run.get("warnings", [])

    @property
    def budget_cap(self) -> str | None:
        """BUDGET_CAP_REACHED if the limit ended the work early."""
        return self.run.get("budget_cap")

    @property
    def artifacts(self) -> list[Artifact]:
        return self.run["result"]["artifacts"]

    def save(self, path: str | Path) -> None:
        Path(path).write_bytes(self.content)
