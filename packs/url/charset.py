"""The characters of a page: what the server says, else what the page says, else what the bytes are.

Korean pages of the public sector still come in EUC-KR, often without saying so, and as a rule in Microsoft's
extension of it; labels are therefore read as the web reads them.
"""

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_WITHIN_BYTES = 4_096

# The web reads these labels as their supersets.
_SUPERSETS = {
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
# What browsers read. Python knows more, and some of it (`utf_7`, `unicode_escape`) makes halves of surrogate pairs,
# which no JSON can hold, or takes its time (`punycode`).
_OF_THE_WEB = frozenset(
    {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp949", "gb18030", "big5", "big5hkscs", "cp950"}
    | {"cp932", "euc_jp", "iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866", "cp874", "tis-620"}
    | {f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859-{number}" for number in range(2, 17)}
)
_GUESSES = ("utf-8", "cp949")


def decode(body: bytes, content_type: str) -> str:
    """Text of a page; a byte that fits nowhere becomes U+FFFD, never an error."""
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    declared = _declared(body, content_type)
    guesses = _GUESSES if declared is None else (declared, *_GUESSES)
    for encoding in guesses:
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    return body.decode(declared or "utf-8", "replace")


def _declared(body: bytes, content_type: str) -> str | None:
    header = _HEADER.search(content_type)
    meta = _META.search(body[:_META_WITHIN_BYTES])
    labels = ([header.group(1)] if header else []) + ([meta.group(1).decode("ascii", "replace")] if meta else [])
    return next((known for label in labels if (known := _codec(label)) is not None), None)


def _codec(label: str) -> str | None:
    lowered = label.lower()
    try:
        name = codecs.lookup(lowered).name
    except LookupError:
        name = lowered
    known = _SUPERSETS.get(name, name)
    return known if known in _OF_THE_WEB else None
