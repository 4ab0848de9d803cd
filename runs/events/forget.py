"""What happened long ago is dropped from the streams, however quiet they are: a draft is a tenant's text."""

import logging
from typing import Any, cast

import redis

from dpp_project.logging import fields
from dpp_project.profile import EVENTS
from dpp_project.redis import Store, client
from runs.events.event import RUNS
from runs.events.reader import order

log = logging.getLogger("dpp.events")


def forget_old_events() -> int:
    """How many went: all that are older than the states, but for the newest of a shard, which tells readers that it is
    the same stream. By the clock of Redis, which numbers the entries."""
    store = client(Store.EVENTS)
    keys = [RUNS.stream_key(shard) for shard in range(EVENTS.shards)]
    try:
        now_sec = store.time()[0]
        with store.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.xrevrange(key, count=1)
            found = zip(keys, cast(list[list[Any]], pipe.execute()), strict=True)
        newest = {key: entries[0][0] for key, entries in found if entries}
        oldest_kept = f"{(now_sec - EVENTS.state_ttl_sec) * 1_000}-0"
        with store.pipeline(transaction=False) as pipe:
            for key, entry_id in newest.items():
                pipe.xtrim(key, minid=min(oldest_kept, entry_id, key=order), approximate=False)
            return sum(cast(list[int], pipe.execute()))
    except redis.RedisError as error:
        log.warning("old_events_kept", extra=fields(error=type(error).__name__))
        return 0
