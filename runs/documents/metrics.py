"""Metrics of caches and single flight."""

from prometheus_client import Counter

LOOKUPS = Counter("dpp_cache_lookups_total", "Documents asked for, by where they came from", ["source"])
LEVEL_ERRORS = Counter("dpp_cache_level_errors_total", "Calls to a cache level that failed", ["level"])
REFUSED = Counter("dpp_cache_refused_total", "Entries that were not kept", ["level", "reason"])
FLIGHTS = Counter("dpp_flights_total", "Attempts to take the row of a document, by what came of it", ["outcome"])
HOST_SLOTS = Counter("dpp_host_slots_total", "Downloads that asked for a slot of their host", ["outcome"])
DEGRADED = Counter("dpp_documents_degraded_total", "Old copies served because the site could not be asked in time")
