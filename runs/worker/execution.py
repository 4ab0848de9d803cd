"""The pack's part of a run: from its inputs to the outcome that will be claimed. Uploads, moves no money."""

import logging
import time

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from dpp_project import tracing
from dpp_project.canonical import NotCanonical
from dpp_project.faults import crash_point
from dpp_project.logging import fields
from dpp_project.money import Micros
from packs.base import Cancelled, JsonObject, LeaseLost, Pack, PackContext, PackError, PackResult, TimeboxExceeded
from runs.events.progress import DraftEvents, Steps
from runs.lifecycle import envelope
from runs.lifecycle.outcomes import Outcome, StoredRef, completed, failed
from runs.lifecycle.request import REFUND
from runs.lifecycle.result_summary import summary_of
from runs.lifecycle.retention import folder_of
from runs.lifecycle.stored_request import read_request
from runs.models import Run, RunPayload
from runs.states import Reason, Status
from runs.worker.checkpoint import RunCheckpoint
from runs.worker.heartbeat import Heartbeat
from runs.worker.meter import ReservationMeter
from runs.worker.pack_services import pack_services
from runs.worker.reports import set_aside_for_reports, with_reports, within_soft_limit
from runs.worker.tenant_objects import TenantObjects
from runs.worker.timebox import Timebox
from storage import object_keys, store
from storage.exceptions import StorageError

log = logging.getLogger("dpp.worker")

# Why metered items of a run without a decision stand in its bill for nothing.
UNDECIDED = "UNDECIDED"


class Execution:
    def __init__(self, run: Run, payload: RunPayload, pack: Pack, heartbeat: Heartbeat | None) -> None:
        self.run = run
        self.payload = payload
        self.pack = pack
        self.heartbeat = heartbeat
        self.stages = tracing.Stages()
        self.meter = ReservationMeter(Micros(run.reservation_max_cost_usd_micros))
        self.began = time.monotonic()

    def outcome(self) -> Outcome:
        try:
            try:
                request = read_request(self.payload)
            except StorageError:
                return self._failure(Reason.STORAGE_READ_FAILED, "The run's inputs could not be read.")
            self.meter.use_prices(request.get("prices", {}))
            reports = set_aside_for_reports(request["artifacts"], self.meter)
            result = self._run_pack(request["inputs"])
            crash_point("run.executed")
            if (unpaid := self._unpaid(result, request)) is not None:
                return unpaid
            objects, summary = self._store_success(result, reports)
            crash_point("run.uploaded")
        except LeaseLost:
            raise
        except Cancelled as cancelled:
            return self._failure(
                Reason.RUN_CANCELLED, "The run was cancelled while it was running.", shown=cancelled.found
            )
        except TimeboxExceeded as exceeded:
            # The alarm may have interrupted a query: that connection cannot be trusted any more.
            connection.close()
            detail = f"The pack did not finish within {self.run.timebox_sec} seconds."
            return self._failure(Reason.TIMEBOX_EXCEEDED, detail, shown=exceeded.found)
        except StorageError:
            return failed(self.run, Reason.STORAGE_WRITE_FAILED, "The result could not be stored.")
        except PackError as error:
            return self._failure(Reason.PACK_FAILED, error.detail)
        except Exception:
            log.exception("pack_crashed", extra=fields(run_id=self.run.pk, pack_type=self.run.pack_type))
            return self._failure(Reason.PACK_FAILED, "The pack could not process these inputs.")
        finally:
            self.stages.close()
        return completed(self.run, actual=self._bill(result)[0], objects=objects, summary=summary)

    def _run_pack(self, inputs: JsonObject) -> PackResult:
        assert self.heartbeat is not None, "only a recomputation has none"
        timebox = Timebox(self.run.timebox_sec)
        steps = Steps(self.run)
        checkpoint = RunCheckpoint(self.run, self.heartbeat, timebox, self.stages, steps)
        context = PackContext(
            tenant_id=self.run.tenant_id,
            now=timezone.now(),
            deadline=timebox,
            meter=self.meter,
            checkpoint=checkpoint,
            log=logging.getLogger(f"dpp.packs.{self.run.pack_type}"),
            services={
                **pack_services(),
                "objects": TenantObjects(self.run.tenant_id),
                "answer_draft": DraftEvents(steps),
            },
        )
        with timebox.enforced():
            checkpoint("preflight", 0.05)
            result = self.pack.execute(inputs, context)
        checkpoint("store", 0.95)
        return result

    def _store_success(self, result: PackResult, wanted: JsonObject) -> tuple[tuple[StoredRef, ...], JsonObject]:
        self._note_tokens(result.tokens_consumed)
        result = with_reports(self.run, result, wanted, self.meter)
        # Before its larger parts become files.
        summary = summary_of(self.run, result)
        result = within_soft_limit(result)
        artifacts = [self._put_artifact(item.name, item.body, item.mime) for item in result.artifacts]
        used, items = self._bill(result)
        document = envelope.success(
            self.run,
            result,
            used=used,
            items=items,
            artifacts=artifacts,
            key=self._envelope_key,
            now=timezone.now(),
            latency_ms=self._latency_ms,
        )
        return (self._put_envelope(document), *artifacts), summary

    def _bill(self, result: PackResult) -> tuple[Micros, list[JsonObject]]:
        """What was metered; the minimum fee where that is less and nothing was decided."""
        fee = Micros(self.run.minimum_fee_usd_micros)
        if result.undecided and fee < self.meter.spent:
            return fee, self.meter.items_of_fee(fee, UNDECIDED)
        return self.meter.spent, self.meter.items()

    def _unpaid(self, result: PackResult, request: JsonObject) -> Outcome | None:
        """A result that is not sold: the run fails, for the minimum fee."""
        if result.nothing_delivered:
            return self._failure(Reason.NOTHING_DELIVERED, result.nothing_delivered, shown=result)
        score, required = envelope.score(result), self.run.min_reliability_score
        if request.get("on_unmet") == REFUND and score < required:
            detail = f"Reliability {score} is below the {required} asked for: withheld, for the minimum fee."
            return self._failure(Reason.RELIABILITY_NOT_MET, detail, shown=result.logs_only())
        return None

    def _note_tokens(self, tokens: int) -> None:
        if tokens:
            ours = Run.objects.filter(
                pk=self.run.pk, status=Status.PROCESSING, finalize_stage__isnull=True, lease_token=self.run.lease_token
            )
            try:
                ours.update(tokens_consumed=tokens)
            except (OperationalError, InterfaceError):
                # What the headers say of tokens is not worth a run.
                connection.close()

    def _failure(self, reason: Reason, detail: str, *, shown: PackResult | None = None) -> Outcome:
        """A failed run costs the minimum fee, and its owner gets an envelope that says why. `shown` is what a pack
        found out although it delivered nothing: its logs, and what became of each input."""
        try:
            document = envelope.failure(
                self.run,
                reason,
                detail,
                used=Micros(self.run.minimum_fee_usd_micros),
                items=self.meter.items_of_fee(Micros(self.run.minimum_fee_usd_micros), str(reason)),
                shown=shown,
                key=self._envelope_key,
                now=timezone.now(),
                latency_ms=self._latency_ms,
            )
            objects: tuple[StoredRef, ...] = (self._put_envelope(document),)
        except (StorageError, NotCanonical):
            objects = ()
        summary = summary_of(self.run, shown) if shown else None
        return failed(self.run, reason, detail, objects=objects, summary=summary)

    def _put_envelope(self, document: envelope.Envelope) -> StoredRef:
        stored = store.put(self._envelope_key, document.body, mime=store.JSON_MIME, signature=document.signature)
        return _ref(stored, object_keys.ENVELOPE, store.JSON_MIME)

    def _put_artifact(self, name: str, body: bytes, mime: str) -> StoredRef:
        key = folder_of(self.run).artifact(name)
        return _ref(store.put(key, body, mime=mime), name, mime)

    @property
    def _envelope_key(self) -> str:
        return folder_of(self.run).envelope

    @property
    def _latency_ms(self) -> int:
        return round((time.monotonic() - self.began) * 1000)


def _ref(stored: store.PutResult, name: str, mime: str) -> StoredRef:
    return StoredRef(
        bucket=store.bucket(),
        key=stored.key,
        name=name,
        sha256=stored.sha256,
        size=stored.size,
        mime=mime,
        etag=stored.etag,
    )
