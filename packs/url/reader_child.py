"""What the confined process does with a document: its text and what is known about it, or why there is none."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from packs.url.page import Unreadable
from packs.url.reading import read_page


def answers(request: dict[str, Any], read: Callable[[int], bytes]) -> Iterator[dict[str, Any]]:
    body = read(request["bytes"])
    try:
        page = read_page(body, request["content_type"], markdown=request["markdown"])
        yield {**asdict(page), "signals": sorted(page.signals)}
    except Unreadable as unreadable:
        yield {"unreadable": str(unreadable)}
    except Exception:  # whatever a stranger's file makes a library raise, the next file must still be read
        yield {"unreadable": "The document could not be read."}
