"""What a file is, by its first bytes. Names and declared types are not looked at."""

import re
from enum import StrEnum

from packs.ocr.failures import FailureReason, Unreadable

# Readers of PDF accept the header this far into a file.
PDF_HEADER_WITHIN = 1_024
_PDF = b"%PDF-"
HTML_WITHIN = 4_096
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
# A header of a mail or of a download may stand before a PDF; the beginning of another kind of file makes it two.
_OTHERS = (b"<", b"PK\x03\x04", b"MZ", b"\x7fELF", b"GIF8", b"BM", b"{\\rtf", b"#!", b"%!PS")


class Kind(StrEnum):
    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    TIFF = "tiff"
    PDF = "pdf"
    HTML = "html"


def kind_of(body: bytes) -> Kind:
    """Raises `Unreadable`. A file that would be one thing to one reader and another to the next is refused."""
    if not body:
        raise Unreadable(FailureReason.EMPTY_FILE, "The file is empty.")
    image = _image_kind(body)
    if image is not None:
        if _PDF in body:
            raise Unreadable(FailureReason.AMBIGUOUS_TYPE, f"The file is a {image.upper()} picture and a PDF at once.")
        return image
    start = body.find(_PDF, 0, PDF_HEADER_WITHIN)
    if start < 0:
        if _HTML.match(body[:HTML_WITHIN]):
            return Kind.HTML
        raise Unreadable(FailureReason.UNSUPPORTED_TYPE, "The file is none of PNG, JPEG, WEBP, TIFF, PDF and HTML.")
    if body[:start].lstrip(b"\x00\t\r\n\x0c \xef\xbb\xbf").startswith(_OTHERS):
        raise Unreadable(FailureReason.AMBIGUOUS_TYPE, "Something else stands before the beginning of the PDF.")
    return Kind.PDF


def _image_kind(body: bytes) -> Kind | None:
    if body.startswith(b"\x89PNG\r\n\x1a\n"):
        return Kind.PNG
    if body.startswith(b"\xff\xd8\xff"):
        return Kind.JPEG
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return Kind.WEBP
    if body[:4] in (b"II*\x00", b"MM\x00*"):
        return Kind.TIFF
    return None
