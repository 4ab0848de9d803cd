"""Every operation of the API, as its view is decorated with."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer, extend_schema

from packs.registry import PACKS
from runs.api import problems
from runs.api.errors import PROBLEM_JSON
from runs.api.openapi import examples, headers
from runs.api.problems import Problem
from runs.api.serializers.fields import object_schema
from runs.api.serializers.key import KeyListSerializer, KeyRequestSerializer, NewKeySerializer
from runs.api.serializers.problem import ProblemSerializer
from runs.api.serializers.query import (
    ListDeliveriesSerializer,
    ListRunsSerializer,
    StatementQuerySerializer,
    WaitSerializer,
)
from runs.api.serializers.quote import QuoteSerializer
from runs.api.serializers.run import (
    RunEventSerializer,
    RunInputsSerializer,
    RunListSerializer,
    RunSerializer,
    SubmittedRunSerializer,
)
from runs.api.serializers.service import BudgetSerializer, HealthSerializer, PackListSerializer, ReadinessSerializer
from runs.api.serializers.statement import StatementSerializer
from runs.api.serializers.upload import UploadRequestSerializer, UploadSerializer
from runs.api.serializers.webhook import (
    DeliveryListSerializer,
    DeliverySerializer,
    RotationRequestSerializer,
    WebhookListSerializer,
    WebhookMessageSerializer,
    WebhookRequestSerializer,
    WebhookSerializer,
    WebhookWithSecretSerializer,
)
from runs.api.submission import pack_shapes

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

JSON = "application/json"

RUNS, WEBHOOKS, ACCOUNT, SERVICE = "runs", "webhooks", "account", "service"
TAGS = {
    RUNS: "Submit, read, list, cancel and follow runs.",
    WEBHOOKS: "Be told when a run has ended, instead of asking.",
    ACCOUNT: "Money, and what it buys.",
    SERVICE: "This document, and whether the service is well.",
}

_ALWAYS = (problems.METHOD_NOT_ALLOWED, problems.NOT_ACCEPTABLE, problems.INTERNAL_ERROR)
_AUTHENTICATED = (problems.AUTH_INVALID, problems.RATE_LIMITED, problems.DEPENDENCY_UNAVAILABLE)
_ANY_BODY = (problems.LENGTH_REQUIRED,)
_ONE_RUN = (problems.RUN_NOT_FOUND_STEALTH, problems.RUN_EXPIRED)

# Whoever is not known has no limits to be told of; nor has a request that was refused before.
_WITHOUT_LIMITS = frozenset({401, 405, 406, 411, 429, 500, 503})
# Extra headers of a problem, by its status.
_PROBLEM_HEADERS = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}

# Which operations an answer leads to, by operation and status: all of them take the run's id.
LINKS = {
    ("submitRun", "202"): ("getRun", "cancelRun", "streamRunEvents"),
    ("getRun", "200"): ("getRun", "cancelRun"),
    ("cancelRun", "202"): ("getRun", "cancelRun"),
}


def answer(description: str, serializer: Any, shown: Sequence[str] = ()) -> OpenApiResponse:
    return OpenApiResponse(serializer, description, [examples.example(name) for name in shown])


def _operation(
    name: str,
    *,
    tag: str,
    summary: str,
    description: str,
    answers: dict[int, OpenApiResponse],
    media_type: str = JSON,
    as_text: tuple[str, ...] = (),
    problems: tuple[Problem, ...] = (),
    inputs: Sequence[Any] = (),
    body: Any = None,
    shown: Sequence[str] = (),
    more_headers: dict[int, tuple[str, ...]] | None = None,
    is_open: bool = False,
    shows_costs: bool = False,
) -> Decorator[Any]:
    known = (*_ALWAYS, *(() if is_open else _AUTHENTICATED), *(() if body is None else _ANY_BODY), *problems)
    responses: dict[Any, OpenApiResponse] = {(status, media_type): found for status, found in answers.items()}
    # The same in further shapes, which no schema describes.
    responses |= {(status, media): answer("", str) for status in answers for media in as_text}
    responses |= {(status, PROBLEM_JSON): _problems(known, status) for status in {item.status for item in known}}
    names_by_status: dict[int, tuple[str, ...]] = {}
    for status in sorted({status for status, _ in responses}):
        is_problem = status not in answers
        limits = () if is_open or (is_problem and status in _WITHOUT_LIMITS) else headers.LIMITS
        more = _PROBLEM_HEADERS.get(status, ()) if is_problem else (more_headers or {}).get(status, ())
        names_by_status[status] = headers.TRACE + limits + (headers.COSTS if shows_costs else ()) + more
    return extend_schema(
        operation_id=name,
        tags=[tag],
        summary=summary,
        description=description,
        parameters=[*inputs, headers.TRACE_ID, *_answer_headers(names_by_status)],
        request=body,
        responses=responses,
        examples=[examples.example(shape, request_only=True) for shape in shown],
    )


def _answer_headers(names_by_status: dict[int, tuple[str, ...]]) -> list[OpenApiParameter]:
    statuses: dict[str, list[int]] = {}
    for status, names in names_by_status.items():
        for name in names:
            statuses.setdefault(name, []).append(status)
    return [headers.of_answers(name, found) for name, found in statuses.items()]


def _problems(known: tuple[Problem, ...], status: int) -> OpenApiResponse:
    codes = [problem.reason_code for problem in known if problem.status == status]
    return answer(" · ".join(codes), ProblemSerializer, codes)


_ANY_RUN = PolymorphicProxySerializer(
    component_name="RunRequest",
    serializers=[shape for pack in PACKS.values() for shape in pack_shapes(pack)],
    resource_type_field_name=None,
)
SUBMIT_RUN = _operation(
    "submitRun",
    tag=RUNS,
    summary="Submit a run",
    description=(
        "Checks the inputs, holds `max_cost_usd`, queues the run. Repeating the request with the same "
        "Idempotency-Key is safe at any time: the answer is the same receipt.\n\n"
        "With `Prefer: wait=N` the answer is held until the run has ended, at most N seconds (0-25), and carries "
        "`run`, as GET would show it then.\n\n"
        "Every pack has two shapes, canonical and flat. Both hash equal when they mean the same. A value may also "
        "stand in both places of a mixed shape, if it means the same in both."
    ),
    inputs=[headers.IDEMPOTENCY_KEY, headers.PREFER],
    body=_ANY_RUN,
    shown=examples.OF_EVERY_PACK,
    answers={202: answer("Accepted, or accepted before.", SubmittedRunSerializer, ["Receipt", "ReceiptWithRun"])},
    more_headers={202: ("Location", "Idempotent-Replayed", "Preference-Applied")},
    problems=(
        problems.INVALID_PARAMS,
        problems.SCHEMA_VALIDATION_FAILED,
        problems.BUDGET_DRAINED,
        problems.KEY_BUDGET_DRAINED,
        problems.RESERVATION_TOO_SMALL,
        problems.RESERVATION_FAILED,
        problems.TENANT_SUSPENDED,
        problems.KEY_NOT_ALLOWED,
        problems.IDEMPOTENCY_CONFLICT,
        problems.IDEMPOTENCY_IN_PROGRESS,
        problems.PAYLOAD_TOO_LARGE,
        problems.UNSUPPORTED_MEDIA_TYPE,
        problems.INVALID_MONEY_SCALE,
        problems.CONCURRENCY_LIMITED,
        problems.QUEUE_ENQUEUE_FAILED,
        problems.STORAGE_WRITE_FAILED,
        problems.UPSTREAM_TIMEOUT,
        problems.FEATURE_DISABLED,
    ),
    shows_costs=True,
)
LIST_RUNS = _operation(
    "listRuns",
    tag=RUNS,
    summary="List runs",
    description="The tenant's own runs, newest first.",
    inputs=[ListRunsSerializer],
    answers={200: answer("One page.", RunListSerializer, ["RunList"])},
    problems=(problems.INVALID_PARAMS,),
    shows_costs=True,
)
GET_RUN = _operation(
    "getRun",
    tag=RUNS,
    summary="Read a run",
    description=(
        "State, cost and, once there is one, the result. With `wait` the answer is held until something changes, with "
        "`until=end` until the run has ended. "
        "No such run, another tenant's and a malformed id are one and the same answer."
    ),
    inputs=[headers.RUN_ID, WaitSerializer, headers.IF_NONE_MATCH],
    answers={
        200: answer("The run.", RunSerializer, ["QueuedRun", "CompletedRun", "FailedRun"]),
        304: answer("The run is live and as it was.", None),
    },
    more_headers={200: ("ETag",), 304: ("ETag",)},
    problems=(*_ONE_RUN, problems.INVALID_PARAMS, problems.RESULT_UNAVAILABLE, problems.STORAGE_WRITE_FAILED),
    shows_costs=True,
)
GET_INPUTS = _operation(
    "getRunInputs",
    tag=RUNS,
    summary="Read what a run was asked",
    description=(
        "The request as it is stored and executed, with all defaults filled in: for `dpp verify --recompute`. Kept as "
        "long as the result; of a run that was cancelled or never started, not even that long."
    ),
    inputs=[headers.RUN_ID],
    answers={200: answer("The stored request.", RunInputsSerializer)},
    problems=(*_ONE_RUN, problems.RESULT_UNAVAILABLE, problems.STORAGE_WRITE_FAILED),
    shows_costs=True,
)
CANCEL_RUN = _operation(
    "cancelRun",
    tag=RUNS,
    summary="Cancel a run",
    description=(
        "A queued run ends at once and costs nothing. A running one stops at its next step and costs the minimum fee; "
        "read it until it has ended. May be repeated."
    ),
    inputs=[headers.RUN_ID],
    answers={202: answer("The run as it is now.", RunSerializer, ["CancelledRun"])},
    problems=(problems.KEY_NOT_ALLOWED, *_ONE_RUN, problems.RUN_NOT_CANCELLABLE),
    shows_costs=True,
)
DELETE_RUN = _operation(
    "deleteRun",
    tag=RUNS,
    summary="Delete a run's data",
    description=(
        "Of a run that has ended: result, reports and inputs are deleted now and not at the end of the retention; "
        "the run answers 410 from then on. What it cost stays in the journal. Its Idempotency-Key is free again."
    ),
    inputs=[headers.RUN_ID],
    answers={204: answer("They are gone.", None)},
    problems=(problems.KEY_NOT_ALLOWED, *_ONE_RUN, problems.RUN_NOT_ENDED, problems.STORAGE_WRITE_FAILED),
    shows_costs=True,
)
STREAM_EVENTS = _operation(
    "streamRunEvents",
    tag=RUNS,
    summary="Listen to a run",
    description=(
        "Server-Sent Events: `id` is a sequence number, `event` the stage, `data` JSON. Ends after the terminal event. "
        "A broken stream resumes with Last-Event-ID: nothing twice, nothing missing. "
        "Without a number the present state comes first; `last_seq=0` replays from the beginning."
    ),
    inputs=[headers.RUN_ID, headers.LAST_EVENT_ID, headers.LAST_SEQ],
    answers={
        200: answer("The stream.", RunEventSerializer),
        204: answer("The run has ended and the caller has seen all of it.", None),
    },
    media_type="text/event-stream",
    problems=(*_ONE_RUN, problems.DEPENDENCY_UNAVAILABLE),
    shows_costs=True,
)
ANNOUNCE_UPLOAD = _operation(
    "announceUpload",
    tag=RUNS,
    summary="Announce a file to upload",
    description=(
        "For files that do not fit into a request. The answer is a link that takes exactly these bytes with one "
        'PUT; a run names the file as `{"kind": "upload", "upload_id": …}` within a day. Free.'
    ),
    body=UploadRequestSerializer,
    answers={201: answer("Where to put the file.", UploadSerializer)},
    problems=(
        problems.INVALID_PARAMS,
        problems.KEY_NOT_ALLOWED,
        problems.PAYLOAD_TOO_LARGE,
        problems.UNSUPPORTED_MEDIA_TYPE,
        problems.UPLOAD_QUOTA_REACHED,
        problems.STORAGE_WRITE_FAILED,
    ),
)
MAKE_QUOTE = _operation(
    "makeQuote",
    tag=ACCOUNT,
    summary="Ask what a run would cost",
    description=(
        "Takes the body of a submit; free, and no run is made. Tells the least, the likely and the most by item, and "
        "what the given limit would leave out. With `quote_id` in its reservation a run is charged at these prices."
    ),
    body=_ANY_RUN,
    shown=["CanonicalRequest", "FlatRequest"],
    answers={200: answer("The quote.", QuoteSerializer)},
    problems=(
        problems.INVALID_PARAMS,
        problems.SCHEMA_VALIDATION_FAILED,
        problems.PAYLOAD_TOO_LARGE,
        problems.UNSUPPORTED_MEDIA_TYPE,
        problems.INVALID_MONEY_SCALE,
    ),
)
LIST_KEYS = _operation(
    "listKeys",
    tag=ACCOUNT,
    summary="List keys",
    description="The calling key and those below it that can be used, with what each has spent and holds.",
    answers={200: answer("The keys.", KeyListSerializer)},
)
MAKE_KEY = _operation(
    "makeKey",
    tag=ACCOUNT,
    summary="Make a key that may do less",
    description=(
        "Only with a key that has the right. The new key may do at most what its maker may; what it spends counts "
        "against every limit above it. Its text is in this answer and nowhere else: of an answer that was lost, revoke "
        "the key that the list shows."
    ),
    body=KeyRequestSerializer,
    answers={201: answer("The key.", NewKeySerializer)},
    problems=(
        problems.INVALID_PARAMS,
        problems.KEY_NOT_ALLOWED,
        problems.INVALID_MONEY_SCALE,
        problems.KEY_QUOTA_REACHED,
        problems.PAYLOAD_TOO_LARGE,
        problems.UNSUPPORTED_MEDIA_TYPE,
    ),
)
REVOKE_KEY = _operation(
    "revokeKey",
    tag=ACCOUNT,
    summary="Revoke a key",
    description=(
        "The calling key or one below it, with all that were made with it. Refused everywhere within five seconds. "
        "Runs that it submitted go on."
    ),
    inputs=[headers.KEY_ID],
    answers={204: answer("It is revoked.", None)},
    problems=(problems.KEY_NOT_ALLOWED, problems.KEY_NOT_FOUND),
)
_BODY = (problems.INVALID_PARAMS, problems.PAYLOAD_TOO_LARGE, problems.UNSUPPORTED_MEDIA_TYPE)
CREATE_WEBHOOK = _operation(
    "createWebhook",
    tag=WEBHOOKS,
    summary="Have events posted to an address",
    description=(
        "By the Standard Webhooks specification. Messages are thin (what happened to which run), signed with the "
        "secret of this answer (`v1`) and with a key whose public half is in it (`v1a`), and sent at least once. "
        "The answer is the only one that tells the secret."
    ),
    body=WebhookRequestSerializer,
    answers={201: answer("The webhook, with its secret.", WebhookWithSecretSerializer)},
    problems=(
        *_BODY,
        problems.INVALID_MONEY_SCALE,
        problems.KEY_NOT_ALLOWED,
        problems.WEBHOOK_LIMIT_REACHED,
    ),
)
LIST_WEBHOOKS = _operation(
    "listWebhooks",
    tag=WEBHOOKS,
    summary="List webhooks",
    description="All of the tenant's, oldest first.",
    answers={200: answer("The webhooks.", WebhookListSerializer)},
)
GET_WEBHOOK = _operation(
    "getWebhook",
    tag=WEBHOOKS,
    summary="Read a webhook",
    description="Whether it is active, and when it last took a message.",
    inputs=[headers.WEBHOOK_ID],
    answers={200: answer("The webhook.", WebhookSerializer)},
    problems=(problems.WEBHOOK_NOT_FOUND,),
)
DELETE_WEBHOOK = _operation(
    "deleteWebhook",
    tag=WEBHOOKS,
    summary="Delete a webhook",
    description="With its messages, sent or not.",
    inputs=[headers.WEBHOOK_ID],
    answers={204: answer("It is gone.", None)},
    problems=(problems.KEY_NOT_ALLOWED, problems.WEBHOOK_NOT_FOUND),
)
ROTATE_WEBHOOK = _operation(
    "rotateWebhookSecret",
    tag=WEBHOOKS,
    summary="Change a webhook's secret",
    description="Messages are signed with the new and the old secret for the overlap: a receiver that knows either "
    "verifies them.",
    inputs=[headers.WEBHOOK_ID],
    body=RotationRequestSerializer,
    answers={200: answer("The webhook, with its new secret.", WebhookWithSecretSerializer)},
    problems=(*_BODY, problems.KEY_NOT_ALLOWED, problems.WEBHOOK_NOT_FOUND),
)
ENABLE_WEBHOOK = _operation(
    "enableWebhook",
    tag=WEBHOOKS,
    summary="Switch a webhook on again",
    description="One that answered 410, or that failed for as long as a message is tried. What waited is sent at once. "
    "One that the operator switched off stays so.",
    inputs=[headers.WEBHOOK_ID],
    answers={200: answer("The webhook.", WebhookSerializer)},
    problems=(problems.KEY_NOT_ALLOWED, problems.WEBHOOK_NOT_FOUND, problems.WEBHOOK_DISABLED),
)
TEST_WEBHOOK = _operation(
    "testWebhook",
    tag=WEBHOOKS,
    summary="Send a test message",
    description="Of the type `webhook.test`, signed and tried as all others.",
    inputs=[headers.WEBHOOK_ID],
    answers={202: answer("The message; its delivery tells what came of it.", DeliverySerializer)},
    problems=(problems.KEY_NOT_ALLOWED, problems.WEBHOOK_NOT_FOUND, problems.WEBHOOK_DISABLED),
)
LIST_DELIVERIES = _operation(
    "listDeliveries",
    tag=WEBHOOKS,
    summary="List a webhook's messages",
    description="Newest first, for 30 days: delivered or not, how often tried, and what the receiver answered.",
    inputs=[headers.WEBHOOK_ID, ListDeliveriesSerializer],
    answers={200: answer("One page.", DeliveryListSerializer)},
    problems=(problems.INVALID_PARAMS, problems.WEBHOOK_NOT_FOUND),
)
REDELIVER = _operation(
    "redeliver",
    tag=WEBHOOKS,
    summary="Send a message again",
    description="The same message with the same `webhook-id`, at once and then by the whole schedule.",
    inputs=[headers.WEBHOOK_ID, headers.DELIVERY_ID],
    answers={202: answer("The message.", DeliverySerializer)},
    problems=(problems.KEY_NOT_ALLOWED, problems.WEBHOOK_NOT_FOUND, problems.WEBHOOK_DISABLED),
)
GET_BUDGET = _operation(
    "getBudget",
    tag=ACCOUNT,
    summary="Read the budget",
    description="What can be spent, what is held, and what this month has cost.",
    answers={200: answer("The budget.", BudgetSerializer, ["Budget"])},
)
GET_STATEMENT = _operation(
    "getStatement",
    tag=ACCOUNT,
    summary="Read a month's statement",
    description=(
        "Every entry of the journal of that month (UTC), with the balance after it and the chain's hashes. The head is "
        "signed and names the hash of all entries here. With a filter the entries are some of the chain. An entry's "
        "hash is SHA-256 over the bytes of the hash before it and the text "
        "`tenant|sequence|run|kind|amount|microseconds since 1970|length of the reference|reference|note`."
    ),
    inputs=[headers.MONTH, StatementQuerySerializer],
    answers={200: answer("The statement.", StatementSerializer)},
    as_text=("application/jsonl", "text/csv"),
    problems=(problems.INVALID_PARAMS, problems.ROUTE_NOT_FOUND),
)
LIST_PACKS = _operation(
    "listPacks",
    tag=ACCOUNT,
    summary="List packs",
    description="What can be bought: each pack's input schema and the prices of what it may spend.",
    answers={200: answer("All packs.", PackListSerializer)},
)
GET_OPENAPI = _operation(
    "getOpenApi",
    tag=SERVICE,
    summary="This document",
    description="OpenAPI 3.1.",
    answers={200: answer("OpenAPI.", {"type": "object"})},
    is_open=True,
)
HEALTH = _operation(
    "health",
    tag=SERVICE,
    summary="Does the process live?",
    description="Asks nothing of anything else.",
    answers={200: answer("It does.", HealthSerializer)},
    is_open=True,
)
READY = _operation(
    "ready",
    tag=SERVICE,
    summary="Does everything it needs answer?",
    description="Database, Redis, S3 and SQS, each with its latency; and what this machine's kernel lacks to "
    "confine the readers of strangers' documents.",
    answers={
        200: answer("Everything does.", ReadinessSerializer, ["Ready"]),
        503: answer("`down` names what does not.", ReadinessSerializer, ["NotReady"]),
    },
    is_open=True,
)

JWKS: dict[str, Any] = {
    "operationId": "getPublicKeys",
    "tags": [SERVICE],
    "summary": "The keys that verify results",
    "description": "RFC 7517. `signatures.key_id` of an envelope is the `kid` of the key that signed it; keys of the "
    "past stay. The signature is Ed25519 over the RFC 8785 form of the envelope without `signatures`.",
    "security": [],
    "responses": {
        "200": {
            "description": "A JWK set.",
            "content": {
                "application/jwk-set+json": {
                    "schema": {
                        "type": "object",
                        "required": ["keys"],
                        "properties": {
                            "keys": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": ["kty", "crv", "x", "kid", "alg", "use"],
                                    "additionalProperties": {"type": "string"},
                                },
                            }
                        },
                    }
                }
            },
        }
    },
}
# No view of the framework: Prometheus asks for types of its own.
METRICS: dict[str, Any] = {
    "operationId": "metrics",
    "tags": [SERVICE],
    "summary": "Metrics for Prometheus",
    "description": "Of all processes of this machine.",
    "security": [],
    "responses": {"200": {"description": "Text format.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
}

# What is posted to webhooks.
MESSAGE = "WebhookMessage"
MESSAGE_SCHEMA = object_schema(WebhookMessageSerializer())
MESSAGE_POST: dict[str, Any] = {
    "summary": "A run has ended, the balance is low, or somebody has asked for a test",
    "requestBody": {
        "required": True,
        "content": {JSON: {"schema": {"$ref": f"#/components/schemas/{MESSAGE}"}}},
    },
    "responses": {"2XX": {"description": "Taken."}, "410": {"description": "Send nothing more."}},
}
