"""A page's title as its reader sees it: without the site's name that stands before or after it in the tab."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lxml import etree, html

_SEPARATOR = re.compile(r"\s+[|–—·•»«:<>-]+\s+|\s*[|»]\s*")
# What follows a heading in documentation: a link to itself.
_PERMALINK = re.compile(r"[\s¶#§\u200b\U0001f517]+$")
# Names of lists. Boards write them into the tab instead of the text's own title, or beside it.
_LIST_NAME = re.compile(
    r"(?:\S{1,10}(?:시|도|군|구|부|처|청|원|회|단|공사|교) )?"
    r"(?:공지(?:사항)?|새 ?소식|(?:보도|설명|참고|해명|홍보)[·/ ]?(?:설명|참고)? ?자료|알림(?:마당|소식)?|"
    r"고시[·/ ]?공고|(?:입찰|채용)? ?공고|자료실|(?:자유)? ?게시판|뉴스(?:룸)?|언론 ?보도|소식|"
    r"정책 ?(?:뉴스|자료)|행사|질의 ?응답|묻고 ?답하기|"
    r"notices?|news(?:room)?|press releases?|announcements?|(?:bulletin )?board|home|untitled(?: document)?)"
    r"(?: ?(?:상세|보기|목록|조회|내용|게시판|view|details?|list|page))*|(?:상세|글) ?보기|view|details?",
    re.IGNORECASE,
)
_TITLE_CLASS = re.compile(r"(?:^|[\s_-])(?:tit|title|subject|sbj|headline)(?:$|[\s_-])", re.IGNORECASE)
_TITLE_CELL = re.compile(r"제\s*목|title|subject", re.IGNORECASE)
_MAX_TITLE_CHARS = 200
# Of what a hostile page gives for a title or as headings, no more is looked at.
_MAX_DECLARED_CHARS = 1_000
_MAX_HEADINGS = 200
_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
_ENTRY_CLASS = re.compile(r"view|bbs|board|article|post", re.IGNORECASE)
_MARKABLE = etree.XPath(
    "//body//*[(self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::p or self::strong or self::div"
    " or self::span or self::td or self::dt) and not(ancestor::nav or ancestor::aside or ancestor::footer)]"
)
_CELLS_BESIDE = etree.XPath("//th[following-sibling::td] | //dt[following-sibling::dd]")


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
    candidates = [title for title in (_tidy(text[:_MAX_DECLARED_CHARS]) for text in declared) if title]
    if not candidates:
        return _tidy(found)
    names = {_compared(name) for name in site_names} - {""}
    title = _heading(tree, candidates, names) or _without_site(candidates[0], names, candidates)
    title = _without_list(title)
    names_a_list = any(_LIST_NAME.fullmatch(_parts(candidate)[0]) for candidate in candidates)
    if names_a_list and (_compared(title) in names or _LIST_NAME.fullmatch(_parts(title)[0])):
        return next(_marked_titles(tree, names), title)
    return title


def _heading(tree: html.HtmlElement, candidates: list[str], names: set[str]) -> str | None:
    """The heading that a declared title consists of, but for the names around it."""
    headings = [
        (element, _PERMALINK.sub("", _tidy(element.text_content()))) for element in _HEADINGS(tree)[:_MAX_HEADINGS]
    ]
    own = [(element, text) for element, text in headings if text and _compared(text) not in names]
    for element, text in own:
        if element.tag == "h1" and any(_is_most_of(text, title) for title in candidates):
            return text
    for element, text in own:
        if not _leads_home(element) and any(_compared(text) == _compared(_parts(title)[0]) for title in candidates):
            return text
    return None


def _is_most_of(heading: str, title: str) -> bool:
    """The heading, with nothing or only a site's name around it."""
    return _compared(heading) in _compared(title) and 2 * len(heading) >= len(title)


def _leads_home(heading: html.HtmlElement) -> bool:
    """As the name of the site does, on every page of it."""
    return any(re.fullmatch(r"(?:https?://[^/]+)?/?(?:index\.\w+)?", link) for link in heading.xpath(".//a/@href"))


def _marked_titles(tree: html.HtmlElement, names: set[str]) -> Iterator[str]:
    """What a board marks as the title of an entry, by the name of its style or by the cell beside it."""
    marked = [element for element in _MARKABLE(tree) if _is_marked_as_title(element)]
    cells = [cell.getnext() for cell in _CELLS_BESIDE(tree) if _TITLE_CELL.fullmatch(_tidy(cell.text_content()))]
    for element in [*cells, *marked]:
        text = "" if element is None else _tidy(element.text_content())
        if 4 <= len(text) <= _MAX_TITLE_CHARS and not _LIST_NAME.fullmatch(text) and _compared(text) not in names:
            yield text


def _is_marked_as_title(element: html.HtmlElement) -> bool:
    if _TITLE_CLASS.search(_style_names(element)):
        return True
    parent = element.getparent()
    return str(element.tag).startswith("h") and parent is not None and bool(_ENTRY_CLASS.search(_style_names(parent)))


def _style_names(element: html.HtmlElement) -> str:
    return f"{element.get('class', '')} {element.get('id', '')}"


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


def _without_list(title: str) -> str:
    """`단수 안내 > 공지사항`: the list that the text stands in, and whatever follows it."""
    parts = _parts(title)
    listed = next((number for number, part in enumerate(parts) if number and _LIST_NAME.fullmatch(part)), None)
    return title if listed is None else title[: list(_SEPARATOR.finditer(title))[listed - 1].start()]


def _parts(title: str) -> list[str]:
    return _SEPARATOR.split(title)


def _compared(text: str) -> str:
    return "".join(text.casefold().split())


def _tidy(text: str) -> str:
    return " ".join(text.split())
