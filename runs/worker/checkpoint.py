"""What a pack calls between steps: tell the progress, then learn whether to go on."""

import time

from django.db import DatabaseError, InterfaceError, connection

from dpp_project import tracing
from dpp_project.postgresql import prepared
from packs.base import Cancelled, LeaseLost
from runs.events.progress import Steps
from runs.models import Run
from runs.worker.heartbeat import Heartbeat
from runs.worker.timebox import Timebox

# Conditional like the heartbeat: a worker that has lost its run writes nothing. Progress never runs backwards, and is
# the one write that need not wait for the disk: after a crash of the server the next step tells it again.
_PROGRESS = """
    UPDATE runs SET progress = GREATEST(progress, %s), updated_at = statement_timestamp()
    WHERE run_id = %s AND status = 'PROCESSING' AND finalize_stage IS NULL AND lease_token = %s
    RETURNING cancel_requested_at IS NOT NULL, set_config('synchronous_commit', 'off', true)
"""


# A pack may check in every millisecond. Nobody sees progress that fast, and a cancel may wait this long.
_LOOK_EVERY_SEC = 0.05


class RunCheckpoint:
    def __init__(self, run: Run, heartbeat: Heartbeat, timebox: Timebox, stages: tracing.Stages, steps: Steps) -> None:
        self._run = run
        self._heartbeat = heartbeat
        self._timebox = timebox
        self._stages = stages
        self._steps = steps
        self._looked_at = 0.0

    def __call__(self, stage: str, progress: float, **detail: str | int) -> None:
        self._timebox.check()
        if tracing.ON:
            self._stages.enter(stage)
        progress = min(max(progress, 0.0), 0.99)
        if time.monotonic() - self._looked_at >= _LOOK_EVERY_SEC:
            self._looked_at = time.monotonic()
            self._tell(progress)
        self._steps.publish(stage, progress, detail)
        if self._heartbeat.lost.is_set():
            raise LeaseLost
        if self._heartbeat.cancelled.is_set():
            raise Cancelled

    def _tell(self, progress: float) -> None:
        try:
            row = prepared.fetch_one(_PROGRESS, [progress, self._run.pk, self._run.lease_token])
        except (DatabaseError, InterfaceError):
            # Progress is not worth a run; the claim will find out whether it is still ours.
            connection.close()
            return
        if row is None:
            raise LeaseLost
        if row[0]:
            raise Cancelled
