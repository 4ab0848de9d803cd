"""The cost headers of every answer about runs."""

from dataclasses import dataclass

from dpp_project.money import ZERO, Micros, format_usd
from runs.models import Run


@dataclass(frozen=True)
class Costs:
    reserved: Micros = ZERO
    used: Micros = ZERO
    remaining: Micros = ZERO
    tokens: int = 0

    @classmethod
    def of(cls, run: Run, available: Micros) -> "Costs":
        """Used is zero until the run has ended; reserved is always the original reservation."""
        return cls(
            reserved=Micros(run.reservation_max_cost_usd_micros),
            used=Micros(run.actual_cost_usd_micros or 0),
            remaining=available,
            tokens=run.tokens_consumed,
        )

    def headers(self) -> dict[str, str]:
        return {
            "X-DPP-Cost-Reserved": format_usd(self.reserved),
            "X-DPP-Cost-Used": format_usd(self.used),
            "X-DPP-Budget-Remaining": format_usd(self.remaining),
            "X-DPP-Tokens-Consumed": str(self.tokens),
        }
