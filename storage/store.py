"""Put, read and link objects in S3-compatible storage. Knows keys and bytes, nothing of runs."""

import base64
import functools
import hashlib
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

from dpp_project.canonical import sha256_hex
from dpp_project.logging import fields
from dpp_project.profile import PROFILE
from storage.exceptions import ObjectDamaged, ObjectLarger, ObjectMissing, StorageError, WriteFailed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

log = logging.getLogger("dpp.storage")

JSON_MIME = "application/json; charset=utf-8"

_RETRY_DELAYS_SEC = (0.2, 0.4, 0.8)


@dataclass(frozen=True)
class PutResult:
    key: str
    sha256: str
    size: int
    etag: str


@functools.cache
def s3() -> "S3Client":
    return boto3.client(
        "s3",
        endpoint_url=settings.AWS_ENDPOINT_URL,
        region_name=settings.AWS_REGION,
        config=Config(
            # The older query signature is not checked by every compatible server.
            signature_version="s3v4",
            s3={"addressing_style": "path" if settings.AWS_ENDPOINT_URL else "auto"},
            connect_timeout=2,
            read_timeout=10,
            retries={"total_max_attempts": 1},
            max_pool_connections=32,
        ),
    )


def bucket() -> str:
    return str(settings.RESULTS_BUCKET)


def put(key: str, body: bytes, *, mime: str, signature: str = "") -> PutResult:
    """Store an object, with retries. The server checks Content-MD5, we check the ETag it answers."""
    digest = hashlib.md5(body, usedforsecurity=False)
    sha256 = sha256_hex(body)
    for delay in (*_RETRY_DELAYS_SEC, None):
        try:
            answer = s3().put_object(
                Bucket=settings.RESULTS_BUCKET,
                Key=key,
                Body=body,
                ContentType=mime,
                ContentMD5=base64.b64encode(digest.digest()).decode(),
                Metadata={"x-signature-sha256": signature or sha256},
            )
            etag = answer["ETag"].strip('"')
            if etag == digest.hexdigest():
                return PutResult(key, sha256, len(body), etag)
            problem = "etag_differs"
        except (ClientError, BotoCoreError) as error:
            problem = type(error).__name__
            if _is_stored(key, sha256):
                # The answer was lost, the object was not.
                return PutResult(key, sha256, len(body), digest.hexdigest())
        log.warning("object_put_failed", extra=fields(key=key, problem=problem, last_try=delay is None))
        if delay is not None:
            time.sleep(delay)
    raise WriteFailed(key)


def read(key: str, *, sha256: str) -> bytes:
    """The object's bytes, verified."""
    body = _get(key)
    if sha256_hex(body) != sha256:
        raise ObjectDamaged(key)
    return body


def read_bounded(key: str, *, max_bytes: int) -> bytes:
    """The object's bytes, unless there are too many: then none of them is loaded."""
    return _get(key, max_bytes=max_bytes)


def delete(keys: list[str]) -> None:
    """Deleting what is not there is a success."""
    if not keys:
        return
    try:
        answer = s3().delete_objects(
            Bucket=settings.RESULTS_BUCKET, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True}
        )
    except (ClientError, BotoCoreError) as error:
        raise StorageError("delete failed") from error
    if answer.get("Errors"):
        raise StorageError(f"{len(answer['Errors'])} of {len(keys)} objects were not deleted")


def presigned_url(key: str) -> str:
    """A link that works for PROFILE.presigned_url_ttl_sec. Computed here; no call to the server."""
    return s3().generate_presigned_url(
        "get_object",
        Params={"Bucket": settings.RESULTS_BUCKET, "Key": key},
        ExpiresIn=PROFILE.presigned_url_ttl_sec,
    )


def reachable() -> None:
    """Raises when the bucket does not answer; for `/readyz`."""
    try:
        s3().head_bucket(Bucket=settings.RESULTS_BUCKET)
    except (ClientError, BotoCoreError) as error:
        raise StorageError("bucket does not answer") from error


def _get(key: str, *, max_bytes: int | None = None) -> bytes:
    try:
        answer = s3().get_object(Bucket=settings.RESULTS_BUCKET, Key=key)
        if max_bytes is not None and answer["ContentLength"] > max_bytes:
            answer["Body"].close()
            raise ObjectLarger(key)
        return answer["Body"].read()
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in ("NoSuchKey", "404", "NoSuchBucket"):
            raise ObjectMissing(key) from error
        raise StorageError(key) from error
    except BotoCoreError as error:
        raise StorageError(key) from error


def _is_stored(key: str, sha256: str) -> bool:
    try:
        read(key, sha256=sha256)
    except StorageError:
        return False
    return True
