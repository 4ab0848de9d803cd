"""The Prefer header (RFC 7240): how long a caller is willing to wait. What is not understood is ignored."""

import re

from dpp_project.profile import PROFILE

# One preference: its name, its value if it has one, and parameters, which say nothing here.
_PREFERENCE = re.compile(r'\s*(?P<name>[^\s=;,"]+)\s*(?:=\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s;,"]*)))?\s*(?:;.*)?')
_COMMA_OUTSIDE_QUOTES = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)
_LONGEST_HEADER = 1_000


def preferred_wait_sec(header: str) -> int | None:
    """Of `wait=N`, at most as long as anybody may wait; None without it. Given twice, the first counts."""
    if len(header) > _LONGEST_HEADER:
        return None
    for part in _COMMA_OUTSIDE_QUOTES.split(header):
        found = _PREFERENCE.fullmatch(part)
        if found and found["name"].lower() == "wait":
            value = found["quoted"] if found["quoted"] is not None else found["plain"]
            return min(int(value), PROFILE.long_poll_max_sec) if value and _DIGITS.fullmatch(value) else None
    return None
