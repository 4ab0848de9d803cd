"""The score follows what a reader would say: of each pair the better text scores higher."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from packs.evaluate import assess

PAIRS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "pairs.toml").read_text(encoding="utf-8"))["pair"]


def test_there_are_pairs_in_both_languages() -> None:
    languages = [pair["why"][:2] for pair in PAIRS]
    assert len(PAIRS) >= 12
    assert min(languages.count("ko"), languages.count("en")) >= 6


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["why"])
def test_the_better_text_scores_higher(pair: dict[str, Any]) -> None:
    sources = pair.get("sources", [])
    better, worse = (assess(pair[name], sources, None)["score"] for name in ("better", "worse"))
    assert better >= worse + pair["gap"], (better, worse)
