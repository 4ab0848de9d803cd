"""django-storages' S3 backend, with what the contract adds: verified writes, metadata, expiring links, lifecycle.

Django's own file API (`save`, `open`, `exists`, `url`) works as with the parent; a `save` is a verified write too.
"""

import base64
import functools
import hashlib
import logging
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from storages.backends.s3 import S3Storage

from dpp_project.canonical import sha256_hex
from dpp_project.dependency import S3
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from storage.bootstrap import bootstrap_bucket
from storage.exceptions import ObjectDamaged, ObjectLarger, ObjectMissing, StorageError, WriteFailed
from storage.object_keys import ROOT
from storage.object_store import RETRY_DELAYS_SEC, Promise, PutResult, UploadLink
from storage.presigned_links import PresignedLinks

if TYPE_CHECKING:
    from django.core.files.base import File
    from mypy_boto3_s3 import S3Client

log = logging.getLogger("dpp.storage")


class S3ObjectStore(S3Storage):  # type: ignore[misc]  # django-storages has no types
    promises = frozenset(Promise)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._client: S3Client | None = None
        self._client_lock = threading.Lock()
        self._session = functools.cache(self._create_session)
        self._links = functools.cache(lambda: PresignedLinks(self.client))

    def get_default_settings(self) -> dict[str, Any]:
        """OPTIONS may override any of these; without OPTIONS our own settings say everything."""
        return {
            **super().get_default_settings(),
            "bucket_name": settings.RESULTS_BUCKET,
            "endpoint_url": settings.AWS_ENDPOINT_URL,
            "region_name": settings.AWS_REGION,
            "querystring_expire": PROFILE.presigned_url_ttl_sec,
            "client_config": Config(
                # The older query signature is not checked by every compatible server.
                signature_version="s3v4",
                s3={"addressing_style": "path" if settings.AWS_ENDPOINT_URL else "auto"},
                # A process that serves gives up while its caller still waits (`storage.store`).
                connect_timeout=1 if S3.is_protected else 2,
                read_timeout=2 if S3.is_protected else 10,
                retries={"total_max_attempts": 1},
                max_pool_connections=32,
            ),
        }

    @property
    def client(self) -> "S3Client":
        """One for all threads, unlike the parent's `connection`: building one takes longer than a write."""
        if self._client is None:
            with self._client_lock:
                if self._client is None:
                    self._client = self._session().client(
                        "s3",
                        region_name=self.region_name,
                        endpoint_url=self.endpoint_url,
                        use_ssl=self.use_ssl,
                        verify=self.verify,
                        config=self.client_config,
                    )
        return self._client

    @property
    def place(self) -> str:
        return str(self.bucket_name)

    def connect(self) -> None:
        _ = self.client

    def put(self, key: str, body: bytes, *, mime: str, signature: str) -> PutResult:
        sha256 = sha256_hex(body)
        for delay in (None,) if S3.is_protected else (*RETRY_DELAYS_SEC, None):
            try:
                etag = self._put_verified(key, body, sha256, mime, {"x-signature-sha256": signature or sha256})
                return PutResult(key, sha256, len(body), etag)
            except (ClientError, BotoCoreError, StorageError) as error:
                stored = self._etag_if_stored(key, sha256)
                if stored is not None:
                    # The answer was lost, the object was not.
                    return PutResult(key, sha256, len(body), stored)
                log.warning(
                    "object_put_failed",
                    extra=fields(key=key, problem=type(error).__name__, last_try=delay is None),
                )
            if delay is not None:
                time.sleep(delay)
        raise WriteFailed(key)

    def put_once(self, key: str, body: bytes, *, mime: str) -> None:
        try:
            self.client.put_object(Bucket=self.place, Key=key, Body=body, ContentType=mime)
        except (ClientError, BotoCoreError) as error:
            raise WriteFailed(key) from error

    def get(self, key: str, *, max_bytes: int | None = None, bucket: str | None = None) -> bytes:
        try:
            answer = self.client.get_object(Bucket=bucket or self.place, Key=key)
            if max_bytes is not None and answer["ContentLength"] > max_bytes:
                answer["Body"].close()
                raise ObjectLarger(key)
            return answer["Body"].read()
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            # An account that may look at a part of the bucket only is answered 403 for what is not there.
            if code in ("NoSuchKey", "404", "NoSuchBucket") or (
                code == "AccessDenied" and self._is_absent(key, bucket)
            ):
                raise ObjectMissing(key) from error
            raise StorageError(key) from error
        except BotoCoreError as error:
            raise StorageError(key) from error

    def first(self, prefix: str) -> bytes | None:
        try:
            listed = self.client.list_objects_v2(Bucket=self.place, Prefix=prefix, MaxKeys=1)
        except (ClientError, BotoCoreError) as error:
            raise StorageError(prefix) from error
        for entry in listed.get("Contents", []):
            with suppress(ObjectMissing):
                return self.get(entry["Key"])
        return None

    # The parent's deletes one name; both forms stay possible.
    def delete(self, keys: list[str] | str, *, bucket: str | None = None) -> None:
        names = [keys] if isinstance(keys, str) else keys
        if not names:
            return
        try:
            answer = self.client.delete_objects(
                Bucket=bucket or self.place, Delete={"Objects": [{"Key": key} for key in names], "Quiet": True}
            )
        except (ClientError, BotoCoreError) as error:
            raise StorageError("delete failed") from error
        if answer.get("Errors"):
            raise StorageError(f"{len(answer['Errors'])} of {len(names)} objects were not deleted")

    def upload_link(self, key: str, *, size: int, sha256: str, mime: str, seconds: int) -> UploadLink:
        """The server refuses another length, type or content than were signed."""
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        url = self.client.generate_presigned_url(
            "put_object",
            Params={
                "Bucket": self.place,
                "Key": key,
                "ContentLength": size,
                "ContentType": mime,
                "ChecksumSHA256": checksum,
            },
            ExpiresIn=seconds,
        )
        return UploadLink(url, {"Content-Length": str(size), "Content-Type": mime, "x-amz-checksum-sha256": checksum})

    def link(self, key: str, *, seconds: int, bucket: str | None = None) -> str:
        """Computed here; no call to the server."""
        credentials = self._session().get_credentials().get_frozen_credentials()
        return self._links().link(bucket or self.place, key, credentials, seconds=seconds, now=datetime.now(UTC))

    def reachable(self) -> None:
        """Asked for our own part: no role of ours may look at the whole bucket."""
        try:
            self.client.list_objects_v2(Bucket=self.place, Prefix=ROOT, MaxKeys=1)
        except (ClientError, BotoCoreError) as error:
            raise StorageError("bucket does not answer") from error

    def bootstrap(self) -> None:
        try:
            bootstrap_bucket(self.client, self.place, str(self.region_name))
        except (ClientError, BotoCoreError) as error:
            raise StorageError(f"S3 refused: {error}") from error

    def _save(self, name: str, content: "File[Any]") -> str:
        body = content.read()
        mime = self._get_write_parameters(name, content)["ContentType"]
        return self.put(name, body if isinstance(body, bytes) else body.encode(), mime=mime, signature="").key

    def _put_verified(self, key: str, body: bytes, sha256: str, mime: str, metadata: dict[str, str]) -> str:
        """The ETag. The server checks both sums before it stores; what it says of the stored object is checked too.

        An ETag is the MD5 of the bytes only where no customer's key encrypts the bucket: there, only the SHA-256 of
        the answer proves something, and a server that answers neither is asked for the object itself.
        """
        md5, checksum = hashlib.md5(body, usedforsecurity=False), _base64(bytes.fromhex(sha256))
        answer = self.client.put_object(
            Bucket=self.place,
            Key=key,
            Body=body,
            ContentType=mime,
            ContentMD5=_base64(md5.digest()),
            ChecksumSHA256=checksum,
            Metadata=metadata,
        )
        etag = answer["ETag"].strip('"')
        stored: str | None = answer.get("ChecksumSHA256")
        if stored is None and etag != md5.hexdigest():
            stored = self._stored_sha256(key)
        if stored not in (None, checksum):
            raise ObjectDamaged(key)
        return etag

    def _stored_sha256(self, key: str) -> str:
        answer = self.client.head_object(Bucket=self.place, Key=key, ChecksumMode="ENABLED")
        return answer.get("ChecksumSHA256") or _base64(hashlib.sha256(self.get(key)).digest())

    def _is_absent(self, key: str, bucket: str | None) -> bool:
        try:
            listed = self.client.list_objects_v2(Bucket=bucket or self.place, Prefix=key, MaxKeys=1)
        except (ClientError, BotoCoreError):
            return False
        # The first of those that begin with it, and it comes before any longer one.
        return key not in [entry["Key"] for entry in listed.get("Contents", [])]

    def _etag_if_stored(self, key: str, sha256: str) -> str | None:
        try:
            answer = self.client.get_object(Bucket=self.place, Key=key)
            return answer["ETag"].strip('"') if sha256_hex(answer["Body"].read()) == sha256 else None
        except (ClientError, BotoCoreError):
            return None


def _base64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()
