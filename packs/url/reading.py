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
from lxml import etree, html

from packs.url.charset import decode
from packs.url.dates import dates_of
from packs.url.page import Page, Unreadable
from packs.url.page_signals import organisations, signals_of
from packs.url.titles import exact_title
from packs.url.walls import wall_of

MAX_TEXT_CHARS = 200_000
MAX_PDF_PAGES = 60
MIN_TEXT_CHARS = 40

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset({"application/json", "application/ld+json", "application/xml", "application/yaml"})
_LOOKS_LIKE_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)", re.IGNORECASE | re.DOTALL)
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
        date_extraction_params={"extensive_search": False},
    )
    text = "" if found is None or isinstance(found, dict) else found.text or ""
    title = "" if found is None or isinstance(found, dict) else found.title or ""
    author = None if found is None or isinstance(found, dict) else found.author
    text, cut = _tidy(text or trafilatura.html2txt(source))
    things = list(_declared_things(tree))
    title = _one_line(exact_title(tree, things, title, organisations(tree, things)))
    published, modified = dates_of(tree, things)
    return Page(
        title=title,
        text=text,
        published=published,
        language=_declared_language(tree) or language_of(text),
        barrier=wall_of(tree, source, title, text, things),
        cut=cut,
        modified=modified,
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
