"""Names of entries: the canonical hash of everything that changes the answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from dpp_project.canonical import canonical_sha256
from dpp_project.profile import PROFILE
from packs.fetch import FetchPolicy
from packs.fetch.url import ParsedUrl

Flag = str | int | bool


# Whose the copies are that the platform downloads by its own list. No tenant's id begins so.
PINNED = "_pinned"


@dataclass(frozen=True)
class CacheKey:
    digest: str
    tenant_id: str
    """Whose entry it is. No entry is shared: a copy tells that, and when, somebody had it fetched."""


def document_key(url: ParsedUrl, *, tenant_id: str, max_hops: int, policy: Mapping[str, Flag]) -> CacheKey:
    """The URL exactly as it is requested: `/page` and `/page/` are two documents, only the site knows whether they
    are the same."""
    return _key("document", {"url": str(url)}, {"max_hops": max_hops, **policy}, tenant_id)


def refusal_key(document: CacheKey) -> CacheKey:
    """Beside a document: what its site refused a moment ago. An entry of its own, so that the last good copy stays."""
    return _key("refusal", {"document": document.digest}, {}, document.tenant_id)


def page_key(content: str, *, tenant_id: str) -> CacheKey:
    """An OCR page: always the tenant's own. `content` is the pack's hash of the file, the page and all that changes
    what is read from it."""
    return _key("page", {"content": content}, {}, tenant_id)


def answer_key(fingerprint: str, *, tenant_id: str) -> CacheKey:
    """A checked answer of the language model: always the tenant's own, like the words it was made from."""
    return _key("model_answer", {"fingerprint": fingerprint}, {}, tenant_id)


def policy_flags(policy: FetchPolicy) -> dict[str, Flag]:
    """What of the operator's policy decides whether a document is fetched, and which one: after a change of the
    deny list nothing is served that was fetched before it."""
    return {
        "allow_http": policy.allow_http,
        "ports": " ".join(str(port) for port in sorted(policy.ports)),
        "allow_hosts": " ".join(sorted(policy.allow_hosts)),
        "deny_hosts": " ".join(sorted(policy.deny_hosts)),
        "deny_networks": " ".join(sorted(str(network) for network in policy.deny_networks)),
        "max_body_bytes": policy.max_body_bytes,
        "user_agent": policy.user_agent,
    }


def _key(kind: str, subject: Mapping[str, Flag], flags: Mapping[str, Flag], tenant_id: str) -> CacheKey:
    digest = canonical_sha256(
        {
            "kind": kind,
            "subject": dict(subject),
            "profile_version": PROFILE.version,
            "flags": dict(flags),
            "tenant": tenant_id,
        }
    )
    return CacheKey(digest, tenant_id)
