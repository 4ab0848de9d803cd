"""From the inputs to bytes: base64, the fetcher, the tenant's own objects. Sizes are bounded before anything is
decoded; a file that does not come is an entry of its own and stops nothing."""

import base64
import binascii
import hashlib
from dataclasses import dataclass, field

from dpp_project.prices import FETCH, FETCH_CACHED, FETCH_LARGE
from dpp_project.profile import PROFILE
from packs.base import BudgetCapReached, PackContext
from packs.cache import Documents, Fetched, Source, StandIn, Uncached
from packs.fetch import Document, FetchBlocked, FetchFailed
from packs.ocr.bounds import MAX_FILE_BYTES, MAX_TOTAL_BYTES, MAX_UPLOAD_BYTES, MIB
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.files import File
from packs.ocr.schema import Given
from packs.ocr.services import ObjectReader, ObjectTooLarge, ObjectUnavailable, StorageSilent

# As in the url pack: a document above this is charged once more.
LARGE_BYTES = 524_288


@dataclass
class Collected:
    """In the order of the inputs."""

    files: dict[str, File] = field(default_factory=dict)
    failures: dict[str, Unreadable] = field(default_factory=dict)
    blocked: list[FetchBlocked] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    """URLs of which an older copy was read."""
    downloads: int = 0
    total_bytes: int = 0


def collect(given: tuple[Given, ...], context: PackContext, *, keep_sec: float) -> Collected:
    """`keep_sec` of the run's time are for the reading: slow hosts must not starve the files in hand."""
    collected = Collected()
    for number, item in enumerate(given):
        source = _source(item, collected)
        context.checkpoint("collect", 0.1 * number / len(given), done=number, total=len(given))
        try:
            most = MAX_UPLOAD_BYTES if item.kind == "upload" else MAX_FILE_BYTES
            body = _bounded(_body(item, context, collected, keep_sec), collected, most)
        except StorageSilent:
            detail = "Object storage did not answer, asked four times. Submit the file again later."
            collected.failures[source] = Unreadable(FailureReason.STORAGE_UNAVAILABLE, detail)
        except Unreadable as unreadable:
            collected.failures[source] = unreadable
        except BudgetCapReached:
            detail = "Another fetch would cost more than is left."
            collected.failures[source] = Unreadable(FailureReason.BUDGET_CAP_REACHED, detail)
        else:
            collected.files[source] = File(source, body, hashlib.sha256(body).hexdigest())
    return collected


def _source(item: Given, collected: Collected) -> str:
    """The caller's name for it, if it is the first of that name."""
    taken = item.name is None or item.name in collected.files or item.name in collected.failures
    return item.pointer if taken or item.name is None else item.name


def _body(item: Given, context: PackContext, collected: Collected, keep_sec: float) -> bytes:
    if item.kind == "base64":
        return _decoded(item.value)
    if item.kind == "s3":
        return _stored(item, context)
    if item.kind == "upload":
        return _uploaded(item.value, context)
    return _fetched(item.value, context, collected, keep_sec)


def _bounded(body: bytes, collected: Collected, most: int) -> bytes:
    if not body:
        raise Unreadable(FailureReason.EMPTY_FILE, "The file is empty.")
    if len(body) > most:
        raise _too_large()
    collected.total_bytes += len(body)
    if collected.total_bytes > MAX_TOTAL_BYTES:
        raise Unreadable(
            FailureReason.TOTAL_TOO_LARGE, f"The files before this one fill the {MAX_TOTAL_BYTES // MIB} MiB."
        )
    return body


def _decoded(text: str) -> bytes:
    if len(text) * 3 // 4 > MAX_FILE_BYTES + 2:
        raise _too_large()
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable(FailureReason.BAD_BASE64, "The data is not standard base64.") from None


def _objects(context: PackContext) -> ObjectReader:
    objects: ObjectReader | None = context.services.get("objects")
    if objects is None:
        raise Unreadable(FailureReason.NOT_AVAILABLE, "Stored objects cannot be read in this installation.")
    return objects


def _uploaded(upload_id: str, context: PackContext) -> bytes:
    try:
        return _objects(context).read_upload(upload_id)
    except (ObjectUnavailable, ObjectTooLarge):
        detail = "No file was uploaded as it was announced under this id, or its day is over."
        raise Unreadable(FailureReason.OBJECT_NOT_FOUND, detail) from None


def _stored(item: Given, context: PackContext) -> bytes:
    objects, key = _objects(context), item.value
    # One answer for a stranger's object and for none at all: a key must not tell what others have.
    absent = Unreadable(FailureReason.OBJECT_NOT_FOUND, "There is no such object under your prefix.")
    if not key.startswith(f"dpp/{context.tenant_id}/") or ".." in key.split("/"):
        raise absent
    if item.bucket is not None and not objects.owns_bucket(item.bucket):
        raise absent
    try:
        return objects.read(key, max_bytes=MAX_FILE_BYTES)
    except ObjectUnavailable:
        raise absent from None
    except ObjectTooLarge:
        raise _too_large() from None


def _fetched(url: str, context: PackContext, collected: Collected, keep_sec: float) -> bytes:
    if "fetcher" not in context.services:
        raise Unreadable(FailureReason.NOT_AVAILABLE, "Fetching from the web is not available in this installation.")
    _time_for_fetching(context, keep_sec)
    cached = _documents(context).cached(url, tenant_id=context.tenant_id, max_hops=PROFILE.fetch_redirect_max_hops)
    item = FETCH if cached is None else FETCH_CACHED
    context.meter.set_aside(item)
    try:
        body, stand_in = _fetch_bytes(url, cached, context, collected, keep_sec)
    except Unreadable as unreadable:
        context.meter.waive(item, unreadable.reason.value)
        raise
    except BudgetCapReached:
        context.meter.waive(item, FailureReason.BUDGET_CAP_REACHED.value)
        raise
    if stand_in is not None and not stand_in.began:
        context.meter.waive(item, stand_in.reason.value)
    else:
        context.meter.charge_set_aside(item)
    return body


def _fetch_bytes(
    url: str, cached: Fetched | None, context: PackContext, collected: Collected, keep_sec: float
) -> tuple[bytes, StandIn | None]:
    """The bytes behind a URL, from the caller's own copy or from its site."""
    try:
        fetched = cached or _fetch_document(_documents(context), url, context, keep_sec)
        is_download = fetched.source is Source.MISS
        files = context.services.get("file_fetcher")
        if fetched.document.truncated and files is not None:
            # Larger than a page may be: no copy of it is kept anywhere, so it comes from its site.
            fetched, is_download = _fetch_document(Uncached(files), url, context, keep_sec), True
    except FetchBlocked as blocked:
        collected.blocked.append(blocked)
        raise Unreadable(FailureReason.FETCH_BLOCKED, blocked.refusal.detail) from blocked
    except FetchFailed as failed:
        raise Unreadable(FailureReason.FETCH_FAILED, failed.detail) from failed
    collected.downloads += is_download
    if fetched.degraded:
        collected.degraded.append(url)
    body = _whole(fetched.document)
    if len(body) > LARGE_BYTES and is_download and not fetched.is_free:
        context.meter.spend(FETCH_LARGE)
    return body, fetched.stand_in


def _fetch_document(documents: Documents, url: str, context: PackContext, keep_sec: float) -> Fetched:
    return documents.fetch(
        url,
        tenant_id=context.tenant_id,
        timeout_sec=_time_for_fetching(context, keep_sec),
        max_hops=PROFILE.fetch_redirect_max_hops,
    )


def _time_for_fetching(context: PackContext, keep_sec: float) -> float:
    """Raises `Unreadable` where none is left."""
    timeout_sec = min(PROFILE.fetch_timeout_sec, context.deadline.remaining_sec() - keep_sec)
    if timeout_sec <= 0:
        raise Unreadable(FailureReason.DEADLINE_REACHED, "The time for fetching was up before the file was asked for.")
    return timeout_sec


def _documents(context: PackContext) -> Documents:
    return context.services.get("documents") or Uncached(context.services["fetcher"])


def _whole(document: Document) -> bytes:
    if document.truncated:
        detail = f"The file is larger than the {PROFILE.fetch_max_file_bytes // MIB} MiB that are fetched; upload it."
        raise Unreadable(FailureReason.FILE_TOO_LARGE, detail)
    if document.status_code >= 400:
        raise Unreadable(FailureReason.FETCH_FAILED, f"The site answered with status {document.status_code}.")
    return document.body


def _too_large() -> Unreadable:
    return Unreadable(FailureReason.FILE_TOO_LARGE, f"The file is larger than {MAX_FILE_BYTES // MIB} MiB.")
