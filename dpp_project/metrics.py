"""Every Prometheus metric of the platform, by name, in one place.

Processes share them through `PROMETHEUS_MULTIPROC_DIR` when it is set; `/metrics` then adds all of them up.
"""

from typing import Literal, get_args

from prometheus_client import Counter, Gauge, Histogram

LedgerAlarm = Literal[
    "books_disagree",
    "dead_letter",
    "drift_repaired",
    "no_reservation",
    "receipt_conflict",
    "run_disputed",
    "settled_with_another_charge",
    "unreadable_in_redis",
]

TRANSITIONS = Counter("dpp_transitions_total", "Changes of a run's state", ["actor", "to_status", "reason"])
LOST_RACES = Counter("dpp_lost_races_total", "Compare-and-sets that found another winner", ["actor", "edge"])
LEDGER_ALARMS = Counter("dpp_ledger_alarms_total", "Events of the ledger that must not happen", ["event"])
# Told as 0 from the start: Prometheus sees no increase in a series that begins at 1, and the first alarm of its kind
# would ring nobody.
for _event in get_args(LedgerAlarm):
    LEDGER_ALARMS.labels(event=_event)
LEDGER_DRIFT = Gauge(
    "dpp_ledger_drift_micros",
    "Sum of |Redis - journal| found by the last audit",
    multiprocess_mode="mostrecent",
)
CLOCK_SKEW = Gauge(
    "dpp_clock_skew_seconds",
    "Seconds by which this process's clock is ahead of the database's, when it last looked",
    multiprocess_mode="mostrecent",
)
REQUESTS = Counter("dpp_requests_total", "Answers of the API", ["route", "method", "status"])
REQUEST_SECONDS = Histogram("dpp_request_seconds", "Time to answer", ["route", "method"])
QUICK_POLLS = Counter("dpp_quick_polls_total", "Polls answered before Django; they are among the requests, too")
LIMITED = Counter("dpp_limited_total", "Requests refused by a limit", ["limit"])
LIMITER_FALLBACKS = Counter("dpp_limiter_fallbacks_total", "Requests limited by one process alone: Redis was silent")
DEPENDENCY_REFUSALS = Counter(
    "dpp_dependency_refusals_total", "Calls to a silent server that were not made", ["dependency", "reason"]
)
BODIES_GIVEN_UP = Counter("dpp_bodies_given_up_total", "Connections that were cut: a body did not come")
LONG_POLLS = Counter("dpp_long_polls_total", "Requests that asked to wait for a change", ["outcome"])
SUBMITS = Counter("dpp_submits_total", "Outcomes of POST /v1/runs", ["outcome"])
KEYS_MADE = Counter("dpp_keys_made_total", "API keys that keys made")
RUNS_PER_ACCEPT = Histogram(
    "dpp_runs_per_accept", "Submits that shared one call to the database", buckets=(1, 2, 4, 8, 16)
)
UPLOADS = Counter("dpp_uploads_total", "Files announced by callers")
WEBHOOK_ATTEMPTS = Counter("dpp_webhook_attempts_total", "Attempts to deliver a message to a webhook", ["outcome"])
WEBHOOK_SECONDS = Histogram("dpp_webhook_seconds", "Time that a webhook's receiver took to answer")
WEBHOOKS_DISABLED = Counter("dpp_webhooks_disabled_total", "Webhooks switched off for their receiver", ["reason"])
QUOTES = Counter("dpp_quotes_total", "Quotes given", ["pack_type"])
ENQUEUE_FAILURES = Counter("dpp_enqueue_failures_total", "Messages that could not be sent")
LEASES_LOST = Counter("dpp_leases_lost_total", "Workers that found their lease gone")
RUN_SECONDS = Histogram("dpp_run_seconds", "Time from start to end of a pack", ["pack_type", "outcome"])
JOB_FOUND = Counter("dpp_job_items_total", "What the beat jobs found and did", ["job", "outcome"])
JOBS_REFUSED = Counter("dpp_jobs_refused_total", "Passes not made: the machine's clock is set wrong", ["job"])
JOB_LAST_PASS = Gauge(
    "dpp_job_last_pass_timestamp", "When a beat job last finished", ["job"], multiprocess_mode="mostrecent"
)

EVENTS_PUBLISHED = Counter("dpp_events_published_total", "Events published, by what came of it", ["outcome"])
EVENTS_LOST = Counter("dpp_events_lost_total", "Events given up because Redis did not take them; listeners get gaps")
ANSWER_PIECES = Counter("dpp_answer_pieces_total", "Pieces of a model's text while it was written", ["outcome"])
ANSWERS = Counter("dpp_answer_drafts_total", "Drafts that listeners heard, by what became of them", ["verdict"])
for _outcome in ("told", "left_out"):
    ANSWER_PIECES.labels(outcome=_outcome)
for _verdict in ("stands", "changed", "refused"):
    ANSWERS.labels(verdict=_verdict)
EVENT_LISTENERS = Gauge("dpp_event_listeners", "Open event streams", multiprocess_mode="livesum")
EVENT_WAITERS = Gauge("dpp_event_waiters", "Polls held by the event gateway", multiprocess_mode="livesum")
EVENT_STREAMS = Counter("dpp_event_streams_total", "Event streams, by how they ended", ["ending"])
EVENT_READER_ERRORS = Counter("dpp_event_reader_errors_total", "Reads of the shards that failed")

CACHE_LOOKUPS = Counter("dpp_cache_lookups_total", "Documents asked for, by where they came from", ["source"])
CACHE_LEVEL_ERRORS = Counter("dpp_cache_level_errors_total", "Calls to a cache level that failed", ["level"])
CACHE_REFUSED = Counter("dpp_cache_refused_total", "Entries that were not kept", ["level", "reason"])
FLIGHTS = Counter("dpp_flights_total", "Attempts to take the row of a document, by what came of it", ["outcome"])
HOST_SLOTS = Counter("dpp_host_slots_total", "Downloads that asked for a slot of their host", ["outcome"])
SLOTS_IN_USE = Gauge("dpp_host_slots_in_use", "Downloads under way", multiprocess_mode="livesum")
DOWNLOADS = Counter("dpp_document_downloads_total", "Documents asked of their sites, by what came of it", ["outcome"])
DOCUMENTS_DEGRADED = Counter("dpp_documents_degraded_total", "Old copies in the place of a site's answer", ["reason"])
for _reason in ("HOST_BUSY", "TIMEOUT", "UNREACHABLE", "SITE_ERROR"):
    DOCUMENTS_DEGRADED.labels(reason=_reason)
for _outcome in ("taken", "busy", "unknown"):
    HOST_SLOTS.labels(outcome=_outcome)
FETCH_BLOCKS = Counter("dpp_fetch_blocks_total", "Fetches that the policy refused", ["reason"])
