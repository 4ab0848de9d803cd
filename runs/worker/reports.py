"""Files beside the envelope: the reports that were asked for, and parts of the data too large for it."""

import json
from dataclasses import replace

from dpp_project.canonical import canonical_bytes, sha256_hex
from dpp_project.money import ZERO, Micros, format_usd
from dpp_project.prices import REPORT, STORED_MIB
from dpp_project.profile import PROFILE
from packs.artifacts import render
from packs.base import Artifact, BudgetCapReached, JsonObject, PackResult
from runs.lifecycle.price_list import price_list
from runs.models import Run
from runs.worker.meter import ReservationMeter

_MIB = 1_048_576
_JSON_MIME = "application/json; charset=utf-8"


def set_aside_for_reports(wanted: JsonObject, meter: ReservationMeter) -> JsonObject:
    """Before the pack spends anything. Submit has made sure that all fit; of a run from before it did, those that do
    are left."""
    covered = {}
    for name, is_wanted in wanted.items():
        covered[name] = bool(is_wanted) and meter.fits({REPORT: 1})
        if covered[name]:
            meter.set_aside(REPORT)
    return covered


def with_reports(run: Run, result: PackResult, wanted: JsonObject, meter: ReservationMeter) -> PackResult:
    """Add report.md and report.docx, whose price was set aside when the run began. What a large one costs besides may
    not be covered: then it is left out, and the bill says so."""
    reports = render(
        run.pack_type,
        result.data,
        markdown=bool(wanted["include_markdown"]),
        docx=bool(wanted["include_docx"]),
        title=f"{run.pack_type} {run.pk}",
        created_at=run.created_at,
        bill=bill_so_far(run, result, wanted, meter),
    )
    paid: list[Artifact] = []
    for report in reports:
        try:
            meter.spend(STORED_MIB, (len(report.body) - 1) // _MIB)
        except BudgetCapReached:
            meter.waive(REPORT, "BUDGET_CAP_REACHED")
            result = replace(result, budget_cap_reached=True)
        else:
            meter.charge_set_aside(REPORT)
            paid.append(report)
    return replace(result, artifacts=(*result.artifacts, *paid))


def bill_so_far(run: Run, result: PackResult, wanted: JsonObject, meter: ReservationMeter) -> list[JsonObject]:
    """What the run costs with the reports that are about to be written, as their last part shows it."""
    fee = Micros(run.minimum_fee_usd_micros)
    reports = sum(bool(wanted[name]) for name in ("include_markdown", "include_docx"))
    price = Micros(reports * price_list()[REPORT])
    total = Micros(meter.spent + price)
    if result.undecided and fee < total:
        lines, total = meter.items_of_fee(fee, "UNDECIDED")[:1], fee
    else:
        lines = [*meter.items(), {"item": REPORT, "quantity": reports, "cost_usd": format_usd(price)}]
    charged = [line for line in lines if line.get("cost_usd") != format_usd(ZERO)]
    return [*charged, {"item": "total", "quantity": "", "cost_usd": format_usd(total)}]


def within_soft_limit(result: PackResult) -> PackResult:
    """Move the largest members of the data into files of their own until the envelope stays below its soft limit."""
    # Plain JSON is as long as the canonical form but for a few digits, and twenty times as fast to make.
    if len(json.dumps(result.data, ensure_ascii=False).encode()) <= PROFILE.envelope_soft_limit_bytes // 2:
        return result
    sizes = {name: len(canonical_bytes(value)) for name, value in result.data.items()}
    data = dict(result.data)
    moved: list[Artifact] = []
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        if sum(sizes.values()) <= PROFILE.envelope_soft_limit_bytes:
            break
        body = canonical_bytes(data[name])
        file_name = f"data-{len(moved) + 1}.json"
        moved.append(Artifact(file_name, _JSON_MIME, body))
        data[name] = {"moved_to_artifact": file_name, "sha256": sha256_hex(body), "size": len(body)}
        sizes[name] = len(canonical_bytes(data[name]))
    return replace(result, data=data, artifacts=(*result.artifacts, *moved))
