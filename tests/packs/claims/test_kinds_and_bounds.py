"""Broader words, bounds of figures and dates, whole names, and what a noun beside a name says."""

import pytest

from packs.claims.lexicon import kinds
from packs.claims.library import Library, Source
from packs.claims.verdict import Status, judge


def _status(source: str, claim: str, title: str = "") -> Status:
    return judge(claim, [0], Library([Source(0, "1", title, source)], 100, claim)).status


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("A spaniel chased the postman.", "A dog chased the postman."),
        ("The novelist Ida Brandt moved to Bergen.", "Ida Brandt is a novelist."),
        ("Ida Brandt, a Danish novelist, moved to Bergen.", "Ida Brandt is a novelist."),
        ("The shop has sold over 9 million lamps.", "The shop has sold over 8 million lamps."),
        ("The bridge opened in 1996.", "The bridge opened after 1992."),
        ("The bridge opened on 3 May 1996.", "The bridge opened before June 1996."),
        ("Lervik is the capital of Soland.", "Soland's capital is Lervik."),
        ("The firm closed two of its nine plants.", "The firm closed two plants."),
        ("Oda Lind (born 1966) is a Danish painter.", "Oda Lind was born in 1966."),
        ("Oda Lind (born 9 August 1968), known as Od, is a Danish painter.", "Oda Lind is a painter."),
    ],
)
def test_this_is_supported(source: str, claim: str) -> None:
    assert _status(source, claim) is Status.SUPPORTED


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The council counted 35 empty shops.", "The council counted fewer than 35 empty shops."),
        ("The bridge opened in 1990.", "The bridge opened after 1992."),
        ("The bridge opened in 1996.", "The bridge opened before 1992."),
        ("The shop has sold 9 million lamps.", "The shop has sold over 12 million lamps."),
        ("The firm closed two of its nine plants.", "The firm shut nine plants."),
        ("The firm closed two of its nine plants.", "The firm closed all its plants."),
        ("Oda Lind (born 1966) is a Danish painter.", "Oda Lind was born in 1965."),
    ],
)
def test_this_is_contradicted(source: str, claim: str) -> None:
    assert _status(source, claim) is Status.CONTRADICTED


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("No spaniel chased the postman.", "No dog chased the postman."),
        ("The spaniel is the largest spaniel of the street.", "The spaniel is the largest dog of the street."),
        ("All spaniels were vaccinated.", "All dogs were vaccinated."),
        ("A dog chased the postman.", "A spaniel chased the postman."),
        ("Brandt's nephew moved to Bergen.", "Brandt moved to Bergen."),
        ("Lund Castle is a restaurant in Oslo.", "Lund Castle is a castle."),
        ("Maria Lind moved to Bergen. Oda Holm stayed.", "Oda Lind moved to Bergen."),
        ("The debt is twice the equity.", "The equity is twice the debt."),
        ("The report counts 41 open cases and 29 solved ones.", "The report counts less than 40 open cases."),
        ("The bridge opened after 2018.", "The bridge opened before 2018."),
    ],
)
def test_this_is_not_supported(source: str, claim: str) -> None:
    assert _status(source, claim) is not Status.SUPPORTED


def test_the_whole_is_no_contradiction_where_nothing_is_said_of_the_part() -> None:
    assert _status("The firm closed two of its nine plants.", "The firm has nine plants.") is not Status.CONTRADICTED


def test_a_part_is_not_the_whole_in_korean() -> None:
    source = "신축 건물 세 동 가운데 두 동만 세입자를 채웠다."
    assert _status(source, "신축 건물 세 동 모두 세입자를 채웠다.") is not Status.SUPPORTED


def test_a_pronoun_of_the_first_sentence_is_what_the_title_names() -> None:
    assert _status("It opened in 1996.", "Lervik Bridge opened in 1996.", "Lervik Bridge") is Status.SUPPORTED
    assert _status("The museum opened in 1996.", "Lervik Museum opened in 1996.", "Lervik Museum") is Status.SUPPORTED


def test_the_whole_name_of_the_title_is_the_name_of_the_passage() -> None:
    assert _status("Lozan won the title.", "Hirv Lozan won the title.", "Hirv Lozan") is Status.SUPPORTED
    assert _status("Maria Lozan won the title.", "Hirv Lozan won the title.", "Hirv Lozan") is not Status.SUPPORTED


def test_the_data_knows_kinds_roots_and_places() -> None:
    known = kinds()
    assert "animal" in known.broader["n", "dog"]
    assert "dog" not in known.broader.get(("n", "animal"), ())
    assert known.places["danish"] == "denmark"
