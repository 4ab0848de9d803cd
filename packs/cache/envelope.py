"""A cache entry: a payload with its key, its age and a signature. A wrong signature is a miss.

The signature is keyed. A plain hash would only find damage; this also finds an entry that somebody else wrote into a
shared Redis or bucket, or moved from one key to another.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from dpp_project.canonical import NotCanonical, canonical_bytes
from packs.base import JsonObject

SIGNATURE = "hmac_sha256"


class Source(StrEnum):
    """Where an answer came from, as it is reported and charged."""

    L1 = "L1"
    L2 = "L2"
    L3 = "L3"
    MISS = "MISS"


@dataclass(frozen=True)
class CacheEnvelope:
    cache_key: str
    created_at: datetime
    ttl_sec: int
    payload: JsonObject
    source: Source
    signatures: Mapping[str, str]

    def age_sec(self, now: datetime) -> float:
        # Clocks of workers differ: an entry from the future is as old as one of this moment, no younger.
        return max(0.0, (now - self.created_at).total_seconds())

    def is_fresh(self, now: datetime) -> bool:
        return self.age_sec(now) < self.ttl_sec

    def found_in(self, source: Source) -> "CacheEnvelope":
        return replace(self, source=source)


class Seal:
    """Signs entries and reads them back. One per installation, from its secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = hashlib.sha256(b"dpp.cache.v1\0" + secret).digest()

    def sealed(self, cache_key: str, payload: JsonObject, *, created_at: datetime, ttl_sec: int) -> CacheEnvelope:
        envelope = CacheEnvelope(cache_key, created_at, ttl_sec, payload, Source.MISS, {})
        return replace(envelope, signatures={SIGNATURE: self._signature(_unsigned(envelope))})

    def write(self, envelope: CacheEnvelope) -> bytes:
        return canonical_bytes({**_unsigned(envelope), "signatures": dict(envelope.signatures)})

    def read(self, data: str | bytes, *, cache_key: str, source: Source) -> CacheEnvelope | None:
        """The entry, or None for whatever is not exactly what we wrote under this key."""
        try:
            document = json.loads(data)
            signature = document.pop("signatures")[SIGNATURE]
            if document["cache_key"] != cache_key or not hmac.compare_digest(signature, self._signature(document)):
                return None
            return CacheEnvelope(
                cache_key=cache_key,
                created_at=datetime.fromisoformat(document["created_at"]),
                ttl_sec=document["ttl_sec"],
                payload=document["payload"],
                source=source,
                signatures={SIGNATURE: signature},
            )
        except (ValueError, TypeError, KeyError, AttributeError, NotCanonical, RecursionError):
            return None

    def _signature(self, unsigned: JsonObject) -> str:
        return hmac.new(self._secret, canonical_bytes(unsigned), hashlib.sha256).hexdigest()


def _unsigned(envelope: CacheEnvelope) -> JsonObject:
    """What is signed. An entry is a miss to whoever stores it; where it is found later is not its own to say."""
    return {
        "cache_key": envelope.cache_key,
        "created_at": envelope.created_at.isoformat(),
        "ttl_sec": envelope.ttl_sec,
        "payload": envelope.payload,
        "source": str(Source.MISS),
    }
