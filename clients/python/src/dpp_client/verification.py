"""Whether an envelope is what the platform signed: its hash, and its Ed25519 signature over the RFC 8785 form."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from dpp_client.errors import NotVerified

Jwks = Mapping[str, Any]
"""RFC 7517: what `/.well-known/jwks.json` answers."""


def verify_envelope(content: bytes, jwks: Jwks) -> dict[str, Any]:
    """The envelope in these bytes. NotVerified if a single byte is not as it was issued."""
    document = _read(content)
    unsigned = {name: value for name, value in document.items() if name != "signatures"}
    try:
        # Other bytes of the same meaning (a space, another escape) are not what was issued.
        if rfc8785.dumps(document) != content:
            raise NotVerified("The bytes are not the RFC 8785 form in which envelopes are issued.")
        message = rfc8785.dumps(unsigned)
    except (rfc8785.CanonicalizationError, RecursionError) as error:
        raise NotVerified(f"The envelope has no RFC 8785 form: {error}") from error
    _check_signature(message, document.get("signatures"), jwks)
    return document


def check_sha256(content: bytes, expected: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise NotVerified(f"The SHA-256 of the bytes is {found}, not {expected}.")


def key_id_of(content: bytes) -> str | None:
    """The key that claims to have signed these bytes; nothing is checked."""
    match _read(content).get("signatures"):
        case {"key_id": str(key_id)}:
            return key_id
    return None


def public_keys(jwks: Jwks) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys by their ids. A key whose id is not its thumbprint (RFC 7638) is left out."""
    found: dict[str, Ed25519PublicKey] = {}
    for key in jwks.get("keys", []):
        match key:
            case {"kty": "OKP", "crv": "Ed25519", "x": str(x), "kid": str(kid)} if kid == _thumbprint(x):
                found[kid] = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "=" * (-len(x) % 4)))
    return found


def _check_signature(message: bytes, signatures: object, jwks: Jwks) -> None:
    match signatures:
        case {"sha256": str(sha256), "ed25519": str(ed25519), "key_id": str(key_id), **others} if not others:
            pass
        case _:
            raise NotVerified("The envelope carries no complete signature.")
    check_sha256(message, sha256)
    public = public_keys(jwks).get(key_id)
    if public is None:
        raise NotVerified(f"The key {key_id} is not among the published keys.")
    try:
        raw = base64.b64decode(ed25519, validate=True)
        if base64.b64encode(raw).decode() != ed25519:
            raise NotVerified("The signature is not written in its one base64 form.")
        public.verify(raw, message)
    except (InvalidSignature, binascii.Error) as error:
        raise NotVerified("The signature is not of this key over this envelope.") from error


def _read(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content.decode("utf-8"), object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise NotVerified(f"The envelope is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise NotVerified("The envelope is not a JSON object.")
    return document


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _thumbprint(x: str) -> str:
    form = rfc8785.dumps({"crv": "Ed25519", "kty": "OKP", "x": x})
    return base64.urlsafe_b64encode(hashlib.sha256(form).digest()).rstrip(b"=").decode()
