"""The SmartFetcher and its parts. Used by the packs that read the web; knows none of them."""

from packs.fetch.document import BeforeHop, Document, Fetcher
from packs.fetch.exceptions import BlockedCode, FailedCode, FetchBlocked, FetchError, FetchFailed, Refusal
from packs.fetch.exchange import Head
from packs.fetch.fetcher import SmartFetcher
from packs.fetch.policy import FetchPolicy, refuse_literal

__all__ = [
    "BeforeHop",
    "BlockedCode",
    "Document",
    "FailedCode",
    "FetchBlocked",
    "FetchError",
    "FetchFailed",
    "FetchPolicy",
    "Fetcher",
    "Head",
    "Refusal",
    "SmartFetcher",
    "refuse_literal",
]
