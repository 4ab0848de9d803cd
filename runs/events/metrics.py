"""Metrics of run events."""

from prometheus_client import Counter, Gauge

PUBLISHED = Counter("dpp_events_published_total", "Events told, by what came of it", ["outcome"])
LISTENERS = Gauge("dpp_event_listeners", "Open event streams", multiprocess_mode="livesum")
STREAMS = Counter("dpp_event_streams_total", "Event streams, by how they ended", ["ending"])
READER_ERRORS = Counter("dpp_event_reader_errors_total", "Reads of the shards that failed")
