"""Documents of the platform's own list, downloaded ahead of any run and kept for every tenant.

That such a copy is there tells nothing of anybody: the platform fetched it, by a list and at times of its own.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import connections

from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from packs.fetch import Document, FailedCode, FetchBlocked, FetchFailed
from packs.fetch.exceptions import UrlRefused
from packs.fetch.url import parse_url
from runs.documents.fetch_once import FetchOnce

log = logging.getLogger("dpp.documents")

MAX_DOCUMENTS = 500
_AT_ONCE = 8
# A site that is much asked for is busy when its documents are warmed. Each try waits for a place like any download.
_TRIES = 3


@dataclass(frozen=True)
class Warmed:
    url: str
    size: int
    problem: str | None
    """Why it was not kept."""


def warm(documents: FetchOnce, urls: list[str]) -> list[Warmed]:
    """In the order of the list. What fails does not stop the others; documents of one site wait for each other."""
    places: Mapping[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(documents.at_once_per_host))
    places_of = {url: places[_host(url)] for url in urls}

    def one(url: str) -> Warmed:
        try:
            with places_of[url]:
                return _warm_one(documents, url)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        warmed = list(pool.map(one, urls))
    kept = sum(each.problem is None for each in warmed)
    log.info("documents_warmed", extra=fields(asked=len(urls), kept=kept))
    return warmed


def _warm_one(documents: FetchOnce, url: str) -> Warmed:
    try:
        document, kept = _pinned(documents, url)
    except (FetchBlocked, UrlRefused) as refused:
        return Warmed(url, 0, refused.refusal.detail)
    except FetchFailed as failed:
        return Warmed(url, 0, failed.detail)
    if not 200 <= document.status_code <= 299:
        return Warmed(url, 0, f"The site answered with status {document.status_code}.")
    return Warmed(url, len(document.body), None if kept else "It is no page or file of its kind, or the cache is full.")


def _pinned(documents: FetchOnce, url: str) -> tuple[Document, bool]:
    for tries_left in reversed(range(_TRIES)):
        try:
            return documents.pin(url, timeout_sec=PROFILE.fetch_timeout_sec, max_hops=PROFILE.fetch_redirect_max_hops)
        except FetchFailed as failed:
            if not tries_left or failed.code is not FailedCode.HOST_BUSY:
                raise
    raise AssertionError("the last try returns or raises")


def _host(url: str) -> str:
    """Of a line that is no URL: the line. The fetcher says what is wrong with it."""
    try:
        return parse_url(url).host.name
    except UrlRefused:
        return url
