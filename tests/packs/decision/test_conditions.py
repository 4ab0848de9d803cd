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
        # No word for the side: a need, and that less of a load is wanted, say it.
        "The floor tolerates a load of 40 kg.",
        "The shelf allows a load of 40 kg, not a gram more.",
        "Anything heavier than 40 kg would breach the lease, whatever its load.",
        "A load beyond 40 kg is a non-starter.",
        "load 40kg이 상한선이다.",
        "load가 40kg을 웃돌면 반려된다.",
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


@pytest.mark.parametrize(
    "sentence",
    [
        "The insurer will not cover Kite.",
        "Leave Kite out: its maker has gone.",
        "Kite has stopped taking new customers.",
        "The committee has struck Kite off the list.",
        "Kite cannot be run offline, which the regulator requires.",
        "Kite는 다른 회사의 제안을 수락했다.",
        "Kite는 지난달부터 판매가 중단됐다.",
    ],
)
def test_whoever_is_not_to_be_had_or_refused_is_excluded(sentence: str) -> None:
    assert excluded(run(sentence, price=("10 USD", "20 USD"))) == ["Kite"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Last year a device failed because its load was above 40 kg.",
        "Most devices of this class have a load of more than 40 kg.",
        "작년에 산 제품은 load가 40kg을 넘었다.",
    ],
)
def test_what_once_was_or_usually_is_binds_nobody(sentence: str) -> None:
    assert excluded(run(sentence, load=("55 kg", "30 kg"))) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Nobody may be sent who lacks a permit.",
        "We cannot sponsor anyone, so a permit is a precondition.",
        "Whoever has no permit is turned away.",
        "permit이 없으면 계약하지 않는다.",
        "permit을 갖추지 못한 곳은 심사에서 떨어진다.",
    ],
)
def test_what_is_wanted_is_required_however_often_the_sentence_denies(sentence: str) -> None:
    assert excluded(run(sentence, permit=("no", "yes"), price=("10 USD", "20 USD"))) == ["Kite"]


def test_one_sentence_may_set_a_limit_and_require_something() -> None:
    data = run("90 guests are coming, and a permit is not optional.", permit=("no", "yes"), max_guests=("120", "100"))
    assert excluded(data) == ["Kite"]
    data = run("110 guests are coming, and a permit is not optional.", permit=("yes", "yes"), max_guests=("120", "100"))
    assert excluded(data) == ["Wren"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Work cannot begin earlier than 1 April 2027.",
        "A start in March 2027 is too early.",
    ],
)
def test_a_day_before_which_nothing_may_begin(sentence: str) -> None:
    assert excluded(run(sentence, start=("29 March 2027", "12 April 2027"))) == ["Kite"]


@pytest.mark.parametrize(
    "context",
    [
        {"constraints": [{"field": "load", "operator": "<=", "value": "40 kg"}]},
        {"requirements": ["load <= 40 kg"]},
        {"제약조건": [{"항목": "load", "최대": "40kg"}]},
    ],
)
def test_a_typed_condition(context: Json) -> None:
    assert excluded(run(context, load=("55 kg", "30 kg"), price=("10 USD", "20 USD"))) == ["Kite"]


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        ("Orders below a margin of 12% are turned down. The margin of this order is 9.5%.", "No"),
        ("Orders below a margin of 12% are turned down. The margin of this order is 15%.", "Yes"),
        ("We have $240,000 in cash. At least $100,000 must remain in the bank. It costs $180,000.", "No"),
        ("It is not done while a single serious fault is open. Two serious faults were open in 2 places today.", "No"),
        ("The board has put all new projects on hold; any new project is suspended.", "No"),
    ],
)
def test_a_yes_or_no_question_held_against_a_rule(context: str, answer: str) -> None:
    data = PACK.execute({"question": "Should we start with this order?", "context": context}, a_context()).data
    assert data["recommendation"] is not None
    assert data["recommendation"]["option"] == answer


@pytest.mark.parametrize(("one", "other"), [("Federal Express", "FedEx"), ("마이크로소프트 팀즈", "Microsoft Teams")])
def test_one_thing_under_two_names(one: str, other: str) -> None:
    options = [{"name": name, "attributes": {"price": "10 USD"}} for name in (one, other)]
    options.append({"name": "Third", "attributes": {"price": "12 USD"}})
    data = PACK.execute({"question": "Which one?", "options": options, "criteria": ["price"]}, a_context()).data
    assert data["recommendation"]["option"] in (one, other)


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
