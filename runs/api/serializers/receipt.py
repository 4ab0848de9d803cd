"""The answer to a submit. Apart from the other answers: the MCP gateway describes it too, and has no database."""

from typing import Any

from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import Constant, Id, Instant, MapOf, Number, Text, Usd, WholeNumber
from runs.states import Status


class TagsShown(MapOf):
    """Left out where there are none."""

    def __init__(self, **more: Any) -> None:
        super().__init__({"type": "string"}, help_text="As they were submitted; absent without any.", **more)


class ReceiptReservationSerializer(AnswerSerializer):
    max_cost_usd = Usd(source="reservation_max_cost_usd_micros")
    currency = Constant("USD")
    timebox_sec = WholeNumber()
    min_reliability_score = Number(minimum=0, maximum=1)


class ReceiptPollSerializer(AnswerSerializer):
    href = Text(help_text="Where to read the run.", source="poll_href")
    recommended_interval_ms = WholeNumber()
    max_wait_sec = WholeNumber(
        help_text="A run has ended about this long after a worker took it. Its wait in the queue comes on top."
    )


class ReceiptEventsSerializer(AnswerSerializer):
    href = Text(help_text="Where to listen to the run, as Server-Sent Events.", source="events_href")


class ReceiptMetaSerializer(AnswerSerializer):
    created_at = Instant()
    trace_id = Text()
    profile_version = Text()


class ReceiptSerializer(AnswerSerializer):
    """Made from what never changes: a replay is the same receipt, also after the run has ended."""

    run_id = Id()
    status = Constant(Status.QUEUED.value)
    reservation = ReceiptReservationSerializer(source="*")
    poll = ReceiptPollSerializer(source="*")
    events = ReceiptEventsSerializer(source="*")
    meta = ReceiptMetaSerializer(source="*")
    tags = TagsShown(required=False)


RECEIPT = ReceiptSerializer()
