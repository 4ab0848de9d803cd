"""What the confined process does with a document: its text and what is known about it, or why there is none."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from packs.url.page import Unreadable
from packs.url.reading import read_page

# Of our own words: what reads it has loaded its patterns and tables before the first stranger's page comes.
_OWN_PAGE = b"""<!doctype html><html lang="ko"><head><meta charset="utf-8"><title>Notice</title>
<meta property="article:published_time" content="2025-01-02"></head><body><article><h1>Notice</h1>
<p>This is a page of the platform itself, in a few sentences. It says nothing, and nobody is shown it.</p>
<p>It was written on 2 January 2025, has a <a href="/more">link</a>, and ends here, after a second paragraph.</p>
</article></body></html>"""


def prepare() -> None:
    read_page(_OWN_PAGE, "text/html")


def answers(request: dict[str, Any], read: Callable[[int], bytes]) -> Iterator[dict[str, Any]]:
    body = read(request["bytes"])
    try:
        page = read_page(body, request["content_type"], markdown=request["markdown"])
        yield {**asdict(page), "signals": sorted(page.signals)}
    except Unreadable as unreadable:
        yield {"unreadable": str(unreadable)}
    except Exception:  # whatever a stranger's file makes a library raise, the next file must still be read
        yield {"unreadable": "The document could not be read."}
