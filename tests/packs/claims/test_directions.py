"""Small words that turn a statement round, rows of a table, conditions on figures, and whom "the company" means."""

import pytest

from packs.evaluate import assess

TURNED = [
    ("올해 수확량은 12톤으로 지난해 16톤보다 적었다.", "지난해 수확량은 12톤으로 올해 16톤보다 적었다."),
    (
        "The ferry leaves twenty minutes earlier than in winter.",
        "The ferry leaves twenty minutes later than in winter.",
    ),
    (
        "Exports came to 46 million euros, up from 39 million euros.",
        "Exports came to 46 million euros, down from 39 million euros.",
    ),
    ("The permit allows the quarry to run until 2031.", "The permit allows the quarry to run from 2031."),
    (
        "Sales begin in Oslo in May and a week later in Bergen.",
        "Sales begin in Oslo in May and a month later in Bergen.",
    ),
    ("The pool was closed in the third quarter.", "The pool was closed in the fourth quarter."),
    ("The team lost because the goalkeeper was ill.", "The team lost although the goalkeeper was ill."),
    ("The lease ends if the tenant moves out.", "The lease ends unless the tenant moves out."),
    ("Drivers must switch off the engine.", "Drivers may switch off the engine."),
    ("Riders on the new shoes had 4 fewer falls a week.", "Riders on the new shoes had 4 more falls a week."),
    ("매표소는 5월 3일부터 문을 연다.", "매표소는 5월 3일까지 문을 연다."),
    ("노선은 62개에서 54개로 줄었다.", "노선은 62개로 54개에서 줄었다."),
    ("올해 생산량은 평년보다 14% 적다.", "올해 생산량은 평년만큼 14% 적다."),
    ("이 팀은 3분기에 가장 많이 팔았다.", "이 팀은 4분기에 가장 많이 팔았다."),
    ("신청자가 60명을 넘으면 추첨한다.", "신청자가 60명을 넘었다."),
    ("건물 두 동 가운데 한 동만 방을 모두 채웠다.", "건물 두 동 모두 방을 채웠다."),
    ("이 항공사는 24개국 62개 공항에 취항한다.", "이 항공사는 62개국에 취항한다."),
]


def status(claim: str, *sentences: str, title: str = "") -> str:
    source = {"id": "1", "title": title, "text": " ".join(sentences)}
    return str(assess([{"text": claim, "source_ids": ["1"]}], [source], None)["interpretation"][0]["status"])


@pytest.mark.parametrize(("source", "claim"), TURNED)
def test_a_sentence_turned_round_by_a_small_word_is_not_supported(source: str, claim: str) -> None:
    assert status(source, source) == "supported"
    assert status(claim, source) not in ("supported", "partly")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The permit allows the quarry to run from 2031.", "The permit allows the quarry to run until 2031."),
        ("The old line was closed to traffic from 4 March.", "The old line was closed to traffic until 4 March."),
        ("매표소는 5월 3일까지 문을 연다.", "매표소는 5월 3일부터 문을 연다."),
    ],
)
def test_the_same_date_on_the_other_side_contradicts(claim: str, source: str) -> None:
    assert status(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "sentences", "expected"),
    [
        (
            "Orbello closed its Lyon office.",
            ("Orbello makes drones.", "The company closed its Lyon office in May."),
            "supported",
        ),
        (
            "이든물산은 부산 공장을 닫았다.",
            ("이든물산이 배를 만든다.", "회사는 지난달 부산 공장을 닫았다."),
            "supported",
        ),
        # Two are named, or only somebody who speaks: nobody knows whom it means.
        (
            "Orbello closed its Lyon office.",
            ("Orbello makes drones.", "Kestrin builds boats.", "The company closed its Lyon office in May."),
            "not_verified",
        ),
        (
            "Dana Ruiz closed the Lyon office.",
            ("Dana Ruiz said it was a hard year.", "The company closed the Lyon office in May."),
            "not_verified",
        ),
    ],
)
def test_the_company_is_the_only_one_named_before(claim: str, sentences: tuple[str, ...], expected: str) -> None:
    assert status(claim, *sentences) == expected


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The entry pass became 20 percent cheaper.", "The operator cut the price of the entry pass from $15 to $12."),
        ("평균 대기 시간은 17분 짧아졌다.", "평균 대기 시간은 52분에서 35분으로 줄었다."),
        (
            "누리정밀의 매출은 1년 사이 400억원 증가했다.",
            "누리정밀의 매출은 3,200억원으로 전년의 2,800억원보다 늘었다.",
        ),
        ("산지 가격은 지난해보다 30% 올랐다.", "산지 가격은 5,200원으로 지난해 4,000원보다 올랐다."),
        ("산지 가격은 30% 올랐다.", "산지 가격은 5,200원으로 지난해 4,000원보다 올랐다."),
    ],
)
def test_a_change_follows_from_two_figures(claim: str, source: str) -> None:
    assert status(claim, source) == "supported"
    turned = claim
    for one, other in (("cheaper", "dearer"), ("짧아", "길어"), ("증가", "감소"), ("올랐", "내렸")):
        turned = turned.replace(one, other)
    assert status(turned, source) != "supported"


def test_the_rows_of_a_table_do_not_speak_for_each_other() -> None:
    table = "지점 | 직원 수 | 월 매출(만 원)\n전주점 | 9 | 6,400\n순천점 | 11 | 7,250"
    source = [{"id": "1", "title": "", "text": table}]
    claims = [{"text": "전주점은 직원이 9명이고 월 매출이 7,250만 원이다.", "source_ids": ["1"]}]
    assert assess(claims, source, None)["interpretation"][0]["status"] == "partly"


def test_the_rest_is_not_compared_with_the_total() -> None:
    text = ("병원은 초음파 장비 6대를 샀다.", "4대는 진료실에, 나머지는 응급실에 놓았다.")
    assert status("응급실에 진료실보다 많은 장비가 놓였다.", *text) != "supported"


def test_a_subject_of_another_sentence_does_not_take_the_place_of_this_one() -> None:
    text = ("이 약은 고혈압 환자에게 쓴다.", "가장 흔한 이상반응은 어지럼증이었다.")
    assert status("가장 흔한 이상반응은 어지럼증이었다.", *text) == "supported"
    assert status("가장 흔한 혈압은 어지럼증이었다.", *text) == "not_verified"


def test_two_words_of_a_claim_need_two_of_the_passage() -> None:
    passage = "The credit union opened four branches and closed none."
    assert status("The credit union opened four branches.", passage) == "supported"
    assert status("The credit loans opened four branches.", passage) == "not_verified"
