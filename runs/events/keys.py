"""Names of the events' keys in Redis. Locked: other versions of the service may run beside this one."""

import zlib
from uuid import UUID

from dpp_project.profile import EVENTS


def shard_of(run_id: UUID) -> int:
    return zlib.crc32(run_id.bytes) % EVENTS.shards


def stream(shard: int) -> str:
    return f"run:events:{shard}"


def state(run_id: UUID) -> str:
    return f"run:state:{run_id}"


def published(run_id: UUID, stage: str, seq: int) -> str:
    return f"published:{run_id}:{stage}:{seq}"
