"""Results can be checked by anybody: with the public key alone, offline, and by old keys too."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.test import Client

from dpp_project import signing
from runs.lifecycle.envelope import sign, signature_is_valid

_DOCUMENT = {"run_id": "1", "data": {"answer": "가", "score": 0.5}}


@pytest.fixture(autouse=True)
def _keys_read_anew() -> Iterator[None]:
    yield
    _forget()


def _forget() -> None:
    signing._private_key.cache_clear()
    signing.public_keys.cache_clear()


def _signed() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(sign(_DOCUMENT).body)
    return document


def _check(document: dict[str, Any], jwks: dict[str, Any]) -> None:
    """As a stranger would, by the documents alone."""
    signatures = document.pop("signatures")
    (key,) = [key for key in jwks["keys"] if key["kid"] == signatures["key_id"]]
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "="))
    public.verify(base64.b64decode(signatures["ed25519"]), rfc8785.dumps(document))


def test_a_stranger_verifies_a_result_by_the_published_key(client: Client) -> None:
    answer = client.get("/.well-known/jwks.json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/jwk-set+json")
    _check(_signed(), answer.json())

    changed = _signed()
    changed["data"]["answer"] = "나"
    with pytest.raises(InvalidSignature):
        _check(changed, answer.json())


def test_the_key_id_is_the_thumbprint_of_the_rfc() -> None:
    """The example of RFC 8037, A.3."""
    public = base64.urlsafe_b64decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    assert signing.key_id(Ed25519PublicKey.from_public_bytes(public)) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize("member", ["sha256", "ed25519", "key_id"])
def test_each_part_of_the_signature_counts(member: str) -> None:
    document = _signed()
    assert signature_is_valid(document)
    document["signatures"][member] = "0" + document["signatures"][member][1:]
    assert not signature_is_valid(document)


def test_a_result_of_an_old_key_verifies_as_long_as_the_key_is_listed(settings: Any, client: Client) -> None:
    old = _signed()
    public = Ed25519PrivateKey.from_private_bytes(settings.SIGNING_KEY).public_key().public_bytes_raw()
    settings.SIGNING_KEY = bytes(range(32))
    _forget()
    assert not signature_is_valid(old)

    settings.SIGNING_OLD_PUBLIC_KEYS = [public]
    _forget()
    assert signature_is_valid(old)
    keys = client.get("/.well-known/jwks.json").json()
    assert len(keys["keys"]) == 2
    _check(old, keys)
    _check(_signed(), keys)


def test_results_from_before_there_was_a_key_still_verify() -> None:
    document = _signed()
    del document["signatures"]["ed25519"], document["signatures"]["key_id"]
    assert signature_is_valid(document)
