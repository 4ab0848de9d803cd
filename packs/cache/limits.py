"""The numbers of caches and single flight, in one frozen object that checks its own relations."""

from dataclasses import dataclass

from dpp_project.profile import PROFILE

MIB = 1_048_576


@dataclass(frozen=True)
class CacheLimits:
    # How long an answer counts as the site's own. Older copies are kept for the day the site does not answer.
    document_ttl_sec: int = 900
    document_kept_sec: int = 21_600
    refusal_cool_down_sec: int = 30
    """A site that said 403, 429 or 5xx is not asked for the same document again for this long, or for as long as it
    wants (up to the next number)."""
    refusal_cool_down_max_sec: int = 900
    pinned_ttl_sec: int = 21_600
    """A document of the platform's own list: fresh until it is warmed again, or this long."""
    page_ttl_sec: int = 30 * 86_400
    """An OCR page is named by its content, so it never becomes wrong; object storage removes it after this time."""

    answer_ttl_sec: int = 21_600
    """A language model's answer to the very same question. Not longer than Redis keeps entries."""

    memory_ttl_sec: int = 30
    memory_max_bytes: int = 32 * MIB
    redis_lifetime_max_sec: int = 21_600
    redis_entry_max_bytes: int = 262_144
    redis_total_max_bytes: int = 64 * MIB
    redis_memory_percent: int = 75
    """Of Redis's own maxmemory, whoever uses it: above this the cache shrinks instead of growing."""
    cool_down_sec: float = 10.0
    """A level that failed is not asked for this long: a run with thirty URLs waits for a hanging server once."""

    flight_takeover_sec: int = 300
    flight_backoff_sec: tuple[float, ...] = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
    flight_uncached_sec: int = 60
    """A document that no level could hold is fetched by everybody alone for this long."""
    lease_ttl_sec: float = 15.0

    host_slots: int = 3
    host_slot_ttl_sec: float = 15.0
    host_attempts: int = 5
    host_attempt_gap_sec: float = 1.0

    def __post_init__(self) -> None:
        assert self.document_ttl_sec < self.document_kept_sec
        assert self.memory_ttl_sec < self.document_ttl_sec, "memory is asked first: it must not outlast the truth below"
        assert self.redis_entry_max_bytes < self.redis_total_max_bytes
        assert self.refusal_cool_down_sec <= self.refusal_cool_down_max_sec < self.document_kept_sec
        assert self.pinned_ttl_sec <= self.redis_lifetime_max_sec
        assert self.host_slot_ttl_sec > PROFILE.fetch_timeout_sec, "a slot must outlast the download it stands for"
        assert self.flight_takeover_sec > 2 * PROFILE.fetch_timeout_sec
        assert sum(self.flight_backoff_sec) < PROFILE.fetch_timeout_sec
        assert self.host_slots >= 1
        assert self.host_attempts >= 1

    @property
    def host_slots_per_tenant(self) -> int:
        """One slot of a host is always left to somebody else, where there is more than one."""
        return max(1, self.host_slots - 1)

    @property
    def flight_dead_sec(self) -> float:
        """A download ends within the fetch's own limit. One that is silent for longer has lost its process: its row
        is left to the takeover, but nobody waits for it."""
        return PROFILE.fetch_timeout_sec + 2.0


CACHE = CacheLimits()
