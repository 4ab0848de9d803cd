"""When a page first appeared and when it last changed, as the page itself says; never guessed from its text.

What is declared for machines goes first, then what stands behind a label (`등록일`, `Last updated`), then what the
library finds. A month without its day is no date: whoever fills the day in invents it.
"""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from htmldate import find_date
from lxml import etree, html

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<{{0}}>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<y>(?:19|20)\d\d)\s?[-./년]\s?(?P<m>\d{1,2})\s?[-./월]\s?(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d{1,3}\b)"),
    re.compile(rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH.format('n')},?\s+(?P<y>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(rf"{_MONTH.format('n')}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)", re.IGNORECASE),
    # Boards write the year with two digits, and the time behind it.
    re.compile(r"(?P<y>\d\d)[-.](?P<m>\d\d)[-.](?P<d>\d\d)(?=\s+\d\d:\d\d)"),
)
_PARTIAL = re.compile(r"\s*(?:19|20)\d\d(?:[-./]\d{1,2})?\s*")


@dataclass(frozen=True)
class _Marks:
    """How pages mark one of the two dates."""

    declared: str
    """The property of JSON-LD and of microdata."""
    meta: tuple[str, ...]
    classes: tuple[str, ...]
    label: re.Pattern[str]
    """In front of a date that is shown."""


_PUBLISHED = _Marks(
    "datePublished",
    (
        "article:published_time",
        "og:article:published_time",
        "datepublished",
        "govuk:first-published-at",
        "dcterms.created",
        "dcterms.issued",
        "dc.date.issued",
        "citation_date",
        "citation_online_date",
        "citation_publication_date",
        "prism.publicationdate",
        "parsely-pub-date",
        "sailthru.date",
    ),
    ("published", "entry-date"),
    re.compile(
        r"^\W*(?:(?:최초 ?|기사 ?)?(?:입력|등록|작성|게시|게재|발행|승인|공개)(?: ?(?:일시|일자|일|시간|날짜))?|"
        r"(?:first |originally )?(?:published|posted|submitted)(?: online)?(?: on)?)[\s:：|·.]*",
        re.IGNORECASE,
    ),
)
_MODIFIED = _Marks(
    "dateModified",
    (
        "article:modified_time",
        "og:article:modified_time",
        "og:updated_time",
        "datemodified",
        "govuk:public-updated-at",
        "govuk:updated-at",
        "dcterms.modified",
        "dc.date.modified",
        "last-modified",
    ),
    ("updated", "modified"),
    re.compile(
        r"^\W*(?:최종 ?)?(?:수정|갱신|업데이트)(?: ?(?:일시|일자|일|시간|날짜))?[\s:：|·.]*|"
        r"\b(?:last (?:updated?|revised|modified|edited|reviewed)|updated)(?: on| at)?[\s:]*",
        re.IGNORECASE,
    ),
)
_MAX_NODES = 20_000
_LABEL_NODE_CHARS = 200
# A date behind its label may stand in the next element.
_SHOWN = etree.XPath("//body//text()[normalize-space() and not(parent::script or parent::style or parent::template)]")
_WITH_ITEMPROP = etree.XPath("//*[@itemprop=$name]")
_TIMES = etree.XPath("//time[@class] | //abbr[@class and @title]")
_METAS = etree.XPath("//meta[(@property or @name) and @content]")


def dates_of(tree: html.HtmlElement, things: Iterable[Mapping[str, Any]]) -> tuple[str | None, str | None]:
    """First appearance and last change, as ISO dates. `things`: what the page declares to be about (JSON-LD)."""
    declared = list(things)
    metas = _metas(tree)
    shown = [str(node) for node in _SHOWN(tree)[:_MAX_NODES]]
    modified = _marked(tree, declared, metas, shown, _MODIFIED)
    published = _marked(tree, declared, metas, shown, _PUBLISHED)
    if published is None:
        found = find_date(_without_partial_dates(tree), extensive_search=False, original_date=True)
        # The only date of a page that calls it its last change is no date of publication.
        published = found if found != modified else None
    if modified is None and published is not None:
        found = find_date(_without_partial_dates(tree), extensive_search=False, original_date=False)
        modified = found if found != published else None
    if published is not None and modified is not None and modified < published:
        modified = None
    return published, modified


def _marked(
    tree: html.HtmlElement,
    declared: list[Mapping[str, Any]],
    metas: Mapping[str, str],
    shown: list[str],
    marks: _Marks,
) -> str | None:
    written = [thing.get(marks.declared) for thing in declared]
    written += [metas.get(name) for name in marks.meta]
    written += [_value(element) for element in _WITH_ITEMPROP(tree, name=marks.declared)]
    written += [_value(element) for element in _TIMES(tree) if set(marks.classes) & set(element.get("class").split())]
    dates = (_date_in(text) for text in written if isinstance(text, str))
    return next((date for date in dates if date is not None), None) or next(_labelled(shown, marks.label), None)


def _labelled(shown: list[str], label: re.Pattern[str]) -> Iterator[str]:
    for index, text in enumerate(shown):
        if len(text) > _LABEL_NODE_CHARS:
            continue
        found = label.search(text)
        if found is None:
            continue
        rest = text[found.end() :].strip() or (shown[index + 1].strip() if index + 1 < len(shown) else "")
        date = _date_in(rest, at_start=True)
        if date is not None:
            yield date


def _metas(tree: html.HtmlElement) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for meta in _METAS(tree):
        found.setdefault((meta.get("property") or meta.get("name")).lower(), meta.get("content"))
    return found


def _value(element: html.HtmlElement) -> str:
    return str(element.get("content") or element.get("datetime") or element.get("title") or element.text_content())[:80]


def _date_in(text: str, *, at_start: bool = False) -> str | None:
    """The first whole date of a short text."""
    for pattern in _DATES:
        found = pattern.match(text) if at_start else pattern.search(text[:80])
        if found is None:
            continue
        parts = found.groupdict()
        month = _MONTHS.index(parts["n"].lower()) + 1 if "n" in parts else int(parts["m"])
        year = int(parts["y"]) + (2_000 if len(parts["y"]) == 2 else 0)
        try:
            return datetime.date(year, month, int(parts["d"])).isoformat()
        except ValueError:
            continue
    return None


def _without_partial_dates(tree: html.HtmlElement) -> html.HtmlElement:
    """The library completes `2024/06` with a day of its own."""
    for meta in _METAS(tree):
        if _PARTIAL.fullmatch(meta.get("content")):
            meta.attrib.pop("content")
    return tree
