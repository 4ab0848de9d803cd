"""What a run may cost, before it is paid for: computed from its inputs, signed, good for fifteen minutes.

A quote is not stored. Its id carries the tenant, what it is for, the prices and the expiry, signed with the key that
signs results: whoever gives it back gets these prices.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from dpp_project import signing
from dpp_project.canonical import canonical_bytes, canonical_sha256
from dpp_project.clock import instant
from dpp_project.money import Micros
from dpp_project.prices import LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN, REPORT
from dpp_project.profile import PROFILE
from packs.base import Estimate, Pack
from runs.exceptions import BadQuote
from runs.lifecycle.price_list import cost_of, price_list
from runs.lifecycle.request import RunRequest

# A question to a model and its one repair.
_TRIES_PER_MODEL_CALL = 2
# Instructions and schema that go with every question.
_PROMPT_TOKENS = 2_000


@dataclass(frozen=True)
class QuotedItem:
    item: str
    unit_price: Micros
    least: int
    likely: int
    worst: int


@dataclass(frozen=True)
class Quote:
    quote_id: str
    expires_at: datetime
    items: tuple[QuotedItem, ...]
    least: Micros
    likely: Micros
    worst: Micros
    left_out: Mapping[str, int]
    """Of the likely items: how many the request's own limit would leave out."""


def quote(tenant_id: str, pack: Pack, request: RunRequest, *, now: datetime) -> Quote:
    prices = price_list()
    expected = _with_reports_and_model(pack.estimate(request.inputs), request)
    names = [item for item in (*pack.prices, REPORT) if expected.worst.get(item) or expected.least.get(item)]
    items = tuple(
        QuotedItem(
            item,
            prices[item],
            expected.least.get(item, 0),
            expected.likely.get(item, 0),
            expected.worst.get(item, 0),
        )
        for item in names
    )
    expires_at = now + timedelta(seconds=PROFILE.quote_ttl_sec)
    return Quote(
        quote_id=_signed(
            {
                "tenant_id": tenant_id,
                "subject": _subject(request),
                "prices": {item.item: int(item.unit_price) for item in items},
                "expires_at": instant(expires_at),
            }
        ),
        expires_at=expires_at,
        items=items,
        least=cost_of(expected.least, prices),
        likely=cost_of(expected.likely, prices),
        worst=cost_of(expected.worst, prices),
        left_out=_beyond(request.max_cost, expected.likely, prices),
    )


@dataclass(frozen=True)
class BoundPrices:
    prices: Mapping[str, Micros]
    is_expired: bool


def bound_prices(quote_id: str, tenant_id: str, request: RunRequest, *, now: datetime) -> BoundPrices:
    """What the quote promised. Raises `BadQuote` for one that is not ours, not this tenant's or for something else."""
    promised = _verified(quote_id)
    if promised is None or promised["tenant_id"] != tenant_id:
        raise BadQuote("is not a quote of this service for this tenant")
    if promised["subject"] != _subject(request):
        raise BadQuote("was given for another pack, other inputs or other reports")
    prices = {item: Micros(amount) for item, amount in promised["prices"].items()}
    return BoundPrices(prices, is_expired=promised["expires_at"] < instant(now))


def _with_reports_and_model(estimate: Estimate, request: RunRequest) -> Estimate:
    reports = {REPORT: request.include_markdown + request.include_docx}
    calls = estimate.model_calls if settings.LLM_BASE_URL else 0
    # Not looked at without need: it is a second copy of what may be 16 MiB.
    size = len(request.canonical) if calls else 0
    likely_tokens = {
        LLM_INPUT_TOKEN: calls * min(_PROMPT_TOKENS + size // 3, settings.LLM_MAX_INPUT_BYTES),
        LLM_OUTPUT_TOKEN: calls * settings.LLM_MAX_OUTPUT_TOKENS // 2,
    }
    most_tokens = {
        LLM_INPUT_TOKEN: calls * _TRIES_PER_MODEL_CALL * settings.LLM_MAX_INPUT_BYTES,
        LLM_OUTPUT_TOKEN: calls * _TRIES_PER_MODEL_CALL * settings.LLM_MAX_OUTPUT_TOKENS,
    }
    return Estimate(
        least={**estimate.least, **reports},
        likely={**estimate.likely, **reports, **likely_tokens},
        worst={**estimate.worst, **reports, **most_tokens},
    )


def _beyond(limit: Micros, items: Mapping[str, int], prices: Mapping[str, Micros]) -> dict[str, int]:
    """What the limit does not reach, one item after the other; reports are set aside first, as the worker does."""
    left = limit - prices[REPORT] * items.get(REPORT, 0)
    beyond = {}
    for item, quantity in items.items():
        if item == REPORT or not quantity:
            continue
        affordable = min(quantity, max(left, 0) // prices[item]) if prices[item] else quantity
        left -= affordable * prices[item]
        if affordable < quantity:
            beyond[item] = quantity - affordable
    return beyond


def _subject(request: RunRequest) -> str:
    """What a quote is for: everything that changes the price."""
    meaning = request.meaning()
    return canonical_sha256({name: meaning[name] for name in ("pack_type", "inputs", "artifacts")})


def _signed(promise: dict[str, object]) -> str:
    body = canonical_bytes(promise)
    signature = signing.sign(body)
    return ".".join(map(_base64url, (body, signature.key_id.encode(), base64.b64decode(signature.ed25519))))


def _verified(quote_id: str) -> dict[str, Any] | None:
    try:
        body, key_id, signature = (base64.urlsafe_b64decode(part + "==") for part in quote_id.split("."))
        if not signing.is_signed(body, base64.b64encode(signature).decode(), key_id.decode()):
            return None
        promised = json.loads(body)
    except ValueError:
        return None
    # What the key signs besides quotes are envelopes, which promise nothing.
    return promised if isinstance(promised, dict) and promised.keys() == _PROMISE else None


_PROMISE = {"tenant_id", "subject", "prices", "expires_at"}


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
