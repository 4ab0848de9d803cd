"""From what became of each file to the run's data."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from packs.base import Artifact, JsonObject, PackResult
from packs.cache import Source
from packs.fetch.logs import blocked_entry
from packs.ocr import markdown, models
from packs.ocr.bounds import MAX_NOTES
from packs.ocr.collect import Collected
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.key_values import key_values
from packs.ocr.markdown import document_markdown
from packs.ocr.profiles import VERSION
from packs.ocr.run_state import FileState, RunState
from packs.ocr.schema import OcrInputs

VERIFY_SPELLING = "VERIFY_SPELLING"
_READ_WITH_DOUBT = "READ_WITH_DOUBT"
_NO_PAGE = "No page could be read; `files` says why, file by file."


def result(asked: OcrInputs, state: RunState, collected: Collected, now: datetime) -> PackResult:
    pages = [(file, number, page) for file in state.files for number, page in sorted(file.read.items())]
    blocked_log = tuple(blocked_entry(each, ts=now) for each in collected.blocked)
    return PackResult(
        data={
            "texts": [_text_entry(*entry) for entry in pages],
            "text_blocks": [block["text"] for _, _, page in pages for block in page["blocks"]],
            "notes": _notes(pages),
            "files": [_file_entry(file) for file in state.files],
            "meta": _meta(asked, state, pages),
        },
        reliability=_reliability(state, pages),
        artifacts=_artifacts(pages),
        discard_log=tuple(_discards(state, now)),
        blocked_log=blocked_log,
        cache=_cache(state, collected),
        warnings=tuple((_READ_WITH_DOUBT, warning) for warning in _warnings_while_reading(state, pages)),
        nothing_delivered="" if pages else _NO_PAGE,
        budget_cap_reached=state.budget_cap_reached or _budget_ended_while_fetching(state),
    )


def _cache(state: RunState, collected: Collected) -> JsonObject:
    """Pages by the level they came from, and what was downloaded."""
    hits = {level: count for level, count in sorted(state.page_sources.items()) if level != Source.MISS.value}
    return {
        "hits": sum(hits.values()),
        "misses": state.page_sources[Source.MISS.value],
        "levels": hits,
        "downloads": collected.downloads,
        "degraded": len(collected.degraded),
    }


def _budget_ended_while_fetching(state: RunState) -> bool:
    """A page may fit where a fetch does not: the reading went on."""
    return any(
        file.failure is not None and file.failure.reason is FailureReason.BUDGET_CAP_REACHED for file in state.files
    )


Pages = list[tuple[FileState, int, JsonObject]]


def _text_entry(file: FileState, number: int, page: JsonObject) -> JsonObject:
    return {
        "source": file.source,
        "page": number + 1,
        "source_type": page["source_type"],
        "width": page["width"],
        "height": page["height"],
        "status": "PARTIAL" if page["is_partial"] else "READ",
        "blocks": page["blocks"],
        "text_blocks": [block["text"] for block in page["blocks"]],
        "key_values": key_values(page["blocks"]),
        "preflight": page["preflight"],
    }


def _artifacts(pages: Pages) -> tuple[Artifact, ...]:
    """All that was read as one document; nothing where nothing was."""
    text = document_markdown(page["blocks"] for _, _, page in pages)
    return (Artifact(markdown.NAME, markdown.MIME, text.encode()),) if text else ()


def _notes(pages: Pages) -> list[JsonObject]:
    """Each doubtful word of a page once, in its order; a page of noise does not bury the others."""
    notes = [
        {"type": VERIFY_SPELLING, "value": doubt, "source": file.source, "page": number + 1}
        for file, number, page in pages
        for doubt in dict.fromkeys(page["doubts"])
    ]
    return notes[:MAX_NOTES]


def _file_entry(file: FileState) -> JsonObject:
    entry: JsonObject = {
        "source": file.source,
        "status": _status(file),
        "kind": file.kind,
        "sha256": file.file.sha256 if file.file is not None else None,
        "size": len(file.file.body) if file.file is not None else None,
        "pages": file.pages,
        "pages_read": len(file.read),
        "left_out": [
            {"pages": pages, "reason_code": why.reason.value, "reason_detail": why.detail}
            for pages, why in _left_out(file)
        ],
    }
    if file.failure is not None:
        entry |= {"reason_code": file.failure.reason.value, "reason_detail": file.failure.detail}
    elif not file.read and file.left_out:
        first = file.left_out[min(file.left_out)]
        entry |= {"reason_code": first.reason.value, "reason_detail": first.detail}
    return entry


def _status(file: FileState) -> str:
    if not file.read:
        return "FAILED"
    is_partial = file.left_out or any(page["is_partial"] for page in file.read.values())
    return "PARTIAL" if is_partial else "READ"


def _left_out(file: FileState) -> Iterator[tuple[str, Unreadable]]:
    """Neighbouring pages with the same reason in one entry: "3" or "51-60"."""
    listed = sorted(file.left_out.items())
    runs = groupby(enumerate(listed), key=lambda item: (item[1][0] - item[0], item[1][1].reason, item[1][1].detail))
    for _, run in runs:
        numbers = [number + 1 for _, (number, _) in run]
        yield _range(numbers), file.left_out[numbers[0] - 1]


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"


def _warnings_while_reading(state: RunState, pages: Pages) -> list[str]:
    """Of what was read; what was not stands in the discards."""
    warnings = list(state.warnings)
    for file, number, page in pages:
        warnings += [f"{file.source} page {number + 1}: {warning}" for warning in page["warnings"]]
    return warnings


def _meta(asked: OcrInputs, state: RunState, pages: Pages) -> JsonObject:
    warnings = _warnings_while_reading(state, pages)
    for file in state.files:
        if file.failure is not None:
            warnings.append(f"{file.source}: {file.failure.reason}: {file.failure.detail}")
        warnings += [f"{file.source} pages {run}: {why.reason}: {why.detail}" for run, why in _left_out(file)]
    doubts = sum(len(dict.fromkeys(page["doubts"])) for _, _, page in pages)
    if doubts > MAX_NOTES:
        warnings.append(f"{doubts - MAX_NOTES} more doubtful words are marked in the text but not listed in the notes.")
    return {
        "ocr_profile": asked.profile.name,
        "profile_version": VERSION,
        "passes": max((page["passes"] for _, _, page in pages), default=0),
        "language": asked.languages,
        "engine": next((page["engine"] for _, _, page in pages if page["engine"]), None),
        "models": {name: models.SHA256[name] for name in models.used(asked.languages)},
        "model_version": models.VERSION,
        "pages_total": sum(file.pages for file in state.files),
        "pages_read": len(pages),
        "low_confidence_count": sum(page["low_confidence"] for _, _, page in pages),
        "warnings": warnings,
    }


def _reliability(state: RunState, pages: Pages) -> float:
    """How sure the text is, letter by letter; a page or a file that was not read counts as nothing."""
    letters = sum(len(block["text"]) for _, _, page in pages for block in page["blocks"])
    sure = sum(len(block["text"]) * block["confidence"] for _, _, page in pages for block in page["blocks"])
    wanted = sum(max(file.pages, 1) for file in state.files)
    if not pages or not wanted:
        return 0.0
    return round((sure / letters if letters else 1.0) * len(pages) / wanted, 4)


def _discards(state: RunState, now: datetime) -> Iterator[JsonObject]:
    for file in state.files:
        reasons = [("all", file.failure)] if file.failure is not None else list(_left_out(file))
        for pages, why in reasons:
            yield {
                "source": file.source,
                "pages": pages,
                "reason_code": why.reason.value,
                "reason_detail": why.detail,
                "ts": now.isoformat(),
            }
