"""The query parameters of the API, read strictly."""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.http import QueryDict
from rest_framework.exceptions import ValidationError

from dpp_project.profile import PROFILE
from packs.registry import PACKS
from runs.api.problems import INVALID_PARAMS
from runs.api.serializers.base import MAX_ERRORS, StrictSerializer, all_errors
from runs.api.serializers.fields import TAG_NAME, Choice, Schema, SchemaField, Text, WholeNumber, is_tag_text
from runs.models import WebhookDelivery
from runs.reports import listing
from runs.reports.listing import BadCursor, Cursor
from runs.reports.statement import MAX_ENTRIES
from runs.states import Status

# RFC 3339, with a zone: a time without one would mean something else in every place.
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:)([0-5]\d|60)(\.\d{1,30})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,15}", re.ASCII)

_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class Digits(WholeNumber):
    """A whole number, written out."""

    def to_internal_value(self, data: Any) -> int:
        if not _DIGITS.fullmatch(data):
            self.fail("invalid")
        return int(super().to_internal_value(int(data)))


class Moment(SchemaField):
    default_error_messages = {"invalid": "must be a time such as 2026-01-31T09:00:00Z"}

    def json_schema(self) -> Schema:
        return {"type": "string", "format": "date-time"}

    def to_internal_value(self, data: Any) -> datetime:
        # A plus sign that was not escaped arrives as a space.
        match = _INSTANT.fullmatch(data.replace(" ", "+"))
        if match is None:
            self.fail("invalid")
        # A leap second is a time too; our clocks have none.
        day, seconds, fraction, zone = match.groups(default="")
        try:
            moment = datetime.fromisoformat(f"{day}{min(int(seconds), 59):02d}{fraction}{zone}".upper())
        except ValueError:
            self.fail("invalid")
        try:
            return moment.astimezone(UTC)
        except OverflowError:
            # A zone that leads out of the calendar. Nothing of ours is that old, or that far away.
            return _EARLIEST if moment.year == 1 else _LATEST


class CursorText(Text):
    default_error_messages = {"invalid": "must be the `next_cursor` of an earlier answer"}

    def to_internal_value(self, data: Any) -> Any:
        try:
            return Cursor.parse(data)
        except BadCursor:
            self.fail("invalid")


class TagText(Text):
    """`name:text`."""

    default_error_messages = {"invalid": "must be a tag such as project:apollo"}

    def json_schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{TAG_NAME.pattern}:", "examples": ["project:apollo"]}

    def to_internal_value(self, data: Any) -> Any:
        name, colon, text = data.partition(":")
        if not colon or not TAG_NAME.fullmatch(name) or not is_tag_text(text):
            self.fail("invalid")
        return name, text


class IdText(Text):
    default_error_messages = {"invalid": "must be a UUID"}

    def __init__(self, **more: Any) -> None:
        super().__init__(format="uuid", **more)

    def to_internal_value(self, data: Any) -> Any:
        try:
            return UUID(data)
        except ValueError:
            self.fail("invalid")


class WaitSerializer(StrictSerializer):
    wait = Digits(
        minimum=0,
        maximum=PROFILE.long_poll_max_sec,
        default=0,
        help_text="Hold the answer until the run changes, at most so many seconds. May be answered earlier under load.",
    )
    until = Choice(
        ["change", "end"],
        default="change",
        help_text="What to wait for: any change of the run, or its end.",
    )


class ListRunsSerializer(StrictSerializer):
    status = Choice(Status.values, required=False, help_text="Only runs in this state.")
    pack_type = Choice(list(PACKS), required=False, help_text="Only runs of this pack.")
    tag = TagText(required=False, help_text="Only runs with this tag, as `name:text`.")
    created_after = Moment(required=False, help_text="Only runs created after this time.")
    created_before = Moment(required=False, help_text="Only runs created before this time.")
    cursor = CursorText(required=False, help_text="The `next_cursor` of an earlier answer.")
    limit = Digits(minimum=1, maximum=listing.MAX_LIMIT, default=listing.DEFAULT_LIMIT, help_text="How many per page.")


class StatementQuerySerializer(StrictSerializer):
    shape = Choice(
        ["json", "jsonl", "csv"],
        default="json",
        help_text="`jsonl`: the head with its signature, then one line per entry. `csv`: the entries alone.",
    )
    tag = TagText(required=False, help_text="Only runs with this tag, as `name:text`.")
    api_key_id = IdText(required=False, help_text="Only entries of runs that this key submitted.")
    after = Digits(minimum=0, maximum=999_999_999_999_999, default=0, help_text="The `next_after` of the page before.")
    max_entries = Digits(minimum=1, maximum=MAX_ENTRIES, default=MAX_ENTRIES, help_text="Entries per page.")


class ListDeliveriesSerializer(StrictSerializer):
    state = Choice(WebhookDelivery.State.values, required=False, help_text="Only messages in this state.")
    cursor = CursorText(required=False, help_text="The `next_cursor` of an earlier answer.")
    limit = Digits(minimum=1, maximum=listing.MAX_LIMIT, default=listing.DEFAULT_LIMIT, help_text="How many per page.")


_WAIT = WaitSerializer()
_DELIVERIES = ListDeliveriesSerializer()
_STATEMENT = StatementQuerySerializer()
_LIST_RUNS = ListRunsSerializer()


class Wait(NamedTuple):
    seconds: int
    """How long the answer may be held; 0 is not at all."""
    until_end: bool


def wait_parameters(query: QueryDict) -> Wait:
    """Parameters with other names are ignored."""
    given = {name: texts for name, texts in query.lists() if name in _WAIT.fields}
    values = _read(_WAIT, given)
    return Wait(values["wait"], values["until"] == "end")


def list_parameters(query: QueryDict) -> dict[str, Any]:
    """A filter that is mistyped is refused: it would answer another question than the one that was asked."""
    return _read(_LIST_RUNS, dict(query.lists()))


def statement_parameters(query: QueryDict) -> dict[str, Any]:
    return _read(_STATEMENT, dict(query.lists()))


def delivery_parameters(query: QueryDict) -> dict[str, Any]:
    return _read(_DELIVERIES, dict(query.lists()))


def _read(serializer: StrictSerializer, given: dict[str, list[str]]) -> dict[str, Any]:
    wrong: dict[str, Any] = {name: ["may be given once"] for name, texts in given.items() if len(texts) > 1}
    values: dict[str, Any] = {}
    try:
        values = serializer.run_validation({name: texts[0] for name, texts in given.items() if name not in wrong})
    except ValidationError as error:
        of_serializer: Any = error.detail  # by name, as every serializer has them
        wrong |= of_serializer
    if wrong:
        errors = [{"parameter": str(one.path[0])[:100], "detail": one.detail} for one in all_errors(wrong)]
        raise INVALID_PARAMS.error(errors[0]["detail"], errors=errors[:MAX_ERRORS])
    return values
