"""RFC 8785, against the official vectors."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpp_project.canonical import NotCanonical, canonical_bytes, canonical_sha256

_VECTORS = Path(__file__).parent / "rfc8785"
_NAMES = sorted(path.name.removeprefix("input-") for path in _VECTORS.glob("input-*.json"))


def test_the_vectors_are_here() -> None:
    assert len(_NAMES) == 6


@pytest.mark.parametrize("name", _NAMES)
def test_official_vector(name: str) -> None:
    value = json.loads((_VECTORS / f"input-{name}").read_text(encoding="utf-8"))
    assert canonical_bytes(value) == (_VECTORS / f"output-{name}").read_bytes().strip()


@pytest.mark.parametrize("value", [2**53, -(2**53), float("nan"), float("inf"), "\ud800", {"\udfff": 1}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical_bytes(value)


def test_equal_values_in_any_order_have_one_hash() -> None:
    assert canonical_sha256({"b": 1.0, "a": [True]}) == canonical_sha256({"a": [True], "b": 1})
