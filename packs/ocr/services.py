"""What the pack asks of `context.services` beside the fetcher."""

from contextlib import AbstractContextManager
from typing import Protocol

from packs.base import JsonObject
from packs.cache.pages import CachedPage


class ObjectUnavailable(Exception):
    """There is no such object, or it is not the tenant's: the caller learns no difference."""


class ObjectTooLarge(Exception):
    """The object is larger than was asked for."""


class StorageSilent(Exception):
    """Object storage did not answer, however often it was asked. Whether there is such an object is not known."""


class ObjectReader(Protocol):
    """`services["objects"]`: the tenant's stored objects."""

    def read(self, key: str, *, max_bytes: int) -> bytes:
        """Raises `ObjectUnavailable`, `StorageSilent`, or `ObjectTooLarge` before the body is loaded."""

    def read_upload(self, upload_id: str) -> bytes:
        """A file that the tenant announced and uploaded. Raises as `read` does."""

    def owns_bucket(self, bucket: str) -> bool:
        """Whether this is the bucket that the tenant's objects lie in."""


class PageCache(Protocol):
    """`services["page_cache"]`: pages that were read before. Entries never cross tenants. Called from one thread."""

    def find(self, content: str, *, tenant_id: str) -> CachedPage | None: ...

    def put(self, content: str, page: JsonObject, *, tenant_id: str) -> None: ...

    def working_on(self, content: str, *, tenant_id: str) -> AbstractContextManager[bool]:
        """Of two runs with the same page one reads it; the other gets False, and looks again after a while."""
