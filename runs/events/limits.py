"""The numbers of run events, in one frozen object that checks its own relations.

Tests shorten the times by `DPP_EVENTS_OVERRIDES` (JSON), which the gateway refuses outside `DPP_ENV=test`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class EventLimits:
    band_width: int = 1_000
    shards: int = 8
    stream_max_entries: int = 10_000
    state_ttl_sec: int = 3_600
    published_ttl_sec: int = 7_200

    keep_alive_sec: float = 15
    retry_ms: int = 2_000
    # How long the streams may lag behind what a row or state key says before that is told instead. An event that is
    # on its way arrives within milliseconds; one that was never published must not be waited for much longer.
    grace_sec: float = 1

    max_listeners: int = 4_000
    # A listener that has not taken what was sent to it by then, or that fell this many events behind meanwhile.
    send_timeout_sec: float = 20
    max_lag_events: int = 256

    def __post_init__(self) -> None:
        assert self.published_ttl_sec > self.state_ttl_sec, "a repeat must be known for longer than the state it made"
        assert self.grace_sec < self.keep_alive_sec
        assert self.max_lag_events < self.stream_max_entries


LOCKED = EventLimits()


def load_limits(environ: Mapping[str, str]) -> EventLimits:
    overrides = environ.get("DPP_EVENTS_OVERRIDES")
    return replace(LOCKED, **json.loads(overrides)) if overrides else LOCKED


EVENTS = load_limits(os.environ)
