"""A tenant's own stored objects, for packs that read files from storage. Anything else does not exist for it."""

from uuid import UUID

from dpp_project.canonical import sha256_hex
from packs.ocr.services import ObjectTooLarge, ObjectUnavailable, StorageSilent
from runs.lifecycle.uploads import find_upload
from storage import object_keys, store
from storage.exceptions import ObjectLarger, ObjectMissing, StorageError


class TenantObjects:
    def __init__(self, tenant_id: str) -> None:
        self._tenant_id = tenant_id
        self._prefix = f"dpp/{tenant_id}/"

    def read(self, key: str, *, max_bytes: int) -> bytes:
        # No way out of the prefix: S3 knows no "..", but a compatible server might.
        if not key.startswith(self._prefix) or ".." in key:
            raise ObjectUnavailable(key)
        return _read(key, max_bytes)

    def read_upload(self, upload_id: str) -> bytes:
        """What was announced, or nothing: other bytes are as good as none."""
        upload = find_upload(self._tenant_id, UUID(upload_id))
        if upload is None:
            raise ObjectUnavailable(upload_id)
        body = _read(object_keys.upload(self._tenant_id, upload.pk), upload.size)
        if sha256_hex(body) != upload.sha256:
            raise ObjectUnavailable(upload_id)
        return body

    def owns_bucket(self, bucket: str) -> bool:
        return bucket == store.bucket()


def _read(key: str, max_bytes: int) -> bytes:
    try:
        return store.read_bounded_patiently(key, max_bytes=max_bytes)
    except ObjectLarger as error:
        raise ObjectTooLarge(key) from error
    except ObjectMissing as error:
        raise ObjectUnavailable(key) from error
    except StorageError as error:
        raise StorageSilent(key) from error
