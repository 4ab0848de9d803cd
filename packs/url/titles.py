"""A page's title as its reader sees it: without the site's name that stands before or after it in the tab."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import html

_SEPARATOR = re.compile(r"\s+[|–—·•»«:<>-]+\s+|\s*[|»]\s*")


def exact_title(
    tree: html.HtmlElement, things: Iterable[Mapping[str, Any]], found: str, site_names: Iterable[str]
) -> str:
    """`found` is what the reading library takes for it, for a page that declares none; `site_names` are the
    publisher's."""
    declared = [name for thing in things if isinstance(name := thing.get("headline"), str)]
    declared += [
        str(tree.xpath("string(//meta[@property='og:title']/@content)")),
        tree.findtext(".//title") or "",
    ]
    candidates = [title for title in map(_tidy, declared) if title]
    if not candidates:
        return _tidy(found)
    names = {_compared(name) for name in site_names} - {""}
    for heading in (_tidy(element.text_content()) for element in tree.xpath("//h1")):
        if heading and _compared(heading) not in names and any(_is_most_of(heading, title) for title in candidates):
            return heading
    return _without_site(candidates[0], names, candidates)


def _is_most_of(heading: str, title: str) -> bool:
    """The heading, with nothing or only a site's name around it."""
    return _compared(heading) in _compared(title) and 2 * len(heading) >= len(title)


def _without_site(title: str, names: set[str], candidates: list[str]) -> str:
    """A part at either end goes if it is the site's name, or if the page elsewhere gives the title without it."""
    others = {_compared(candidate) for candidate in candidates if candidate != title}
    for mark in _SEPARATOR.finditer(title):
        before, after = title[: mark.start()], title[mark.end() :]
        if before and (_compared(after) in names or _compared(before) in others):
            return before
        if after and (_compared(before) in names or _compared(after) in others):
            return after
    return title


def _compared(text: str) -> str:
    return "".join(text.casefold().split())


def _tidy(text: str) -> str:
    return " ".join(text.split())
