"""Put, read and link stored objects. The only way in: which backend does it is for `STORAGES["default"]` to say.

Knows keys and bytes, nothing of runs.
"""

import functools
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

from django.core.files.storage import storages

from dpp_project.canonical import sha256_hex
from dpp_project.dependency import S3, DependencySilent
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from storage.any_backend import AnyBackend
from storage.exceptions import ObjectDamaged, ObjectLarger, ObjectMissing, StorageError
from storage.object_store import RETRY_DELAYS_SEC, ObjectStore, Promise, PutResult, UploadLink
from storage.s3 import S3ObjectStore

__all__ = ["JSON_MIME", "PutResult"]

log = logging.getLogger("dpp.storage")

JSON_MIME = "application/json; charset=utf-8"

T = TypeVar("T")


def object_store() -> ObjectStore:
    backend = storages["default"]
    return cast(ObjectStore, backend) if isinstance(backend, S3ObjectStore) else AnyBackend(backend)


def missing_promises() -> list[Promise]:
    """What the contract promises and the configured backend does not keep, in the order of the declaration."""
    kept = object_store().promises
    return [promise for promise in Promise if promise not in kept]


def prepare() -> None:
    """Called once by every long-lived process before its first use."""
    object_store().connect()
    if missing := missing_promises():
        log.warning("object_store_promises_less", extra=fields(missing=[promise.name for promise in missing]))


def bucket() -> str:
    return object_store().place


def put(key: str, body: bytes, *, mime: str, signature: str = "") -> PutResult:
    """Store an object, verified, with retries. Raises `WriteFailed`."""
    return _in_time(lambda: object_store().put(key, body, mime=mime, signature=signature))


def put_once(key: str, body: bytes, *, mime: str) -> None:
    """One attempt, for caches. Raises `WriteFailed`."""
    object_store().put_once(key, body, mime=mime)


def read(key: str, *, sha256: str, bucket: str | None = None) -> bytes:
    """The object's bytes, verified. `bucket` is the recorded one, where the object may have been before a change."""
    body = _in_time(lambda: object_store().get(key, bucket=bucket))
    if sha256_hex(body) != sha256:
        raise ObjectDamaged(key)
    return body


def read_patiently(key: str, *, sha256: str) -> bytes:
    """As `read`, for inputs of a run: asked for again as writes are. What is missing or damaged stays so."""
    return _with_retries(lambda: read(key, sha256=sha256), key)


def read_bounded(key: str, *, max_bytes: int) -> bytes:
    """The object's bytes, unless there are too many: then none of them is loaded."""
    return object_store().get(key, max_bytes=max_bytes)


def read_bounded_patiently(key: str, *, max_bytes: int) -> bytes:
    """As `read_bounded`, for inputs of a run."""
    return _with_retries(lambda: read_bounded(key, max_bytes=max_bytes), key)


def _with_retries(call: Callable[[], bytes], key: str) -> bytes:
    for delay_sec in RETRY_DELAYS_SEC:
        try:
            return call()
        except (ObjectMissing, ObjectLarger, ObjectDamaged):
            raise
        except StorageError as error:
            log.warning("object_read_failed", extra=fields(key=key, problem=type(error.__cause__ or error).__name__))
            time.sleep(delay_sec)
    return call()


def read_first(prefix: str) -> bytes | None:
    """The object whose key comes first under the prefix, if there is one."""
    return object_store().first(prefix)


def delete(keys: list[str], *, bucket: str | None = None) -> None:
    """Deleting what is not there is a success."""
    _in_time(lambda: object_store().delete(keys, bucket=bucket))


def upload_link(key: str, *, size: int, sha256: str, mime: str, seconds: int) -> UploadLink:
    return object_store().upload_link(key, size=size, sha256=sha256, mime=mime, seconds=seconds)


def presigned_url(key: str, *, seconds: int = PROFILE.presigned_url_ttl_sec, bucket: str | None = None) -> str:
    """A link that works for so long."""
    return object_store().link(key, seconds=seconds, bucket=bucket)


def reachable() -> None:
    """Raises when the bucket does not answer; for `/readyz`."""
    object_store().reachable()


def bootstrap() -> str:
    """Make the bucket what the contract says. Safe to repeat."""
    object_store().bootstrap()
    return bucket()


def _in_time(call: Callable[[], T]) -> T:
    """In a process that serves: on one of few threads of its own, and no longer than its caller can wait.

    The backends know limits for each step of a call only, never for all of it.
    """
    if not S3.is_protected:
        return call()
    try:
        with S3.call() as left:
            return _threads().submit(call).result(timeout=left)
    except TimeoutError as error:
        S3.got_no_answer(within_sec=0.5)
        raise StorageError("object storage did not answer in time") from error
    except DependencySilent as error:
        raise StorageError(str(error)) from error


@functools.cache
def _threads() -> ThreadPoolExecutor:
    # More than may call at a time: those that were given up are still busy for a moment.
    return ThreadPoolExecutor(4 * S3.places, thread_name_prefix="s3")
