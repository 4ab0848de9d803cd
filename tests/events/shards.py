"""What stands in the shards, for tests."""

from typing import Any
from uuid import UUID

from dpp_project.redis import client
from runs.events.event import RUNS, Event, shard_of


def published(run_id: UUID) -> list[Event]:
    found: Any = client().xrange(RUNS.stream_key(shard_of(run_id)))
    return [
        Event(run_id, int(values["seq"]), values["stage"], values["data"])
        for _, values in found
        if values["run"] == str(run_id)
    ]


def published_seqs(run_id: UUID) -> list[int]:
    return [event.seq for event in published(run_id)]
