"""Checks a written text against the material it was written from: numbers, units, quotations, addresses.

Strict on purpose. A right number in a new form is refused as well, because nobody could tell it from a
wrong one. Numbers spelled as words are beyond it; the documentation says so.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from dpp_project.profile import PROFILE

_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
# Whatever a reader's program might turn into a link: any scheme, none, a bare host with a path or port, a link of
# Markdown. Browsers take one slash, or backslashes, for two.
_REST = r"[^\s\"'<>)\]]"
_TOP_LEVEL = r"(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59}|한국)"
_URL = re.compile(
    rf"(?:[a-z][a-z0-9+.-]{{1,20}}:)?[/\\]{{2,}}{_REST}+"
    rf"|\b(?:https?|ftp|file|mailto|javascript|vbscript|data|tel|sms):{_REST}+"
    rf"|(?<![\w@.-])(?:[\w-]{{1,63}}\.)+{_TOP_LEVEL}(?:/{_REST}*|:[0-9]{{2,5}}{_REST}*)"
    rf"|(?<![\w.])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}[/:]{_REST}*"
    rf"|\bwww\.{_REST}+"
    rf"|(?<=\]\(){_REST}+",
    re.IGNORECASE,
)
# What no reader sees, and what a browser reads as the dot in a name.
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_DOTS = str.maketrans("\u3002\uff61", "..")
_QUOTED = re.compile(r"[\"“「『]([^\"”」』]{1,4000})[\"”」』]")
_SPACE = re.compile(r"\s+")

_UNITS = {
    "%": ("%", "percent", "per cent", "퍼센트", "프로"),
    "usd": ("usd", "us dollars", "dollars", "dollar", "달러", "$"),
    "krw": ("krw", "won", "원", "₩"),
    "eur": ("eur", "euros", "euro", "유로", "€"),
    "jpy": ("jpy", "yen", "엔", "¥"),
    "year": ("years", "year", "년"),
    "month": ("months", "month", "개월"),
    "week": ("weeks", "week", "주일"),
    "day": ("days", "day", "일"),
    "hour": ("hours", "hour", "hrs", "시간"),
    "minute": ("minutes", "minute", "min", "분"),
    "second": ("seconds", "second", "sec", "초"),
    "ms": ("ms", "milliseconds", "밀리초"),
    "person": ("people", "persons", "employees", "명"),
    "kg": ("kg", "킬로그램"),
    "km": ("km", "킬로미터"),
    "gb": ("gb", "기가바이트"),
    "mb": ("mb", "메가바이트"),
    "million": ("million", "백만"),
    "billion": ("billion", "십억"),
    "thousand": ("thousand", "천"),
    "만": ("만",),
    "억": ("억",),
}
_BEFORE = {"$": "usd", "₩": "krw", "€": "eur", "¥": "jpy"}
_AFTER = sorted(((form, unit) for unit, forms in _UNITS.items() for form in forms), key=lambda pair: -len(pair[0]))

Figure = tuple[str, str]
"""A number, in the one form that equal numbers share, and its unit; "" for none that is known."""


def figures(text: str) -> list[Figure]:
    plain = unicodedata.normalize("NFKC", text).lower()
    found: list[Figure] = []
    for number in _NUMBER.finditer(plain):
        unit = _unit_after(plain[number.end() : number.end() + 24])
        if not unit:
            unit = _BEFORE.get(plain[: number.start()].rstrip()[-1:], "")
        found.append((_one_form(number.group()), unit))
    return found


def _one_form(number: str) -> str:
    """1,200.50 -> 1200.5. By characters: arithmetic would round a number that is long enough."""
    whole, _, fraction = number.replace(",", "").partition(".")
    kept = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{kept}" if kept else "")


def _unit_after(text: str) -> str:
    rest = text.lstrip(" -\u00a0")
    for form, unit in _AFTER:
        if rest.startswith(form):
            following = rest[len(form) : len(form) + 1]
            # "min" is a unit, "minor" begins a word; Korean particles may follow directly.
            if not (form[-1].isascii() and form[-1].isalpha() and following.isascii() and following.isalpha()):
                return unit
    return ""


def known_figures(material: Iterable[str]) -> frozenset[Figure]:
    """Every number of the material with its unit, and once more without: the unit may be left out, not changed."""
    found = [figure for piece in material for figure in figures(piece)]
    return frozenset(found) | {(number, "") for number, _ in found}


def invented_figures(text: str, known: frozenset[Figure]) -> list[str]:
    """Numbers of `text` that the material has not, or has only with another unit."""
    return [f"{number} {unit}".strip() for number, unit in figures(text) if (number, unit) not in known]


def foreign_urls(text: str, known: Iterable[str]) -> list[str]:
    """Addresses of `text` that are not among the known ones, letter by letter but for how letters are drawn."""
    allowed = {_as_browsers_read(url) for url in known}
    return [url for url in _URL.findall(_as_browsers_read(text)) if not {url, url.rstrip(".,;:!?")} & allowed]


def _as_browsers_read(text: str) -> str:
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_DOTS)


def long_quotations(text: str) -> list[str]:
    return [quoted[:60] for quoted in _QUOTED.findall(text) if len(quoted.split()) > PROFILE.quote_max_words]


def unsupported_quotation(quote: str, pointer: str, sources: Mapping[str, str]) -> str | None:
    """What is wrong with a citation, or None. `sources` holds the citable texts by pointer."""
    if pointer not in sources:
        return f"{pointer[:200]} is not a pointer into the material."
    if len(quote.split()) > PROFILE.quote_max_words:
        return f"The quotation from {pointer} is longer than {PROFILE.quote_max_words} words."
    if not quote.strip() or _SPACE.sub(" ", quote).strip() not in _SPACE.sub(" ", sources[pointer]):
        return f"The quotation is not in the text at {pointer}."
    return None
