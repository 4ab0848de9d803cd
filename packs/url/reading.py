"""From bytes to a page: HTML by trafilatura, PDF by PDFium, plain text as it is.

Runs in the reading process only: what comes in is a stranger's file, and libraries that parse such files can
be made to run for minutes or to crash.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import trafilatura
from htmldate import find_date
from lxml import etree, html

from packs.url.charset import decode
from packs.url.page import Page, Unreadable
from packs.url.page_signals import organisations, signals_of
from packs.url.titles import exact_title

MAX_TEXT_CHARS = 200_000
MAX_PDF_PAGES = 60
MIN_TEXT_CHARS = 40
# A page that is long enough to be an article is not a login form, whatever stands in its margin.
BARRIER_TEXT_CHARS = 1_500
# Above this an article was read: a password field beside it belongs to the page's own menu.
ARTICLE_TEXT_CHARS = 200

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset({"application/json", "application/ld+json", "application/xml", "application/yaml"})
_LOOKS_LIKE_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)", re.IGNORECASE | re.DOTALL)
_BOT_WALL_WORDS = re.compile(
    r"checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|unusual traffic|"
    r"enable javascript and cookies to continue|complete the (?:captcha|security check)|"
    r"로봇이 아닙니다|비정상적인 (?:접근|접속|트래픽)|자동 ?(?:등록|입력) ?방지",
    re.IGNORECASE,
)
_CONSENT_WALL_WORDS = re.compile(
    r"before you continue to|(?:accept|agree to) (?:all )?(?:the use of )?cookies (?:to|and) continue|"
    r"we value your privacy|쿠키 (?:사용|수집)에 동의(?:해야|하셔야|하고)",
    re.IGNORECASE,
)
_PAYWALL_WORDS = re.compile(
    r"subscri(?:be|ption) (?:now )?(?:to|is required to) (?:continue|read|unlock)|subscribers? only|"
    r"for subscribers|유료\s*(?:회원|기사|구독)|구독자\s*전용|구독\s*후\s*(?:이용|열람)|"
    r"프리미엄\s*(?:회원|기사)\s*전용",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile(
    r"(?:log|sign) ?in to (?:continue|read|view)|로그인\s*(?:후|이\s*필요|하셔야|해야)|회원\s*전용",
    re.IGNORECASE,
)
_HANGUL, _KANA, _HAN, _LATIN = (re.compile(f"[{span}]") for span in ("가-힣", "ぁ-ヿ", "一-鿿", "A-Za-z"))


def read_page(body: bytes, content_type: str, *, markdown: bool = False) -> Page:
    """Raises `Unreadable`."""
    reader = _reader(body, content_type)
    page = reader(body, content_type)
    if markdown:
        page = replace(page, markdown=_markdown(body, content_type) if reader is _read_html else page.text)
    if len(page.text) < MIN_TEXT_CHARS and page.barrier is None:
        raise Unreadable("The document holds hardly any text.")
    return page


def _reader(body: bytes, content_type: str) -> Callable[[bytes, str], Page]:
    media_type = content_type.partition(";")[0].strip().lower()
    if body.startswith(b"%PDF-"):
        return _read_pdf
    if media_type in _HTML_TYPES or (media_type in ("", "text/plain") and _LOOKS_LIKE_HTML.match(body[:1_024])):
        return _read_html
    if media_type in _TEXT_TYPES or media_type.startswith("text/") or (not media_type and b"\0" not in body):
        return _read_text
    raise Unreadable("The document is neither HTML nor text nor PDF.")


def _read_html(body: bytes, content_type: str) -> Page:
    source = decode(body, content_type)
    tree = _tree(source)
    found = trafilatura.bare_extraction(
        source,
        with_metadata=True,
        include_comments=False,
        # A date must be declared; a year somewhere in the text is not the page's date.
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    text = "" if found is None or isinstance(found, dict) else found.text or ""
    title = "" if found is None or isinstance(found, dict) else found.title or ""
    published = None if found is None or isinstance(found, dict) else found.date
    author = None if found is None or isinstance(found, dict) else found.author
    text, cut = _tidy(text or trafilatura.html2txt(source))
    things = list(_declared_things(tree))
    return Page(
        title=_one_line(exact_title(tree, things, title, organisations(tree, things))),
        text=text,
        published=published,
        language=_declared_language(tree) or language_of(text),
        barrier=_barrier(tree, text),
        cut=cut,
        modified=find_date(tree, extensive_search=False, original_date=False),
        signals=signals_of(tree, text, things, author=author, published=published),
    )


def _markdown(body: bytes, content_type: str) -> str:
    """The main text with its headings, lists, tables and links."""
    found = trafilatura.extract(
        decode(body, content_type),
        output_format="markdown",
        include_comments=False,
        include_links=True,
        include_tables=True,
        include_formatting=True,
    )
    return (found or "").replace("\0", "")[:MAX_TEXT_CHARS]


def _read_text(body: bytes, content_type: str) -> Page:
    text, cut = _tidy(decode(body, content_type))
    return Page(_one_line(text.partition("\n")[0]), text, None, language_of(text), None, cut)


def _read_pdf(body: bytes, _: str) -> Page:
    try:
        document = pypdfium2.PdfDocument(body)
        pages = [
            document[number].get_textpage().get_text_bounded() for number in range(min(len(document), MAX_PDF_PAGES))
        ]
        more_pages = len(document) > MAX_PDF_PAGES
        title, created = (str(document.get_metadata_value(name)) for name in ("Title", "CreationDate"))
    except pypdfium2.PdfiumError as error:
        raise Unreadable("The PDF is damaged or protected by a password.") from error
    text, cut = _tidy("\n".join(pages))
    if not text:
        raise Unreadable("The PDF holds no text, only pictures; the ocr pack reads those.")
    return Page(
        title=_one_line(title or text.partition("\n")[0]),
        text=text,
        published=_pdf_date(created),
        language=language_of(text),
        barrier=None,
        cut=cut or more_pages,
    )


def _pdf_date(text: str) -> str | None:
    """`D:20240305090000+09'00'` -> `2024-03-05`."""
    match = re.match(r"D:(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", text)
    return "-".join(match.groups()) if match else None


def _tree(source: str) -> html.HtmlElement:
    try:
        # Bytes, since lxml refuses text that carries an encoding declaration of its own.
        return html.document_fromstring(source.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise Unreadable("The document is no HTML that can be read.") from error


def _barrier(tree: html.HtmlElement, text: str) -> str | None:
    tier = tree.xpath("string(//meta[@property='article:content_tier' or @name='article:content_tier']/@content)")
    if str(tier).lower() == "locked" or any(_is_not_free(thing) for thing in _declared_things(tree)):
        return "PAYWALL"
    if len(text) > BARRIER_TEXT_CHARS:
        return None
    shown = _one_line(" ".join(tree.text_content().split()))[: 4 * BARRIER_TEXT_CHARS]
    if _PAYWALL_WORDS.search(shown):
        return "PAYWALL"
    has_article = len(text) >= ARTICLE_TEXT_CHARS
    if _LOGIN_WORDS.search(shown) or (not has_article and tree.xpath("//input[@type='password']")):
        return "LOGIN_REQUIRED"
    if _BOT_WALL_WORDS.search(shown):
        return "BOT_WALL"
    return "CONSENT_WALL" if _CONSENT_WALL_WORDS.search(shown) else None


def _declared_things(tree: html.HtmlElement) -> Iterator[dict[str, Any]]:
    """The things a page says it is about (JSON-LD), without their parts: a locked comment section locks no article."""
    for script in tree.xpath("//script[@type='application/ld+json']/text()"):
        try:
            declared = json.loads(script)
        except (ValueError, RecursionError):
            continue
        things = declared if isinstance(declared, list) else [declared]
        for thing in things:
            if isinstance(thing, dict):
                graph = thing.get("@graph")
                yield from (part for part in (graph if isinstance(graph, list) else [thing]) if isinstance(part, dict))


def _is_not_free(thing: dict[str, Any]) -> bool:
    return str(thing.get("isAccessibleForFree", True)).lower() in ("false", "no")


def _declared_language(tree: html.HtmlElement) -> str | None:
    declared = str(tree.xpath("string(/html/@lang)")).strip().lower()
    return match.group(0) if (match := re.match(r"[a-z]{2,3}(?![a-z])", declared)) else None


def language_of(text: str) -> str | None:
    """By script alone: enough to tell Korean, Japanese and Chinese from the rest, which is not guessed
    further."""
    sample = text[:4_000]
    hangul, kana, han, latin = (len(script.findall(sample)) for script in (_HANGUL, _KANA, _HAN, _LATIN))
    most = max(hangul, kana, han, latin)
    if most == 0:
        return None
    if hangul * 3 >= most:
        return "ko"
    if kana * 5 >= most:
        return "ja"
    return "zh" if han == most else None


def _tidy(text: str) -> tuple[str, bool]:
    """As much as is read, and whether there is more."""
    looked_at, rest = text[: 2 * MAX_TEXT_CHARS], text[2 * MAX_TEXT_CHARS :]
    lines = (" ".join(line.split()) for line in looked_at.replace("\0", "").splitlines())
    tidy = "\n".join(line for line in lines if line)
    return tidy[:MAX_TEXT_CHARS], len(tidy) > MAX_TEXT_CHARS or bool(rest.strip())


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
