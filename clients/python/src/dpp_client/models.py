"""What the API takes and answers, as types. Made by `make openapi` from openapi.json; do not edit."""

from typing import Any, Literal, NotRequired, TypedDict


class Artifact(TypedDict):
    mime: str
    name: str
    presigned_url: str
    sha256: str
    size: int


class Artifacts(TypedDict):
    include_docx: NotRequired[bool]
    include_markdown: NotRequired[bool]


class KeyBudget(TypedDict):
    held_usd: str
    max_per_run_usd: str | None
    max_total_usd: str | None
    remaining_usd: str | None
    spent_usd: str


class Plan(TypedDict):
    budget_alert_usd: str
    max_concurrent_runs: int
    name: str
    poll_rate_per_min: int
    retention_days: int
    submit_rate_per_min: int


class Budget(TypedDict):
    balance_is_low: bool
    balance_usd: str
    currency: Literal["USD"]
    key: NotRequired[KeyBudget]
    month: str
    plan: Plan
    reserved_usd: str
    spent_this_month_usd: str


class Client(TypedDict):
    client_name: NotRequired[str]
    client_version: NotRequired[str]
    trace_id: NotRequired[str]


class ComplianceInputsDocument1SectionsItem(TypedDict):
    heading: NotRequired[str]
    text: str


class ComplianceInputsDocument1(TypedDict):
    sections: list[ComplianceInputsDocument1SectionsItem]
    title: NotRequired[str]


class ComplianceInputs(TypedDict):
    document: NotRequired[str | ComplianceInputsDocument1]
    kind: NotRequired[Literal["ad", "policy", "ai_output", "general"]]
    language: NotRequired[Literal["ko", "en"]]
    text: NotRequired[str]


class DecisionInputsCriteriaItem1Scale(TypedDict):
    max: float
    min: float


class DecisionInputsCriteriaItem1(TypedDict):
    direction: NotRequired[Literal["higher_is_better", "lower_is_better"]]
    name: str
    scale: NotRequired[DecisionInputsCriteriaItem1Scale]
    weight: NotRequired[float]


class DecisionInputsOptionsItem1(TypedDict):
    attributes: NotRequired[dict[str, str | float | bool]]
    description: NotRequired[str]
    name: str


class DecisionInputs(TypedDict):
    context: NotRequired[str | dict[str, Any]]
    criteria: NotRequired[list[str | DecisionInputsCriteriaItem1]]
    decision_question: NotRequired[str]
    evidence_urls: NotRequired[list[str]]
    language: NotRequired[Literal["ko", "en"]]
    mode: NotRequired[Literal["brief", "full"]]
    options: NotRequired[list[str | DecisionInputsOptionsItem1]]
    question: NotRequired[str]


class Delivery(TypedDict):
    attempts: int
    created_at: str
    delivered_at: NotRequired[str]
    delivery_id: str
    event: Literal["run.completed", "run.failed", "budget.low", "webhook.test"]
    last_attempt_at: NotRequired[str]
    last_problem: NotRequired[str]
    last_status_code: NotRequired[int]
    next_attempt_at: NotRequired[str]
    run_id: NotRequired[str]
    state: Literal["PENDING", "DELIVERED", "FAILED"]


class DeliveryList(TypedDict):
    deliveries: list[Delivery]
    next_cursor: str | None


class Dependency(TypedDict):
    error: NotRequired[str]
    latency_ms: NotRequired[float]
    missing: NotRequired[list[str]]
    ok: bool
    skew_sec: NotRequired[float]


class Draft(TypedDict):
    attempt: int
    piece: NotRequired[int]
    pieces: NotRequired[int]
    text: NotRequired[str]
    verdict: NotRequired[Literal["stands", "changed", "refused"]]


class EvalInputsClaimsItem1(TypedDict):
    source_ids: NotRequired[list[str]]
    text: str


class EvalInputsRubricWeights(TypedDict):
    citation_hygiene: NotRequired[int]
    clarity: NotRequired[int]
    contradictions: NotRequired[int]
    evidence_coverage: NotRequired[int]
    number_consistency: NotRequired[int]


class EvalInputsRubric(TypedDict):
    weights: NotRequired[EvalInputsRubricWeights]


class EvalInputsSourcesItem1(TypedDict):
    date: NotRequired[str]
    id: NotRequired[str]
    text: NotRequired[str]
    title: NotRequired[str]
    url: NotRequired[str]


class EvalInputs(TypedDict):
    claims: NotRequired[list[str | EvalInputsClaimsItem1]]
    rubric: NotRequired[EvalInputsRubric]
    sources: NotRequired[list[str | EvalInputsSourcesItem1]]
    text: NotRequired[str]


class Health(TypedDict):
    status: Literal["ok"]


class Key(TypedDict):
    budget: Any
    created_at: str
    expires_at: str | None
    key_id: str
    label: str
    last_used_at: str | None
    made_by_key_id: str | None
    may_create_keys: bool
    packs: list[Literal["compliance", "decision", "eval", "ocr", "url"]] | None
    prefix: str
    read_only: bool


class KeyList(TypedDict):
    keys: list[Key]


class KeyRequest(TypedDict):
    expires_at: NotRequired[str]
    label: NotRequired[str]
    max_per_run_usd: NotRequired[str]
    max_total_usd: NotRequired[str]
    may_create_keys: NotRequired[bool]
    packs: NotRequired[list[Literal["compliance", "decision", "eval", "ocr", "url"]]]
    read_only: NotRequired[bool]


class LostEvents(TypedDict):
    events: NotRequired[int]
    first: int
    last: int


class MinimumFee(TypedDict):
    at_least_usd_micros: int
    at_most_usd_micros: int
    percent_of_reservation: int


class NewKey(TypedDict):
    api_key: str
    budget: Any
    created_at: str
    expires_at: str | None
    key_id: str
    label: str
    last_used_at: str | None
    made_by_key_id: str | None
    may_create_keys: bool
    packs: list[Literal["compliance", "decision", "eval", "ocr", "url"]] | None
    prefix: str
    read_only: bool


class OcrInputs(TypedDict):
    images: NotRequired[list[dict[str, Any]]]
    input_files: NotRequired[list[Any]]
    language: NotRequired[Literal["kor+eng", "kor", "eng"]]
    max_pages: NotRequired[int]
    ocr_profile: NotRequired[Literal["P1", "P2A", "P2B", "P3"]]
    pdf_url: NotRequired[str]


class Options(TypedDict):
    inline: NotRequired[Literal[0, 1]]


class PackPrice(TypedDict):
    charged: str
    item: str
    unit: str
    unit_price_usd_micros: int


class Pack(TypedDict):
    input_schema: dict[str, Any]
    max_body_bytes: int
    max_values: int
    name: Literal["decision", "url", "compliance", "eval", "ocr"]
    prices: list[PackPrice]
    title: str


class PackList(TypedDict):
    currency: Literal["USD"]
    free: list[str]
    minimum_fee: MinimumFee
    packs: list[Pack]
    profile_version: str


class ProblemError(TypedDict):
    detail: str
    parameter: NotRequired[str]
    pointer: NotRequired[str]


class ProblemExtensions(TypedDict):
    balance_remaining: NotRequired[str]
    charged_usd: str
    errors: NotRequired[list[ProblemError]]
    key_max_per_run: NotRequired[str]
    key_remaining: NotRequired[str]
    least_usd: NotRequired[str]
    next_action: str
    reason_code: Literal[
        "AUTH_INVALID",
        "BUDGET_DRAINED",
        "CONCURRENCY_LIMITED",
        "DEPENDENCY_UNAVAILABLE",
        "FEATURE_DISABLED",
        "IDEMPOTENCY_CONFLICT",
        "IDEMPOTENCY_IN_PROGRESS",
        "INTERNAL_ERROR",
        "INVALID_MONEY_SCALE",
        "INVALID_PARAMS",
        "KEY_BUDGET_DRAINED",
        "KEY_NOT_ALLOWED",
        "KEY_NOT_FOUND",
        "KEY_QUOTA_REACHED",
        "LENGTH_REQUIRED",
        "METHOD_NOT_ALLOWED",
        "NOTHING_DELIVERED",
        "NOT_ACCEPTABLE",
        "PACK_FAILED",
        "PAYLOAD_TOO_LARGE",
        "QUEUE_ENQUEUE_FAILED",
        "RATE_LIMITED",
        "RELIABILITY_NOT_MET",
        "RESERVATION_EXPIRED",
        "RESERVATION_FAILED",
        "RESERVATION_TOO_SMALL",
        "RESULT_UNAVAILABLE",
        "ROUTE_NOT_FOUND",
        "RUN_CANCELLED",
        "RUN_EXPIRED",
        "RUN_NOT_CANCELLABLE",
        "RUN_NOT_ENDED",
        "RUN_NOT_FOUND_STEALTH",
        "SCHEMA_VALIDATION_FAILED",
        "STORAGE_READ_FAILED",
        "STORAGE_WRITE_FAILED",
        "TENANT_SUSPENDED",
        "TIMEBOX_EXCEEDED",
        "UNSUPPORTED_MEDIA_TYPE",
        "UPLOAD_QUOTA_REACHED",
        "UPSTREAM_TIMEOUT",
        "WEBHOOK_DISABLED",
        "WEBHOOK_LIMIT_REACHED",
        "WEBHOOK_NOT_FOUND",
        "WORKER_CRASHED",
        "WORKER_TIMEOUT",
    ]
    reservation_required: NotRequired[str]
    retry_after_sec: int | None
    retry_with: Literal["same_key", "new_key", "none"]
    retryable: bool
    run_id: NotRequired[str]
    trace_id: str


class Problem(TypedDict):
    balance_remaining: NotRequired[str]
    charged_usd: str
    detail: str
    errors: NotRequired[list[ProblemError]]
    extensions: ProblemExtensions
    instance: str
    key_max_per_run: NotRequired[str]
    key_remaining: NotRequired[str]
    least_usd: NotRequired[str]
    next_action: str
    reason_code: Literal[
        "AUTH_INVALID",
        "BUDGET_DRAINED",
        "CONCURRENCY_LIMITED",
        "DEPENDENCY_UNAVAILABLE",
        "FEATURE_DISABLED",
        "IDEMPOTENCY_CONFLICT",
        "IDEMPOTENCY_IN_PROGRESS",
        "INTERNAL_ERROR",
        "INVALID_MONEY_SCALE",
        "INVALID_PARAMS",
        "KEY_BUDGET_DRAINED",
        "KEY_NOT_ALLOWED",
        "KEY_NOT_FOUND",
        "KEY_QUOTA_REACHED",
        "LENGTH_REQUIRED",
        "METHOD_NOT_ALLOWED",
        "NOTHING_DELIVERED",
        "NOT_ACCEPTABLE",
        "PACK_FAILED",
        "PAYLOAD_TOO_LARGE",
        "QUEUE_ENQUEUE_FAILED",
        "RATE_LIMITED",
        "RELIABILITY_NOT_MET",
        "RESERVATION_EXPIRED",
        "RESERVATION_FAILED",
        "RESERVATION_TOO_SMALL",
        "RESULT_UNAVAILABLE",
        "ROUTE_NOT_FOUND",
        "RUN_CANCELLED",
        "RUN_EXPIRED",
        "RUN_NOT_CANCELLABLE",
        "RUN_NOT_ENDED",
        "RUN_NOT_FOUND_STEALTH",
        "SCHEMA_VALIDATION_FAILED",
        "STORAGE_READ_FAILED",
        "STORAGE_WRITE_FAILED",
        "TENANT_SUSPENDED",
        "TIMEBOX_EXCEEDED",
        "UNSUPPORTED_MEDIA_TYPE",
        "UPLOAD_QUOTA_REACHED",
        "UPSTREAM_TIMEOUT",
        "WEBHOOK_DISABLED",
        "WEBHOOK_LIMIT_REACHED",
        "WEBHOOK_NOT_FOUND",
        "WORKER_CRASHED",
        "WORKER_TIMEOUT",
    ]
    reservation_required: NotRequired[str]
    retry_after_sec: int | None
    retry_with: Literal["same_key", "new_key", "none"]
    retryable: bool
    run_id: NotRequired[str]
    status: int
    title: str
    trace_id: str
    type: str


class QuotedItem(TypedDict):
    item: str
    least: int
    likely: int
    unit_price_usd_micros: int
    worst: int


class Quote(TypedDict):
    currency: Literal["USD"]
    expires_at: str
    items: list[QuotedItem]
    least_usd: str
    left_out: dict[str, int]
    likely_usd: str
    quote_id: str
    worst_usd: str


class Readiness(TypedDict):
    checks: dict[str, Dependency]
    down: list[str]
    status: Literal["ready", "unavailable"]


class ReceiptEvents(TypedDict):
    href: str


class ReceiptMeta(TypedDict):
    created_at: str
    profile_version: str
    trace_id: str


class ReceiptPoll(TypedDict):
    href: str
    max_wait_sec: int
    recommended_interval_ms: int


class ReceiptReservation(TypedDict):
    currency: Literal["USD"]
    max_cost_usd: str
    min_reliability_score: float
    timebox_sec: int


class RunCost(TypedDict):
    budget_remaining_usd: str
    minimum_fee_usd: str
    reserved_usd: str
    used_usd: str


class RunError(TypedDict):
    problem: Problem
    reason_code: Literal[
        "WORKER_TIMEOUT",
        "WORKER_CRASHED",
        "TIMEBOX_EXCEEDED",
        "PACK_FAILED",
        "NOTHING_DELIVERED",
        "RELIABILITY_NOT_MET",
        "STORAGE_READ_FAILED",
        "STORAGE_WRITE_FAILED",
        "RESERVATION_EXPIRED",
        "QUEUE_ENQUEUE_FAILED",
        "RUN_CANCELLED",
        "FEATURE_DISABLED",
    ]


class RunMeta(TypedDict):
    created_at: str
    profile_version: str
    retention_until: str
    trace_id: str
    updated_at: str


class RunReliability(TypedDict):
    met: bool
    required: float
    score: float


class Result(TypedDict):
    artifacts: list[Artifact]
    expires_at: str
    inline: NotRequired[dict[str, Any]]
    presigned_url: str
    sha256: str
    size: int


class RunWarning(TypedDict):
    code: str
    text: str


class Run(TypedDict):
    budget_cap: NotRequired[str | None]
    cost: RunCost
    error: NotRequired[RunError]
    meta: RunMeta
    money_state: Literal["NONE", "RESERVED", "SETTLED", "REFUNDED", "DISPUTED"]
    pack_type: Literal["decision", "url", "compliance", "eval", "ocr"]
    progress: float
    reliability: NotRequired[RunReliability]
    result: NotRequired[Result]
    run_id: str
    status: Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED"]
    tags: NotRequired[dict[str, str]]
    warnings: NotRequired[list[RunWarning]]


class Receipt(TypedDict):
    events: ReceiptEvents
    meta: ReceiptMeta
    poll: ReceiptPoll
    reservation: ReceiptReservation
    run: NotRequired[Run]
    run_id: str
    status: Literal["QUEUED"]
    tags: NotRequired[dict[str, str]]


class RequestMeta(TypedDict):
    profile_version: NotRequired[Literal["PROFILE_DPP_0_4_2_2", "v0.4.2.2"]]
    trace_id: NotRequired[str]


class Reservation(TypedDict):
    max_cost_usd: str
    min_reliability_score: NotRequired[float]
    on_unmet: NotRequired[Literal["accept", "refund"]]
    quote_id: NotRequired[str]
    timebox_sec: NotRequired[int]


class RotationRequest(TypedDict):
    overlap_sec: NotRequired[int]


class RunEvent(TypedDict):
    data: NotRequired[str]
    event: NotRequired[Literal["queued", "preflight", "execute", "answer", "store", "settle", "done", "gap"]]
    id: NotRequired[str]
    retry: NotRequired[int]


class RunEventData(TypedDict):
    at: str
    detail: NotRequired[dict[str, str | int]]
    draft: NotRequired[Draft]
    lost: NotRequired[LostEvents]
    money_state: Literal["NONE", "RESERVED", "SETTLED", "REFUNDED", "DISPUTED"]
    progress: float
    reason_code: NotRequired[
        Literal[
            "WORKER_TIMEOUT",
            "WORKER_CRASHED",
            "TIMEBOX_EXCEEDED",
            "PACK_FAILED",
            "NOTHING_DELIVERED",
            "RELIABILITY_NOT_MET",
            "STORAGE_READ_FAILED",
            "STORAGE_WRITE_FAILED",
            "RESERVATION_EXPIRED",
            "QUEUE_ENQUEUE_FAILED",
            "RUN_CANCELLED",
            "FEATURE_DISABLED",
        ]
    ]
    run_id: str
    seq: int
    stage: Literal["queued", "preflight", "execute", "answer", "store", "settle", "done", "gap"]
    status: Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED"]
    step: NotRequired[str]
    used_usd: NotRequired[str]
    version: int


class RunInputs(TypedDict):
    request: dict[str, Any]
    run_id: str


class RunSummaryCost(TypedDict):
    minimum_fee_usd: str
    reserved_usd: str
    used_usd: str


class RunSummaryError(TypedDict):
    reason_code: str


class RunSummary(TypedDict):
    cost: RunSummaryCost
    error: NotRequired[RunSummaryError]
    meta: RunMeta
    money_state: Literal["NONE", "RESERVED", "SETTLED", "REFUNDED", "DISPUTED"]
    pack_type: Literal["decision", "url", "compliance", "eval", "ocr"]
    progress: float
    run_id: str
    status: Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED"]
    tags: NotRequired[dict[str, str]]


class RunList(TypedDict):
    next_cursor: str | None
    runs: list[RunSummary]


class StatementEntry(TypedDict):
    amount_usd_micros: int
    api_key_id: str | None
    balance_usd_micros: int
    created_at: str
    entry_hash: str
    kind: Literal["CREDIT", "RESERVE", "SETTLE", "REFUND", "ADJUST"]
    note: str
    pack_type: str | None
    previous_hash: str
    reference: str | None
    run_id: str | None
    sequence: int
    tags: dict[str, str] | None


class StatementHead(TypedDict):
    api_key_id: str | None
    closing_usd_micros: int
    currency: Literal["USD"]
    entries: int
    entries_sha256: str
    first_previous_hash: str
    last_entry_hash: str
    listed_usd_micros: int
    month: str
    opening_usd_micros: int
    plan: str
    tag: str | None
    tenant_id: str


class StatementSignatures(TypedDict):
    ed25519: str
    key_id: str


class Statement(TypedDict):
    entries: list[StatementEntry]
    head: StatementHead
    next_after: int | None
    signatures: StatementSignatures


class Upload(TypedDict):
    expires_at: str
    headers: dict[str, str]
    method: Literal["PUT"]
    upload_id: str
    url: str
    url_expires_at: str


class UploadRequest(TypedDict):
    mime: Literal["application/pdf", "image/png", "image/jpeg", "image/webp", "image/tiff"]
    name: str
    sha256: str
    size: int


class UrlInputsGatesQuality1(TypedDict):
    allow_hosts: NotRequired[list[str]]
    deny_hosts: NotRequired[list[str]]
    fresh_since: NotRequired[int]
    include_tiers: NotRequired[list[Literal["association", "company_blog", "community", "promotional"]]]


class UrlInputsGatesRelevance1(TypedDict):
    min_score: NotRequired[float]
    unknown: NotRequired[Literal["keep", "discard"]]


class UrlInputsGates(TypedDict):
    access: NotRequired[bool]
    quality: NotRequired[bool | UrlInputsGatesQuality1]
    relevance: NotRequired[bool | UrlInputsGatesRelevance1]


class UrlInputs(TypedDict):
    allow_https_only: NotRequired[bool]
    block_private_ip: NotRequired[bool]
    decision_question: NotRequired[str]
    fetch_timeout_sec: NotRequired[int]
    gates: NotRequired[UrlInputsGates]
    max_age_sec: NotRequired[int]
    max_redirect_hops: NotRequired[int]
    max_urls: NotRequired[int]
    page_files: NotRequired[Literal["none", "excerpt", "full"]]
    refresh: NotRequired[bool]
    urls: list[str]


class Webhook(TypedDict):
    budget_low_usd: NotRequired[str]
    created_at: str
    description: str
    disabled_reason: NotRequired[Literal["GONE", "FAILING", "OPERATOR"]]
    events: list[Literal["run.completed", "run.failed", "budget.low"]]
    last_success_at: NotRequired[str]
    old_secret_until: NotRequired[str]
    public_key: str
    status: Literal["ACTIVE", "DISABLED"]
    url: str
    webhook_id: str


class WebhookList(TypedDict):
    webhooks: list[Webhook]


class WebhookMessageData(TypedDict):
    available_usd: NotRequired[str]
    below_usd: NotRequired[str]
    pack_type: NotRequired[str]
    reason_code: NotRequired[
        Literal[
            "WORKER_TIMEOUT",
            "WORKER_CRASHED",
            "TIMEBOX_EXCEEDED",
            "PACK_FAILED",
            "NOTHING_DELIVERED",
            "RELIABILITY_NOT_MET",
            "STORAGE_READ_FAILED",
            "STORAGE_WRITE_FAILED",
            "RESERVATION_EXPIRED",
            "QUEUE_ENQUEUE_FAILED",
            "RUN_CANCELLED",
            "FEATURE_DISABLED",
        ]
    ]
    run_id: NotRequired[str]
    status: NotRequired[Literal["COMPLETED", "FAILED"]]
    webhook_id: NotRequired[str]


class WebhookMessage(TypedDict):
    data: WebhookMessageData
    timestamp: str
    type: Literal["run.completed", "run.failed", "budget.low", "webhook.test"]


class WebhookRequest(TypedDict):
    budget_low_usd: NotRequired[str]
    description: NotRequired[str]
    events: list[Literal["run.completed", "run.failed", "budget.low"]]
    url: str


class WebhookWithSecret(TypedDict):
    budget_low_usd: NotRequired[str]
    created_at: str
    description: str
    disabled_reason: NotRequired[Literal["GONE", "FAILING", "OPERATOR"]]
    events: list[Literal["run.completed", "run.failed", "budget.low"]]
    last_success_at: NotRequired[str]
    old_secret_until: NotRequired[str]
    public_key: str
    secret: str
    status: Literal["ACTIVE", "DISABLED"]
    url: str
    webhook_id: str
