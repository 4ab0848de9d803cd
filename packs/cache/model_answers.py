"""Checked answers of the language model in the levels: `services["model_answers"]`. Never shared by tenants."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from packs.cache.entry_keys import answer_key
from packs.cache.envelope import Seal
from packs.cache.levels import Layers
from packs.cache.limits import CacheLimits


@dataclass(frozen=True)
class ModelAnswerCache:
    """`fingerprint` is the hash of everything that makes the answer: model, task, schema and data."""

    layers: Layers
    seal: Seal
    limits: CacheLimits
    now: Callable[[], datetime]

    def find(self, fingerprint: str, *, tenant_id: str) -> str | None:
        now = self.now()
        found = self.layers.find(answer_key(fingerprint, tenant_id=tenant_id), now=now)
        if found is None or not found.is_fresh(now):
            return None
        text = found.payload.get("text")
        return text if isinstance(text, str) else None

    def keep(self, fingerprint: str, text: str, *, tenant_id: str) -> None:
        key, now = answer_key(fingerprint, tenant_id=tenant_id), self.now()
        kept_sec = self.limits.answer_ttl_sec
        envelope = self.seal.sealed(key.digest, {"text": text}, created_at=now, ttl_sec=kept_sec)
        self.layers.put(key, envelope, now=now, kept_sec=kept_sec)
