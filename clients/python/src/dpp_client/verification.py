"""Whether an envelope is what the platform signed: its hash, and its Ed25519 signature over the RFC 8785 form."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
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


def verify_statement(document: Mapping[str, Any], jwks: Jwks) -> dict[str, Any]:
    """The head of a month's statement, or of a page of one, if every entry in it is as the platform signed it.

    Checked are the signature over the head, the hash of all entries, each entry's own hash, that each follows the one
    before (unless only some are listed), and the balances.
    """
    try:
        head, entries, signatures = document["head"], document["entries"], document["signatures"]
        _check_ed25519(rfc8785.dumps(head), signatures["ed25519"], signatures["key_id"], jwks, "statement")
        check_sha256(rfc8785.dumps(entries), head["entries_sha256"])
        _check_entries(head, entries)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotVerified(f"This is no statement: {error!r}") from error
    return dict(head)


def _check_entries(head: Mapping[str, Any], entries: list[dict[str, Any]]) -> None:
    is_whole = head["tag"] is None and head["api_key_id"] is None
    before, balance = head["first_previous_hash"], head["opening_usd_micros"]
    for entry in entries:
        if _entry_hash(head["tenant_id"], entry) != entry["entry_hash"]:
            raise NotVerified(f"Entry {entry['sequence']} is not what its hash says.")
        if is_whole and entry["previous_hash"] != before:
            raise NotVerified(f"Entry {entry['sequence']} does not follow the one before.")
        balance = balance + entry["amount_usd_micros"] if is_whole else entry["balance_usd_micros"]
        if entry["balance_usd_micros"] != balance:
            raise NotVerified(f"The balance after entry {entry['sequence']} is not the sum of the entries.")
        before = entry["entry_hash"]
    listed = sum(entry["amount_usd_micros"] for entry in entries)
    if (len(entries), listed, balance) != (head["entries"], head["listed_usd_micros"], head["closing_usd_micros"]):
        raise NotVerified("The head does not add up to its entries.")


def _entry_hash(tenant_id: str, entry: Mapping[str, Any]) -> str:
    since = datetime.fromisoformat(entry["created_at"]) - datetime(1970, 1, 1, tzinfo=UTC)
    moment = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    reference = entry["reference"]
    parts = [tenant_id, entry["sequence"], entry["run_id"] or "", entry["kind"], entry["amount_usd_micros"], moment]
    parts += ["" if reference is None else len(reference), reference or "", entry["note"]]
    text = "|".join(str(part) for part in parts)
    return hashlib.sha256(bytes.fromhex(entry["previous_hash"]) + text.encode()).hexdigest()


def read_statement(content: bytes) -> dict[str, Any]:
    """From a file: the JSON answer, or the same as JSON Lines."""
    try:
        return _read(content)
    except NotVerified:
        head, *lines = content.splitlines() or [b""]
        return {**_read(head), "entries": [_read(line) for line in lines if line.strip()]}


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
    _check_ed25519(message, ed25519, key_id, jwks, "envelope")


def _check_ed25519(message: bytes, ed25519: str, key_id: str, jwks: Jwks, what: str) -> None:
    public = public_keys(jwks).get(key_id)
    if public is None:
        raise NotVerified(f"The key {key_id} is not among the published keys.")
    try:
        raw = base64.b64decode(ed25519, validate=True)
        if base64.b64encode(raw).decode() != ed25519:
            raise NotVerified("The signature is not written in its one base64 form.")
        public.verify(raw, message)
    except (InvalidSignature, binascii.Error) as error:
        raise NotVerified(f"The signature is not of this key over this {what}.") from error


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
