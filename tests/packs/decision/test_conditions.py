"""Hard conditions in many wordings: read, held against the options, and said."""

from typing import Any

import pytest

from packs.decision import PACK
from packs.decision.conditions.negation import denies, reverses
from tests.packs.llm.context import a_context

Json = dict[str, Any]


def run(context: Any, **attributes: tuple[str, str]) -> Json:
    options = [
        {"name": name, "attributes": {key.replace("_", " "): values[place] for key, values in attributes.items()}}
        for place, name in enumerate(("Kite", "Wren"))
    ]
    return PACK.execute({"question": "Which one?", "options": options, "context": context}, a_context()).data


def excluded(data: Json) -> list[str]:
    return [row["option"] for row in data["excluded"]]


@pytest.mark.parametrize(
    "sentence",
    [
        "The load must not exceed 40 kg.",
        "Anything with a load above 40 kg is rejected.",
        "Devices whose load is over 40 kg do not fit and are out of the question.",
        "We cannot take a load of more than 40 kg.",
        "No device with a load over 40 kg will be bought.",
        "Devices that cannot keep the load under 41 kg are excluded.",
        "If the load is above 40 kg, we will not sign.",
        "load가 40kg을 넘는 제품은 쓸 수 없다.",
        "load는 40kg 이내여야 한다.",
    ],
)
def test_a_ceiling_in_many_wordings(sentence: str) -> None:
    data = run(sentence, load=("55 kg", "30 kg"), price=("10 USD", "20 USD"))
    assert excluded(data) == ["Kite"]
    assert data["recommendation"]["option"] == "Wren"


@pytest.mark.parametrize(
    "sentence",
    ["Ideally the load stays below 40 kg.", "A load under 40 kg would be nice.", "load는 가급적 40kg 이하면 좋겠다."],
)
def test_a_wish_excludes_nobody(sentence: str) -> None:
    assert excluded(run(sentence, load=("55 kg", "30 kg"))) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Management has decided not to work with Kite any more.",
        "Kite has been barred from all tenders.",
        "Kite와는 거래하지 않기로 했다.",
        "Kite는 후보에서 뺐다.",
    ],
)
def test_an_exclusion_by_name(sentence: str) -> None:
    assert excluded(run(sentence, price=("10 USD", "20 USD"))) == ["Kite"]


def test_a_denied_exclusion_excludes_nobody() -> None:
    assert excluded(run("Kite has not been ruled out.", price=("10 USD", "20 USD"))) == []


def test_denials_cancel_out() -> None:
    assert denies("Such offers are rejected.")
    assert not denies("Offers without a permit are rejected.")
    assert not denies("This is not negotiable.")
    assert reverses("Offers above ", " are out of the question.")
    assert not reverses("Suppliers that cannot deliver within ", " are excluded.")


def test_a_binding_sentence_that_is_not_read_is_named_and_caps_reliability() -> None:
    data = run("The colour scheme must please the chairman's wife.", price=("10 USD", "20 USD"))
    assert "CONSTRAINT_UNREAD" in [item["kind"] for item in data["open"]]
    assert data["reliability"]["score"] < 0.8
    assert "unread_condition" in data["reliability"]["capped_by"]
    assert any(entry["binding"] for entry in data["residue"])
    assert "context.constraints" in data["next_actions"][0]["action"]


def test_a_sentence_about_nothing_is_on_the_residue_list_with_its_pointer() -> None:
    data = run({"note": "The weather was fine."}, price=("10 USD", "20 USD"))
    assert data["residue"] == [{"pointer": "/context/note", "text": "The weather was fine.", "binding": False}]


def test_the_lead_under_seeded_weightings_is_the_same_every_time() -> None:
    first = run("", price=("10 USD", "20 USD"), rating=("4/5", "5/5"))["sensitivity"]
    again = run("", price=("10 USD", "20 USD"), rating=("4/5", "5/5"))["sensitivity"]
    assert first == again
    assert first["weightings"]["draws"] == 10_000
    assert 0.5 < first["weightings"]["recommended_wins"] < 1.0
    assert set(first["second_method"]["ranking"]) == {"Kite", "Wren"}


def test_every_open_point_says_who_could_answer_it() -> None:
    data = run("The load must not exceed 40 kg.", load=("unknown", "30 kg"), price=("10 USD", "20 USD"))
    (unknown,) = [item for item in data["open"] if item["kind"] == "CONSTRAINT_UNKNOWN"]
    assert unknown["answered_by"] == "the provider of Kite"
    assert all(item["kind"] and item["answered_by"] for item in data["open"])
    assert any("Kite" in row["action"] for row in data["next_actions"])
