"""The client believes an envelope only if every byte is as the platform issued it."""

import json
from typing import Any

import pytest
import rfc8785

from dpp_client import NotVerified, verify_envelope
from dpp_project import signing
from runs.lifecycle.envelope import sign

_DOCUMENT = {"run_id": "1", "data": {"answer": "가\u2028\x1f", "score": 0.5, "items": [1, 2, True, None]}}


@pytest.fixture(scope="module")
def content() -> bytes:
    return sign(_DOCUMENT).body


@pytest.fixture(scope="module")
def jwks() -> dict[str, Any]:
    return signing.jwks()


def test_what_was_issued_is_verified(content: bytes, jwks: dict[str, Any]) -> None:
    envelope = verify_envelope(content, jwks)
    assert envelope["data"] == _DOCUMENT["data"]


@pytest.mark.parametrize("bit", [1, 32], ids=["another character", "another case"])
def test_one_changed_byte_anywhere_is_found(content: bytes, jwks: dict[str, Any], bit: int) -> None:
    believed = []
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= bit
        try:
            verify_envelope(bytes(changed), jwks)
            believed.append(place)
        except NotVerified:
            pass
    assert believed == []


def test_bytes_of_the_same_meaning_are_not_what_was_issued(content: bytes, jwks: dict[str, Any]) -> None:
    same = json.loads(content)
    for other in (content + b"\n", content + b"x", json.dumps(same, indent=1).encode(), b'{"data":1,' + content[1:]):
        with pytest.raises(NotVerified):
            verify_envelope(other, jwks)


@pytest.mark.parametrize("hostile", [b"", b"[]", b"\xff", b"null", b"[" * 100_000, b'{"a":NaN}', b'{"a":1e999}'])
def test_what_is_no_envelope_is_refused(hostile: bytes, jwks: dict[str, Any]) -> None:
    with pytest.raises(NotVerified):
        verify_envelope(hostile, jwks)


@pytest.mark.parametrize("member", ["sha256", "ed25519", "key_id"])
def test_a_signature_without_one_of_its_parts_is_none(content: bytes, jwks: dict[str, Any], member: str) -> None:
    document = json.loads(content)
    del document["signatures"][member]
    with pytest.raises(NotVerified):
        verify_envelope(rfc8785.dumps(document), jwks)


def test_a_key_that_borrows_the_id_of_another_is_not_believed(content: bytes, jwks: dict[str, Any]) -> None:
    """The id follows from the key, so a list of keys cannot be slipped a foreign one under a known name."""
    (key,) = jwks["keys"]
    foreign = {**key, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    for keys in ([foreign], [], [{**key, "kid": "another"}]):
        with pytest.raises(NotVerified):
            verify_envelope(content, {"keys": keys})
