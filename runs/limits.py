"""How much a tenant may ask for: polls, submits and replays a minute, live runs at once.

The order at the door is the contract's: who are you -> is it a replay -> rate -> concurrency -> money. A `Gate`
belongs to one request and remembers what its caller is told in the `X-RateLimit-*` headers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpp_project.metrics import LIMITED
from dpp_project.profile import PROFILE
from runs import buckets
from runs.buckets import Answer, Verdict
from runs.models import Tenant

_REPLAYS_PER_POLL = PROFILE.replay_rate_per_min // PROFILE.poll_rate_per_min


class RateLimited(Exception):
    """Too many requests of this kind within a minute."""


class TooManyRuns(Exception):
    """As many runs as the tenant may have at once are live."""


class _Bucket(StrEnum):
    POLLS = "polls"
    SUBMITS = "submits"
    REPLAYS = "replays"
    FAILED_LOGINS = "failed_logins"


@dataclass(frozen=True)
class Terms:
    bucket: str
    rate: int
    """Submits a minute."""
    max_live_runs: int


class Gate:
    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant
        self.verdict: Verdict | None = None

    def poll(self) -> None:
        """Anything but a submit: reading, listing, cancelling. Counted once a request, here or by `ask_to_poll`."""
        self._pass(_Bucket.POLLS, self.verdict or buckets.take(*self.polls))

    @property
    def polls(self) -> tuple[str, int]:
        """The bucket and its rate."""
        return self._name(_Bucket.POLLS), self._poll_rate

    def replay(self) -> None:
        """A submit whose key is known. In a bucket of its own: a retry is answered when nothing else is."""
        self._pass(_Bucket.REPLAYS, buckets.take(self._name(_Bucket.REPLAYS), self._poll_rate * _REPLAYS_PER_POLL))

    def terms(self) -> Terms:
        """What a fresh run must fit in: rate, then concurrency. Asked by the door, together with everything else."""
        return Terms(
            bucket=self._name(_Bucket.SUBMITS),
            rate=self._submit_rate,
            max_live_runs=_or(self._tenant.max_concurrent_runs, PROFILE.max_concurrent_runs),
        )

    def submit(self, verdict: Verdict) -> None:
        """What the door was told about a fresh run."""
        self._pass(_Bucket.SUBMITS, verdict)

    def refused_submit(self) -> None:
        """A submit that did not get as far as its key: it counts as one, or bad requests would be free."""
        self._pass(_Bucket.SUBMITS, buckets.take(self._name(_Bucket.SUBMITS), self._submit_rate))

    def glance(self) -> Verdict:
        """What to tell a caller whose request ended before any limit was asked."""
        return self.verdict or buckets.take(self._name(_Bucket.SUBMITS), self._submit_rate, cost=0)

    def _pass(self, bucket: _Bucket, verdict: Verdict) -> None:
        self.verdict = verdict
        _raise_if_limited(bucket, verdict)

    def _name(self, bucket: _Bucket) -> str:
        return f"limit:{self._tenant.pk}:{bucket}"

    @property
    def _poll_rate(self) -> int:
        return _or(self._tenant.poll_rate_per_min, PROFILE.poll_rate_per_min)

    @property
    def _submit_rate(self) -> int:
        return _or(self._tenant.submit_rate_per_min, PROFILE.submit_rate_per_min)


def ask_to_poll(gates: Sequence[Gate]) -> None:
    """Count a poll at each gate, all in one call. Refuses nobody: each gate has its verdict afterwards."""
    for gate, verdict in zip(gates, buckets.take_each([gate.polls for gate in gates]), strict=True):
        gate.verdict = verdict


def login_failed(address: str) -> None:
    """Count a failed authentication; raises `RateLimited` once there were too many from this address."""
    verdict = buckets.take(_logins(address), PROFILE.auth_failure_rate_per_min)
    _raise_if_limited(_Bucket.FAILED_LOGINS, verdict)


def logins_are_limited(address: str) -> bool:
    """Whether this address has used up its failures. Takes nothing."""
    verdict = buckets.take(_logins(address), PROFILE.auth_failure_rate_per_min, cost=0)
    return verdict.answer == Answer.RATE


def _logins(address: str) -> str:
    return f"limit:{_Bucket.FAILED_LOGINS}:{address}"


def _raise_if_limited(bucket: _Bucket, verdict: Verdict) -> None:
    if verdict.answer != Answer.OK:
        LIMITED.labels(limit="live_runs" if verdict.answer == Answer.CONCURRENCY else bucket).inc()
        raise TooManyRuns if verdict.answer == Answer.CONCURRENCY else RateLimited


def _or(override: int | None, default: int) -> int:
    return default if override is None else override
