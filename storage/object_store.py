"""What the platform asks of object storage, whichever backend `STORAGES` names, and which promises a backend keeps."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

# Between attempts of a write, and of a read of inputs.
RETRY_DELAYS_SEC = (0.2, 0.4, 0.8)


class Promise(StrEnum):
    """What the contract promises of stored results. The value completes the sentence "this backend does not …"."""

    SERVER_CHECKSUM = "let the server refuse damaged bytes while they are written (they are read back instead)"
    METADATA = "keep a content type and the signature beside an object"
    EXPIRING_LINKS = "give out links that are signed and expire"
    LIFECYCLE = "delete objects past retention by itself (only the retention job does)"
    PRIVATE_AND_ENCRYPTED = "block public access and encrypt at rest by itself"
    BOUNDED_READ = "tell an object's size before its bytes are loaded"


@dataclass(frozen=True)
class PutResult:
    key: str
    sha256: str
    size: int
    etag: str


@dataclass(frozen=True)
class UploadLink:
    url: str
    headers: Mapping[str, str]
    """To be sent with the PUT, letter by letter: they are signed."""


class ObjectStore(Protocol):
    """Every failure is a `StorageError`. `bucket` is where an older object lies; None is the configured bucket."""

    @property
    def promises(self) -> frozenset[Promise]: ...

    @property
    def place(self) -> str:
        """The bucket's name, recorded with every result."""

    def connect(self) -> None:
        """Build what is slow to build. Opens no connection."""

    def put(self, key: str, body: bytes, *, mime: str, signature: str) -> PutResult:
        """Store and verify, with retries. Raises `WriteFailed`."""

    def put_once(self, key: str, body: bytes, *, mime: str) -> None:
        """One unverified attempt, for caches: nobody waits for them, and readers check what they read."""

    def get(self, key: str, *, max_bytes: int | None = None, bucket: str | None = None) -> bytes:
        """Raises `ObjectMissing`, or `ObjectLarger` before the bytes are loaded."""

    def first(self, prefix: str) -> bytes | None:
        """The object whose key is the first with this prefix, which ends with a slash."""

    def delete(self, keys: list[str], *, bucket: str | None = None) -> None:
        """Deleting what is not there is a success."""

    def upload_link(self, key: str, *, size: int, sha256: str, mime: str, seconds: int) -> UploadLink:
        """Where exactly these bytes may be put, until then."""

    def link(self, key: str, *, seconds: int, bucket: str | None = None) -> str:
        """Works for so long, where the backend's links expire at all."""

    def reachable(self) -> None: ...

    def bootstrap(self) -> None:
        """Make the place what the contract says, as far as this backend can. Safe to repeat."""
