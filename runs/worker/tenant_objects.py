"""A tenant's own stored objects, for packs that read files from storage. Anything else does not exist for it."""

from packs.ocr.services import ObjectTooLarge, ObjectUnavailable
from storage import store
from storage.exceptions import ObjectLarger, StorageError


class TenantObjects:
    def __init__(self, tenant_id: str) -> None:
        self._prefix = f"dpp/{tenant_id}/"

    def read(self, key: str, *, max_bytes: int) -> bytes:
        # No way out of the prefix: S3 knows no "..", but a compatible server might.
        if not key.startswith(self._prefix) or ".." in key:
            raise ObjectUnavailable(key)
        try:
            return store.read_bounded(key, max_bytes=max_bytes)
        except ObjectLarger as error:
            raise ObjectTooLarge(key) from error
        except StorageError as error:
            raise ObjectUnavailable(key) from error
