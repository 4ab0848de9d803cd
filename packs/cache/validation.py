"""Which answers may be kept as copies: not errors, not login pages, not a page in the place of a file.

Told from status, type and first bytes; nothing is parsed, since whoever parses foreign bytes does it in a confined
process. Whatever is doubtful is not kept: the next run asks the site again.
"""

import re
from collections.abc import Callable

from packs.fetch import Document
from packs.fetch.url import parse_url

_HEAD_BYTES = 65_536
_LOGIN_PATH = re.compile(r"/(?:nid)?(?:log-?in|sign-?in|sso|auth)(?:[/.?]|$)", re.IGNORECASE)
_LOOKS_LIKE_HTML = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.{0,900}?)</title>", re.IGNORECASE | re.DOTALL)
# Titles of pages that stand before the text, or in the place of one that is not there.
_NOT_THE_PAGE = re.compile(
    r"^\W*(?:(?:error\s*)?(?:40[134]|410|429|50[0234])\b|page not found|not found|access denied|forbidden|"
    r"(?:please )?(?:log ?in|sign ?in)\b|attention required|just a moment|checking your browser|are you (?:a )?human|"
    r"robot check|access to this page|before you continue|security check|service unavailable|bad gateway|"
    r"temporarily unavailable|site maintenance|"
    r"로그인|페이지를 찾을 수 없|찾을 수 없는 페이지|오류|에러|접근이? ?(?:거부|제한)|시스템 점검|서비스 점검|"
    r"잠시만 기다|보안 ?확인)",
    re.IGNORECASE,
)
# A script that stands only on a page which checks for robots. Ordinary pages behind the same services carry others.
CHALLENGE = re.compile(
    rb"cf-browser-verification|cf_chl_|challenge-platform/h/|_incapsula_resource|px-captcha|captcha-delivery\.com|"
    rb"awswafintegration|sgcaptcha",
    re.IGNORECASE,
)


def may_be_kept(document: Document) -> bool:
    if not 200 <= document.status_code <= 299 or not document.body:
        return False
    kind = document.content_type.partition(";")[0].strip().lower()
    if _LOOKS_LIKE_HTML.match(document.body) and kind not in ("", "text/html", "application/xhtml+xml"):
        # Sites answer for files that are gone, or behind a login, with a page.
        return False
    return _CHECKS.get(kind, _html if kind in ("", "text/html", "application/xhtml+xml") else _anything)(document)


def _html(document: Document) -> bool:
    if _leads_to_login(document):
        return False
    head = document.body[:_HEAD_BYTES]
    if CHALLENGE.search(head) and len(document.body) < _HEAD_BYTES:
        return False
    title = _TITLE.search(head)
    return title is None or not _NOT_THE_PAGE.search(" ".join(_text(title.group(1)).split()))


def _text(title: bytes) -> str:
    """UTF-8, or what older Korean pages are written in."""
    try:
        return title.decode()
    except UnicodeDecodeError:
        return title.decode("cp949", "replace")


def _leads_to_login(document: Document) -> bool:
    asked, ended = (parse_url(url).path for url in (document.url, document.final_url))
    return bool(_LOGIN_PATH.search(ended)) and not _LOGIN_PATH.search(asked)


def _begins_with(*magic: bytes) -> Callable[[Document], bool]:
    return lambda document: document.body.startswith(magic)


def _pdf(document: Document) -> bool:
    # Readers of PDF accept some bytes before the mark, and files have them.
    return b"%PDF-" in document.body[:1_024]


def _json(document: Document) -> bool:
    return document.body.lstrip()[:1] not in (b"<", b"")


def _anything(document: Document) -> bool:
    return True


_CHECKS: dict[str, Callable[[Document], bool]] = {
    "application/pdf": _pdf,
    "application/x-pdf": _pdf,
    "application/json": _json,
    "application/ld+json": _json,
    "image/png": _begins_with(b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": _begins_with(b"\xff\xd8\xff"),
    "image/gif": _begins_with(b"GIF87a", b"GIF89a"),
    "image/webp": _begins_with(b"RIFF"),
    "image/tiff": _begins_with(b"II*\x00", b"MM\x00*"),
    "image/bmp": _begins_with(b"BM"),
}
