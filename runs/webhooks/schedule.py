"""When a message that did not arrive is sent again."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from dpp_project.profile import PROFILE


def wait_sec(attempts: int, retry_after: str | None, *, now: datetime) -> float | None:
    """From the end of this failed attempt to the next; None: it was the last one.

    Spread a little, so that messages that failed together do not come back together. A receiver may ask for a longer
    wait (`Retry-After`), never for a shorter one.
    """
    if attempts >= len(PROFILE.webhook_delays_sec):
        return None
    spread = PROFILE.webhook_jitter_percent / 100
    planned = PROFILE.webhook_delays_sec[attempts] * random.uniform(1 - spread, 1 + spread)  # noqa: S311
    return max(planned, min(_asked_sec(retry_after, now), PROFILE.webhook_retry_after_max_sec))


def _asked_sec(text: str | None, now: datetime) -> float:
    """Of a `Retry-After` header: seconds, or a date. What cannot be read asks for nothing."""
    if not text:
        return 0
    if text.isascii() and text.isdigit():
        return int(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds())
