"""How a run looks from outside: the run itself, a line of a listing, an event of its stream."""

from drf_spectacular.utils import extend_schema_serializer

from packs.llm.telling import Verdict
from packs.registry import PACKS
from runs.api.problems import RUN_FAILURES
from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import (
    Choice,
    Flag,
    Id,
    Instant,
    JsonObject,
    MapOf,
    Number,
    Sha256,
    Text,
    Usd,
    WholeNumber,
)
from runs.api.serializers.problem import ProblemSerializer
from runs.api.serializers.receipt import ReceiptSerializer, TagsShown
from runs.events.event import GAP, Stage
from runs.lifecycle.result_summary import BUDGET_CAP_REACHED
from runs.states import MoneyState, Status

_STAGES = [*(stage.value for stage in Stage), GAP]


class RunSummaryCostSerializer(AnswerSerializer):
    reserved_usd = Usd(source="reserved")
    used_usd = Usd(source="used")
    minimum_fee_usd = Usd(source="minimum_fee_usd_micros")


class RunCostSerializer(RunSummaryCostSerializer):
    budget_remaining_usd = Usd(source="remaining")


class RunMetaSerializer(AnswerSerializer):
    created_at = Instant()
    updated_at = Instant()
    trace_id = Text()
    profile_version = Text()
    retention_until = Instant()


class ArtifactSerializer(AnswerSerializer):
    name = Text()
    presigned_url = Text(format="uri")
    sha256 = Sha256()
    size = WholeNumber(minimum=0, help_text="Bytes.")
    mime = Text()


class ResultSerializer(AnswerSerializer):
    presigned_url = Text(format="uri", help_text="The envelope, for ten minutes. Every GET gives a fresh one.")
    sha256 = Sha256()
    expires_at = Instant(help_text="When the links stop working.")
    size = WholeNumber(minimum=0, help_text="Bytes.")
    artifacts = ArtifactSerializer(many=True)
    inline = JsonObject(required=False, help_text="The envelope itself, if `options.inline` was 1 and it is small.")


class RunErrorSerializer(AnswerSerializer):
    reason_code = Choice(list(RUN_FAILURES))
    problem = ProblemSerializer()


class RunSummaryErrorSerializer(AnswerSerializer):
    reason_code = Text()


class _AnyRun(AnswerSerializer):
    run_id = Id()
    pack_type = Choice(list(PACKS))
    status = Choice(Status.values)
    money_state = Choice(MoneyState.values)
    progress = Number(minimum=0, maximum=1)
    tags = TagsShown(required=False)


class RunReliabilitySerializer(AnswerSerializer):
    score = Number(minimum=0, maximum=1)
    required = Number(  # type: ignore[assignment]
        minimum=0, maximum=1, help_text="`min_reliability_score` of the request."
    )
    met = Flag()


class RunWarningSerializer(AnswerSerializer):
    code = Text(examples=["RELIABILITY_NOT_MET"])
    text = Text()


class RunSerializer(_AnyRun):
    """`result` stands in it once there is one, `error` when the run is FAILED. `reliability`, `warnings` and
    `budget_cap` say what to make of a result before it is read."""

    cost = RunCostSerializer(source="*")
    meta = RunMetaSerializer(source="*")
    reliability = RunReliabilitySerializer(required=False)
    warnings = RunWarningSerializer(many=True, required=False, help_text="At most 20; all stand in the result.")
    budget_cap = Text(
        examples=[BUDGET_CAP_REACHED],
        required=False,
        allow_null=True,
        help_text="Not null: the limit was reached, and the result holds what was paid for.",
    )
    result = ResultSerializer(required=False)
    error = RunErrorSerializer(required=False)


class RunSummarySerializer(_AnyRun):
    """One line of a listing: no link, and no balance, which is the tenant's and not the run's."""

    cost = RunSummaryCostSerializer(source="*")
    meta = RunMetaSerializer(source="*")
    error = RunSummaryErrorSerializer(required=False)


@extend_schema_serializer(component_name="Receipt")
class SubmittedRunSerializer(ReceiptSerializer):
    """The receipt is made from what never changes: a replay is the same receipt, also after the run has ended."""

    run = RunSerializer(required=False, help_text="As far as it got; stands here with `Prefer: wait=N`.")


class RunListSerializer(AnswerSerializer):
    runs = RunSummarySerializer(many=True)
    next_cursor = Text(allow_null=True, help_text="For the next page; null on the last.")


class LostEventsSerializer(AnswerSerializer):
    first = WholeNumber(minimum=1, help_text="The number of the first event that was lost.")
    last = WholeNumber(minimum=1)
    events = WholeNumber(required=False, minimum=1, help_text="How many were lost. Absent: any number, or none.")


class DraftSerializer(AnswerSerializer):
    """A model's text while it is written. It is not the answer: the checks come afterwards, and the last event of the
    stage says what they made of it."""

    attempt = WholeNumber(minimum=1, help_text="The pieces of a later attempt replace those of an earlier one.")
    piece = WholeNumber(required=False, minimum=1, help_text="Counts within the attempt.")
    text = Text(required=False)
    pieces = WholeNumber(required=False, minimum=1, help_text="With the verdict: how many the attempt had.")
    verdict = Choice(
        [verdict.value for verdict in Verdict],
        required=False,
        help_text="`stands`: the checked answer begins with this text. `changed`: it has another text of the model. "
        "`refused`: it has none of the model's text.",
    )


class RunEventDataSerializer(AnswerSerializer):
    run_id = Id()
    seq = WholeNumber(minimum=1, help_text="Rises from event to event of a run.")
    stage = Choice(_STAGES)
    status = Choice(Status.values)
    money_state = Choice(MoneyState.values)
    progress = Number(minimum=0, maximum=1)
    version = WholeNumber(minimum=0)
    at = Instant()
    step = Text(required=False, help_text="What the pack is doing.")
    detail = MapOf({"type": ["string", "integer"]}, required=False)
    draft = DraftSerializer(required=False, help_text="With an `answer`.")
    lost = LostEventsSerializer(required=False, help_text="With a `gap`: the events in whose place it stands.")
    used_usd = Usd(required=False, help_text="With the last event.")
    reason_code = Choice(list(RUN_FAILURES), required=False, help_text="With the last event of a run that failed.")


class RunInputsSerializer(AnswerSerializer):
    run_id = Id()
    request = JsonObject(help_text="`pack_type`, `inputs`, limits and options, as they are executed.")


class EventData(Text):
    """JSON in a text: a message of a stream has nothing but texts. `openapi.extensions` adds its schema."""


class RunEventSerializer(AnswerSerializer):
    """One message of the stream. The first has no data: it tells from where a broken stream resumes (`id`) and after
    how many milliseconds (`retry`)."""

    id = Text(required=False, pattern="^[0-9]+$", help_text="`seq`, for Last-Event-ID.")
    event = Choice(_STAGES, required=False)
    retry = WholeNumber(required=False)
    data = EventData(required=False)  # type: ignore[assignment]


RUN = RunSerializer()
RUN_LIST = RunListSerializer()
RUN_INPUTS = RunInputsSerializer()
