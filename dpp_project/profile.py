"""The locked numbers of DPP v0.4.2.2, in frozen objects that check their own relations.

Every module reads `PROFILE`, those of run events `EVENTS`. A changed value means a new profile version, which is served
beside the older ones: a run keeps the version that it was accepted under (`profile_of`), and a caller may name one.
What is not a run's own (limits, intervals, leases) goes by `PROFILE`. Tests shorten the times by
`DPP_PROFILE_OVERRIDES` and `DPP_EVENTS_OVERRIDES` and add versions by `DPP_FURTHER_PROFILES` (JSON), all of which a
system check refuses outside `DPP_ENV=test`.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import ROUND_HALF_UP
from types import MappingProxyType

from dpp_project.money_rules import Micros, MoneyRules


@dataclass(frozen=True)
class Profile:
    version: str = "PROFILE_DPP_0_4_2_2"
    version_aliases: tuple[str, ...] = ("v0.4.2.2",)
    envelope_schema_version: str = "0.4.2.2"

    money: MoneyRules = MoneyRules(unit="USD", scale=6, display_places=4, rounding=ROUND_HALF_UP)

    retention_days: int = 30
    presigned_url_ttl_sec: int = 600

    timebox_default_sec: int = 90
    timebox_max_sec: int = 90
    lease_ttl_sec: int = 120
    lease_heartbeat_sec: int = 30
    sqs_visibility_timeout_sec: int = 120
    sqs_max_receive_count: int = 3

    reaper_interval_sec: int = 30
    sweeper_interval_sec: int = 60
    reconcile_interval_sec: int = 60
    reconcile_claim_age_sec: int = 300
    dead_letters_interval_sec: int = 60
    retention_interval_sec: int = 3_600
    audit_interval_sec: int = 60
    resend_interval_sec: int = 60
    purge_inputs_interval_sec: int = 300
    scrub_interval_sec: int = 60
    resend_unsent_age_sec: int = 120
    resend_queued_age_sec: int = 900

    reservation_ttl_sec: int = 3_600
    orphan_hold_age_sec: int = 300
    receipt_ttl_sec: int = 7 * 86_400
    idem_lock_ttl_sec: int = 5
    idempotency_ttl_sec: int = 2_592_000

    poll_rate_per_min: int = 60
    submit_rate_per_min: int = 60
    replay_rate_per_min: int = 600
    auth_failure_rate_per_min: int = 30
    max_concurrent_runs: int = 100
    # So many live runs of a tenant wait in the direct queues; further ones wait behind everybody's first runs.
    direct_runs_per_tenant: int = 4
    budget_alert: Micros = Micros(1_000_000)
    rate_limited_retry_after_sec: int = 30
    poll_recommended_interval_ms: int = 1_500
    poll_max_wait_sec: int = 90
    long_poll_max_sec: int = 25

    max_urls_per_run: int = 30
    fetch_timeout_sec: int = 10
    fetch_redirect_max_hops: int = 5
    fetch_max_body_bytes: int = 2_097_152
    fetch_max_file_bytes: int = 16 * 1_048_576
    fresh_since_year: int = 2023
    quote_max_words: int = 25
    max_inline_result_bytes: int = 262_144
    envelope_soft_limit_bytes: int = 1_048_576
    inline_payload_max_bytes: int = 65_536
    max_request_bytes: int = 16 * 1_048_576

    minimum_fee_floor: Micros = Micros(5_000)
    minimum_fee_percent: int = 2
    minimum_fee_ceiling: Micros = Micros(100_000)
    default_min_reliability_score: str = "0.8"
    quote_ttl_sec: int = 900
    upload_link_ttl_sec: int = 3_600
    upload_kept_sec: int = 86_400
    upload_max_bytes: int = 64 * 1_048_576
    uploads_per_tenant: int = 200
    upload_bytes_per_tenant: int = 2_147_483_648

    webhooks_per_tenant: int = 10
    webhook_timeout_sec: int = 10
    webhook_lease_sec: int = 60
    # The wait before each attempt, from the end of the one before; the first is made at once.
    webhook_delays_sec: tuple[int, ...] = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
    webhook_jitter_percent: int = 10
    webhook_retry_after_max_sec: int = 86_400
    webhook_secret_overlap_sec: int = 86_400
    webhook_secret_overlap_max_sec: int = 7 * 86_400
    webhook_deliveries_kept_days: int = 30
    webhooks_interval_sec: int = 60

    def __post_init__(self) -> None:
        assert self.lease_heartbeat_sec * 2 < self.lease_ttl_sec, "one missed heartbeat must not lose the lease"
        assert self.lease_heartbeat_sec * 2 < self.sqs_visibility_timeout_sec
        assert self.timebox_default_sec <= self.timebox_max_sec <= self.poll_max_wait_sec
        assert self.reconcile_claim_age_sec > self.lease_heartbeat_sec, "a claim in progress is left alone"
        assert self.orphan_hold_age_sec < self.reservation_ttl_sec
        assert self.resend_unsent_age_sec < self.resend_queued_age_sec < self.reservation_ttl_sec
        assert self.max_inline_result_bytes <= self.envelope_soft_limit_bytes
        assert self.minimum_fee_floor <= self.minimum_fee_ceiling
        assert self.replay_rate_per_min == 10 * self.poll_rate_per_min
        assert self.webhook_timeout_sec <= self.fetch_timeout_sec, "the fetcher gives nobody longer"
        assert self.webhook_timeout_sec < self.webhook_lease_sec, "nobody takes a message whose attempt is under way"
        assert self.webhook_retry_after_max_sec <= max(self.webhook_delays_sec)

    @property
    def retention(self) -> timedelta:
        return timedelta(days=self.retention_days)

    @property
    def lease_ttl(self) -> timedelta:
        return timedelta(seconds=self.lease_ttl_sec)

    def minimum_fee(self, reserved: Micros) -> Micros:
        """What a run that started and failed costs; never more than was reserved."""
        share = reserved * self.minimum_fee_percent // 100
        fee = min(max(self.minimum_fee_floor, share), self.minimum_fee_ceiling)
        return Micros(min(fee, reserved))

    @property
    def names(self) -> tuple[str, ...]:
        """What a caller may call it."""
        return (self.version, *self.version_aliases)


@dataclass(frozen=True)
class EventLimits:
    """The numbers of run events."""

    band_width: int = 1_000
    shards: int = 8
    stream_max_entries: int = 10_000
    # For so long a repeat is known: the state says which number was sent last.
    state_ttl_sec: int = 7_200
    # Events that a process could not publish and tries again; further ones push out the oldest, which become a gap.
    max_unsent_events: int = 1_000

    keep_alive_sec: float = 15
    retry_ms: int = 2_000
    # How long the streams may lag behind what a row or state key says before that is sent instead. An event that is
    # on its way arrives within milliseconds; one that was never published must not be waited for much longer.
    grace_sec: float = 1

    max_listeners: int = 4_000
    # A gateway goes on reading a shard for so long after its last listener has left.
    idle_shard_sec: int = 60
    # A listener that has not taken what was sent to it by then, or that fell this many events behind meanwhile.
    send_timeout_sec: float = 20
    max_lag_events: int = 256

    def __post_init__(self) -> None:
        assert self.grace_sec < self.keep_alive_sec
        assert self.max_lag_events < self.stream_max_entries


# What a plan may ask for, whatever the profile.
LONGEST_RETENTION_DAYS = 365

LOCKED = Profile()
LOCKED_EVENTS = EventLimits()


def load_profile(environ: Mapping[str, str]) -> Profile:
    """The locked profile, or a test's variant of it. An unknown name is refused."""
    overrides = environ.get("DPP_PROFILE_OVERRIDES")
    return replace(LOCKED, **json.loads(overrides)) if overrides else LOCKED


def load_events(environ: Mapping[str, str]) -> EventLimits:
    overrides = environ.get("DPP_EVENTS_OVERRIDES")
    return replace(LOCKED_EVENTS, **json.loads(overrides)) if overrides else LOCKED_EVENTS


def load_further_profiles(environ: Mapping[str, str]) -> tuple[Profile, ...]:
    """Versions served beside the locked one, as a test names them: their differences from it."""
    return tuple(replace(LOCKED, **values) for values in json.loads(environ.get("DPP_FURTHER_PROFILES", "[]")))


def by_name(profiles: Sequence[Profile]) -> Mapping[str, Profile]:
    """Every profile under each of its names. All count money alike: one ledger holds the runs of all of them."""
    found = {name: profile for profile in profiles for name in profile.names}
    assert len(found) == sum(len(profile.names) for profile in profiles), "two profiles have one name"
    assert len({profile.money for profile in profiles}) == 1, "one ledger, one way to count money"
    return MappingProxyType(found)


PROFILE = load_profile(os.environ)
# A version leaves this list when the last of its runs has expired.
PROFILES = by_name([PROFILE, *load_further_profiles(os.environ)])
EVENTS = load_events(os.environ)


def profile_of(name: str) -> Profile:
    """By its version, as a run has it, or by an alias, as a caller may name it."""
    return PROFILES[name]
