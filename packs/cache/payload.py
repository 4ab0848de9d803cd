"""A fetched document as the payload of an entry, and back. Packed: most pages shrink to a fifth."""

import base64
import binascii
import zlib
from datetime import datetime

from packs.base import JsonObject
from packs.cache.envelope import CacheEnvelope
from packs.fetch import Document


def to_payload(document: Document) -> JsonObject:
    return {
        "final_url": document.final_url,
        "status_code": document.status_code,
        "content_type": document.content_type,
        "body": base64.b64encode(zlib.compress(document.body)).decode("ascii"),
        "truncated": document.truncated,
        "fetched_at": document.fetched_at.isoformat(),
        "hops": document.hops,
        "retry_after_sec": document.retry_after_sec,
    }


def to_document(envelope: CacheEnvelope, *, url: str) -> Document | None:
    """As an answer to `url`, whose fragment is no part of the key. None if an older version of this
    code wrote something else."""
    payload = envelope.payload
    try:
        return Document(
            url=url,
            final_url=payload["final_url"],
            status_code=payload["status_code"],
            content_type=payload["content_type"],
            body=zlib.decompress(base64.b64decode(payload["body"], validate=True)),
            truncated=payload["truncated"],
            fetched_at=datetime.fromisoformat(payload["fetched_at"]),
            hops=payload["hops"],
            retry_after_sec=payload.get("retry_after_sec"),
        )
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error):
        return None
