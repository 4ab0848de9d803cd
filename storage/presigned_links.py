"""Signed links to read an object, as botocore makes them, for a tenth of the time: polls of ended runs need them.

Where a bucket is and how its links look, botocore says once per bucket; what differs from link to link is the key, the
moment and the signature (AWS Signature Version 4, in the query).
"""

import functools
import hashlib
import hmac
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import parse_qs, quote, urlsplit

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_ALGORITHM = "AWS4-HMAC-SHA256"
_PROBE = "k"


class FrozenCredentials(Protocol):
    access_key: str
    secret_key: str
    token: str | None


class _Place(NamedTuple):
    scheme: str
    host: str
    path: str
    """Of the bucket; the key follows."""
    scope: str
    """Region and service, as they stand in a signature."""


class PresignedLinks:
    def __init__(self, client: "S3Client") -> None:
        self._client = client
        self._place_of = functools.cache(self._place)

    def link(self, bucket: str, key: str, credentials: FrozenCredentials, *, seconds: int, now: datetime) -> str:
        """`now` in UTC. Works for so many seconds from then."""
        place = self._place_of(bucket)
        moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        scope = f"{day}/{place.scope}"
        path = place.path + quote(key, safe="/~")
        before = (
            f"X-Amz-Algorithm={_ALGORITHM}&X-Amz-Credential={_quoted(f'{credentials.access_key}/{scope}')}"
            f"&X-Amz-Date={moment}&X-Amz-Expires={seconds}"
        )
        headers = "X-Amz-SignedHeaders=host"
        token = f"&X-Amz-Security-Token={_quoted(credentials.token)}" if credentials.token else ""
        # Signed in the order of the alphabet, in which the token comes before the headers.
        request = f"GET\n{path}\n{before}{token}&{headers}\nhost:{place.host}\n\nhost\nUNSIGNED-PAYLOAD"
        signed = f"{_ALGORITHM}\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key_of_day = _signing_key(credentials.secret_key, day, place.scope)
        signature = hmac.new(key_of_day, signed.encode(), hashlib.sha256).hexdigest()
        return f"{place.scheme}://{place.host}{path}?{before}&{headers}{token}&X-Amz-Signature={signature}"

    def _place(self, bucket: str) -> _Place:
        link = urlsplit(self._client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": _PROBE}))
        scope = parse_qs(link.query)["X-Amz-Credential"][0].split("/")[2:]
        return _Place(link.scheme, link.netloc, link.path.removesuffix(_PROBE), "/".join(scope))


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")


@functools.lru_cache(maxsize=8)
def _signing_key(secret_key: str, day: str, scope: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in (day, *scope.split("/")):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key
