"""Strict parsing of a URL, once. The request is built from the parsed parts, never from the original text.

URL libraries disagree about backslashes, control characters and userinfo, and each disagreement is a way to
check one host and dial another. So the text is refused before any library sees it whenever two readers could
differ.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from packs.fetch.exceptions import BlockedCode, Refusal, UrlRefused
from packs.fetch.host import Host, HostInvalid, parse_host

MAX_URL_CHARS = 4_096
DEFAULT_PORTS = {"https": 443, "http": 80}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
# Spaces, controls, line separators and invisible marks: one reader strips them, another sends them.
_FORBIDDEN_ANYWHERE = re.compile(
    r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\uffff\ud800-\udfff]"
)
_FORBIDDEN_IN_AUTHORITY = re.compile(r"[\\%<>\"^`{|}]")
_HOST_AND_PORT = re.compile(r"(\[[^\[\]@]*\]|[^:\[\]@]+)(?::([0-9]{0,10}))?", re.ASCII)
# What may stand in a path or query as it is; `%` keeps what is already encoded encoded.
_KEPT = "/?:@!$&'()*+,;=-._~%[]"


@dataclass(frozen=True)
class ParsedUrl:
    scheme: str
    host: Host
    port: int
    path: str
    query: str | None

    @property
    def request_target(self) -> str:
        """The origin form: what stands in the request line."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    @property
    def authority(self) -> str:
        """What stands in the Host header: the port only when it is not the scheme's own."""
        host = self.host.in_authority()
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.request_target}"


def parse_url(text: str) -> ParsedUrl:
    """The parts of an absolute http or https URL; the fragment is dropped. Raises `UrlRefused`."""
    if not text or len(text) > MAX_URL_CHARS:
        raise _invalid(f"A URL has between 1 and {MAX_URL_CHARS} characters.")
    if _FORBIDDEN_ANYWHERE.search(text):
        raise _invalid("The URL contains white space, a control character or an invisible character.")
    scheme_match = _SCHEME.match(text)
    if scheme_match is None:
        raise _invalid("The URL is not absolute.")
    scheme = scheme_match.group(1).lower()
    if scheme not in DEFAULT_PORTS:
        raise UrlRefused(Refusal(BlockedCode.SCHEME_NOT_ALLOWED, "Only https URLs are fetched."))
    rest = text[scheme_match.end() :]
    if not rest.startswith("//"):
        raise _invalid("Two slashes must follow the scheme.")
    authority, tail = _split_authority(rest[2:])
    host, port = _parse_authority(authority, DEFAULT_PORTS[scheme])
    path, query = _split_tail(tail)
    return ParsedUrl(scheme, host, port, _encode(path) or "/", None if query is None else _encode(query))


def join_location(base: ParsedUrl, location: bytes) -> ParsedUrl:
    """Where a redirect leads: the Location header against the URL that sent it. Raises `UrlRefused`."""
    text = _location_text(location)
    # Browsers read `/\host` as `//host`; we would read it as a path. Two readers differ, so it is refused.
    if re.match(r"/?\\", text):
        raise _invalid("The redirect begins with a backslash.")
    if _SCHEME.match(text):
        return parse_url(text)
    if text.startswith("//"):
        return parse_url(f"{base.scheme}:{text}")
    origin = f"{base.scheme}://{base.authority}"
    if text.startswith("/"):
        return parse_url(origin + _without_dot_segments(text))
    if text.startswith("?"):
        return parse_url(origin + base.path + text)
    if not text or text.startswith("#"):
        return parse_url(str(base))
    folder = base.path[: base.path.rfind("/") + 1]
    return parse_url(origin + _without_dot_segments(folder + text))


def _split_authority(text: str) -> tuple[str, str]:
    end = re.search(r"[/?#]", text)
    return (text, "") if end is None else (text[: end.start()], text[end.start() :])


def _parse_authority(authority: str, default_port: int) -> tuple[Host, int]:
    if "@" in authority:
        raise _invalid("Credentials in a URL are not accepted.")
    if _FORBIDDEN_IN_AUTHORITY.search(authority):
        raise _invalid("The host contains a backslash, an escape or a mark that has no place there.")
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None:
        raise _invalid("The URL has no well-formed host and port.")
    try:
        host = parse_host(match.group(1))
    except HostInvalid as error:
        raise _invalid(str(error)) from error
    port = int(match.group(2)) if match.group(2) else default_port
    if not 1 <= port <= 65_535:
        raise _invalid("The port is out of range.")
    return host, port


def _split_tail(tail: str) -> tuple[str, str | None]:
    before_fragment = tail.partition("#")[0]
    path, question_mark, query = before_fragment.partition("?")
    return path, query if question_mark else None


def _encode(part: str) -> str:
    return quote(part, safe=_KEPT)


def _location_text(location: bytes) -> str:
    try:
        return location.decode("utf-8")
    except UnicodeDecodeError:
        # A legacy encoding (EUC-KR, Latin-1): the bytes are sent back as they came, escaped.
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in location)


def _without_dot_segments(reference: str) -> str:
    """RFC 3986, 5.2.4, for the path of an absolute-path reference; query and fragment are left alone."""
    end = re.search(r"[?#]", reference)
    path, tail = (reference, "") if end is None else (reference[: end.start()], reference[end.start() :])
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept) + tail


def _invalid(detail: str) -> UrlRefused:
    return UrlRefused(Refusal(BlockedCode.URL_INVALID, detail))
