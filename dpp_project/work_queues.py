"""Where runs wait: a pair of queues and a dead-letter queue for each kind of work, with worker slots of their own.

A tenant's first few live runs wait in the kind's direct queue, all further ones in its backlog queue. A worker gives
the backlog at most half of its slots (`sqs_transport`), so that neither a tenant with
thousands of runs nor another kind of work keeps a tenant's first run waiting. Decision 0046.
"""

from dataclasses import dataclass
from enum import StrEnum


class Work(StrEnum):
    """Kinds of work that must not wait for each other."""

    QUICK = "quick"
    """Computes for a moment, or asks a model."""
    FETCH = "fetch"
    """Waits for other people's web sites."""
    OCR = "ocr"
    """Computes for long."""


@dataclass(frozen=True)
class WorkQueues:
    """The queues of one kind of work."""

    direct: str
    backlog: str
    dead_letters: str

    @property
    def taken_by_workers(self) -> tuple[str, str]:
        return self.direct, self.backlog


def named(prefix: str) -> dict[Work, WorkQueues]:
    """The quick work's queues carry the contract's names, which were all runs' before there were kinds."""
    stems = {Work.QUICK: f"{prefix}-runs", Work.FETCH: f"{prefix}-runs-fetch", Work.OCR: f"{prefix}-runs-ocr"}
    return {work: WorkQueues(stem, f"{stem}-backlog", f"{stem}-dlq") for work, stem in stems.items()}


def backlog_slots(slots: int) -> int:
    """How many of a worker's slots a backlog may take while direct runs could come: half of them (decision 0046)."""
    return slots - slots // 2
