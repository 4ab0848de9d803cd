"""The key that signs results, and the public halves by which anybody can check them (Ed25519, RFC 8032, RFC 8037).

A key's id is its JWK thumbprint (RFC 7638): it follows from the key, and nobody has to keep a list of names.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from dpp_project.canonical import canonical_sha256

KEY_BYTES = 32


@dataclass(frozen=True)
class Signature:
    ed25519: str
    """Base64."""
    key_id: str


def sign(message: bytes) -> Signature:
    private = _private_key()
    raw = private.sign(message)
    return Signature(base64.b64encode(raw).decode(), key_id(private.public_key()))


def is_signed(message: bytes, signature: str, by_key: str) -> bool:
    """Whether one of our keys, the present one or an old one, signed this."""
    public = public_keys().get(by_key)
    if public is None:
        return False
    try:
        public.verify(base64.b64decode(signature, validate=True), message)
    except (InvalidSignature, ValueError):
        return False
    return True


@cache
def public_keys() -> dict[str, Ed25519PublicKey]:
    """By their ids, the present one first. Old ones stay for as long as anybody may hold what they signed."""
    old = [Ed25519PublicKey.from_public_bytes(raw) for raw in settings.SIGNING_OLD_PUBLIC_KEYS]
    return {key_id(public): public for public in (_private_key().public_key(), *old)}


def jwks() -> dict[str, list[dict[str, str]]]:
    """RFC 7517: the public keys."""
    return {
        "keys": [{**_jwk(public), "kid": name, "alg": "EdDSA", "use": "sig"} for name, public in public_keys().items()]
    }


def key_id(public: Ed25519PublicKey) -> str:
    return _base64url(bytes.fromhex(canonical_sha256(_jwk(public))))


def derived_key(secret: str) -> bytes:
    """For installations that are not production and were given no key: stable for as long as their secret is."""
    return hashlib.sha256(b"dpp result signing\0" + secret.encode()).digest()


@cache
def _private_key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(settings.SIGNING_KEY)


def _jwk(public: Ed25519PublicKey) -> dict[str, str]:
    return {"crv": "Ed25519", "kty": "OKP", "x": _base64url(public.public_bytes_raw())}


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
