"""Any other Django storage (file system, Google Cloud, Azure) as an object store, with fewer promises.

Whatever the backend cannot verify is read back and compared: slower, but as sure.
"""

import logging
import time

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage

from dpp_project.canonical import sha256_hex
from dpp_project.logging import fields
from storage.exceptions import ObjectLarger, ObjectMissing, StorageError, WriteFailed
from storage.object_keys import ROOT
from storage.object_store import RETRY_DELAYS_SEC, Promise, PutResult, UploadLink

log = logging.getLogger("dpp.storage")


class AnyBackend:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    @property
    def promises(self) -> frozenset[Promise]:
        kept = {Promise.BOUNDED_READ}
        if not isinstance(self._storage, FileSystemStorage):
            # The cloud backends of django-storages sign their links unless they are told not to.
            kept |= {Promise.EXPIRING_LINKS} if getattr(self._storage, "querystring_auth", True) else set()
        return frozenset(kept)

    @property
    def place(self) -> str:
        return str(getattr(self._storage, "bucket_name", None) or type(self._storage).__name__)

    def connect(self) -> None:
        """Each backend connects when it is first used."""

    def put(self, key: str, body: bytes, *, mime: str, signature: str) -> PutResult:
        sha256 = sha256_hex(body)
        for delay in (*RETRY_DELAYS_SEC, None):
            try:
                self.put_once(key, body, mime=mime)
                if sha256_hex(self.get(key)) == sha256:
                    return PutResult(key, sha256, len(body), sha256)
                problem = "differs"
            except StorageError as error:
                problem = type(error.__cause__ or error).__name__
            log.warning("object_put_failed", extra=fields(key=key, problem=problem, last_try=delay is None))
            if delay is not None:
                time.sleep(delay)
        raise WriteFailed(key)

    def put_once(self, key: str, body: bytes, *, mime: str) -> None:
        content = ContentFile(body)
        content.content_type = mime  # type: ignore[attr-defined]  # django-storages' backends look for it
        try:
            # A storage that does not overwrite would keep the old object and store the new one under another name.
            self._storage.delete(key)
            stored = self._storage.save(key, content)
        except Exception as error:  # each backend has exceptions of its own
            raise WriteFailed(key) from error
        if stored != key:
            self._storage.delete(stored)
            raise WriteFailed(key)

    def get(self, key: str, *, max_bytes: int | None = None, bucket: str | None = None) -> bytes:
        if bucket not in (None, self.place):
            raise ObjectMissing(key)
        try:
            if max_bytes is not None and self._storage.size(key) > max_bytes:
                raise ObjectLarger(key)
            with self._storage.open(key, "rb") as content:
                return bytes(content.read())
        except StorageError:
            raise
        except FileNotFoundError as error:
            raise ObjectMissing(key) from error
        except Exception as error:
            raise StorageError(key) from error

    def first(self, prefix: str) -> bytes | None:
        try:
            _, names = self._storage.listdir(prefix)
            return self.get(prefix + min(names)) if names else None
        except (FileNotFoundError, ObjectMissing):
            return None
        except StorageError:
            raise
        except Exception as error:
            raise StorageError(prefix) from error

    def delete(self, keys: list[str], *, bucket: str | None = None) -> None:
        if bucket not in (None, self.place):
            raise StorageError(f"this backend cannot reach the bucket {bucket}")
        try:
            for key in keys:
                self._storage.delete(key)
        except Exception as error:
            raise StorageError("delete failed") from error

    def upload_link(self, key: str, *, size: int, sha256: str, mime: str, seconds: int) -> UploadLink:
        raise StorageError("this backend takes no uploads")

    def link(self, key: str, *, seconds: int, bucket: str | None = None) -> str:
        try:
            return self._storage.url(key)
        except Exception as error:
            raise StorageError("this backend has no links") from error

    def reachable(self) -> None:
        try:
            self._storage.exists(ROOT)
        except Exception as error:
            raise StorageError("storage does not answer") from error

    def bootstrap(self) -> None:
        """Nothing here is known of the backend's own administration."""
