"""The table tells what happened, and the page names a proof for every fault that exists."""

import re
from dataclasses import replace

import pytest

from tests.processes import CLONE
from tests.torture import rows
from tests.torture.__main__ import in_turn
from tests.torture.table import LARGE, Verdict, as_table, by_histories, together

PAGE = (CLONE / "docs" / "reliability.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Every fault and its proof")[2].partition("\n## ")[0]
PROOFS = [(line, re.findall(r"`([^`]+)`", line.split("|")[2])) for line in SECTION.splitlines() if "| `" in line]


def test_the_parts_of_a_row_are_all_of_it() -> None:
    parts = by_histories(replace(LARGE, histories=220, first_seed=7))
    assert [(part.first_seed, part.histories) for part in parts] == [(7, 100), (107, 100), (207, 20)]


def test_a_failed_part_fails_its_row_and_the_slowest_counts() -> None:
    good = Verdict("S", "fault", tries=10, healed_sec=2.0, seconds=30)
    assert together([good, replace(good, healed_sec=3.5)]).line == "| S | fault | 20 | 3.5 s | 0 | green |"
    table = as_table([together([good, Verdict("S", "fault", failure="Traceback")])])
    assert table.endswith("| S | fault | 10 | 2.0 s | 0 | FAILED |\n")


def test_a_row_of_many_parts_is_spread_over_the_whole_time() -> None:
    few, many = (
        next(place for place, row in enumerate(rows.ALL) if word in row.fault) for word in ("submit 1", "histories")
    )
    order = [place for place, _ in in_turn([few, many], replace(LARGE, histories=300))]
    assert order == [few, many, many, many]
    last = len(rows.ALL) - 1
    order = [place for place, _ in in_turn([few, many, last], replace(LARGE, histories=300))]
    assert order == [few, many, many, last, many]


def test_the_page_has_a_proof_for_every_fault() -> None:
    assert len(PROOFS) > 40
    assert len(PROOFS) == len([line for line in SECTION.splitlines() if line.startswith("| ")]) - 1


@pytest.mark.parametrize("proof", sorted({proof for _, proofs in PROOFS for proof in proofs}))
def test_a_proof_exists(proof: str) -> None:
    file, _, name = proof.partition("::")
    if name:
        assert f"def {name}(" in (CLONE / file).read_text(encoding="utf-8")
    else:
        assert any(proof in row.fault for row in rows.ALL)
