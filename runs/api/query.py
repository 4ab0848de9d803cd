"""The query parameters of the API, read strictly."""

import re
from datetime import UTC, datetime
from typing import NoReturn

from django.http import HttpRequest

from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs import listing
from runs.api.problems import INVALID_PARAMS
from runs.listing import BadCursor, Cursor, Filters
from runs.states import Status

# RFC 3339, with a zone: a time without one would mean something else in every place.
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:)([0-5]\d|60)(\.\d{1,30})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,6}", re.ASCII)


_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_FILTERS = ("status", "pack_type", "created_after", "created_before", "cursor", "limit")


def wait_sec(request: HttpRequest) -> int:
    """How long the answer may wait for a change of the run; 0 is not at all."""
    text = _single(request, "wait")
    return 0 if text is None else _integer("wait", text, least=0, most=PROFILE.long_poll_max_sec)


def list_parameters(request: HttpRequest) -> tuple[Filters, Cursor | None, int]:
    for name in request.GET:
        # A mistyped filter would answer another question than the one that was asked.
        if name not in _FILTERS:
            _refuse(name, f"This parameter is not known. There are: {', '.join(_FILTERS)}.")
    given = {name: text for name in _FILTERS if (text := _single(request, name)) is not None}
    filters = Filters(
        status=Status(_one_of("status", given["status"], Status.values)) if "status" in given else None,
        pack_type=_one_of("pack_type", given["pack_type"], list(PACKS)) if "pack_type" in given else None,
        created_after=_instant("created_after", given["created_after"]) if "created_after" in given else None,
        created_before=_instant("created_before", given["created_before"]) if "created_before" in given else None,
    )
    limit = _integer("limit", given.get("limit", str(listing.DEFAULT_LIMIT)), least=1, most=listing.MAX_LIMIT)
    return filters, _cursor(given["cursor"]) if "cursor" in given else None, limit


def _single(request: HttpRequest, name: str) -> str | None:
    values = request.GET.getlist(name)
    if len(values) > 1:
        _refuse(name, "This parameter may be given once.")
    return values[0] if values else None


def _cursor(text: str) -> Cursor:
    try:
        return Cursor.parse(text)
    except BadCursor:
        _refuse("cursor", "cursor must be the `next_cursor` of an earlier answer.")


def _integer(name: str, text: str, *, least: int, most: int) -> int:
    if not _DIGITS.fullmatch(text) or not least <= int(text) <= most:
        _refuse(name, f"{name} must be a whole number from {least} to {most}.")
    return int(text)


def _one_of(name: str, text: str, values: list[str]) -> str:
    if text not in values:
        _refuse(name, f"{name} must be one of {', '.join(values)}.")
    return text


def _instant(name: str, text: str) -> datetime:
    # A plus sign that was not escaped arrives as a space.
    match = _INSTANT.fullmatch(text.replace(" ", "+"))
    try:
        if match is None:
            raise ValueError(text)
        # A leap second is a time too; our clocks have none.
        day, seconds, fraction, zone = match.groups(default="")
        moment = datetime.fromisoformat(f"{day}{min(int(seconds), 59):02d}{fraction}{zone}".upper())
    except ValueError:
        _refuse(name, f"{name} must be a time such as 2026-01-31T09:00:00Z.")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        # A zone that leads out of the calendar. Nothing of ours is that old, or that far away.
        return _EARLIEST if moment.year == 1 else _LATEST


def _refuse(name: str, detail: str) -> NoReturn:
    raise INVALID_PARAMS.error(detail, errors=[{"parameter": name[:100], "detail": detail}])
