"""One spelling for the same page, so that a page given twice is fetched, charged and cited once."""

import re
from urllib.parse import parse_qsl, urlencode

from packs.fetch.url import DEFAULT_PORTS, ParsedUrl

# Parameters that say where a reader came from and nothing about what is read.
_TRACKING = re.compile(
    r"utm_.*|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|ref_src|ref_url|spm|n_media|n_query"
    r"|n_rank|n_ad_.*|NaPm",
    re.IGNORECASE,
)


def normalised(url: ParsedUrl) -> str:
    """http and https, with or without a trailing slash or tracking parameters, in any order of parameters."""
    port = "" if url.port in DEFAULT_PORTS.values() else f":{url.port}"
    path = url.path.rstrip("/") or "/"
    return f"https://{url.host.in_authority()}{port}{path}{_query(url.query or '')}"


def _query(query: str) -> str:
    pairs = [pair for pair in parse_qsl(query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0])]
    return f"?{urlencode(sorted(pairs))}" if pairs else ""
