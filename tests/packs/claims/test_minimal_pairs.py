"""One edit decides: a claim that an edit made false is never supported, one that stayed true never contradicted."""

from itertools import product

import pytest

from packs.evaluate import assess

NAMES = (("Orvane", "Tellmark"), ("Marta Quill", "Devon Ash"), ("Bexley Group", "Nordhaven"))
ENGLISH = (
    (
        "{A} sold the mill to {B} in March 2019 for 40 million euros.",
        ("{B} bought the mill from {A} in March 2019.", "The mill was sold to {B} by {A}.",
         "{A} sold the mill in 2019."),
        (
            "{B} sold the mill to {A} in March 2019.", "{A} bought the mill from {B} in March 2019.",
            "{A} did not sell the mill to {B}.", "{A} sold the mill to {B} in May 2019.",
            "{A} sold the mill to {B} for 40 billion euros.", "{A} may sell the mill to {B}, but has not yet.",
            "All mills were sold to {B} by {A}.", "{B} was bought by {A} for 40 million euros.",
        ),
    ),
    (
        "{A} beat {B} in the final, and 9,000 people watched.",
        ("{B} was beaten by {A} in the final.", "{A} defeated {B} in the final."),
        ("{B} beat {A} in the final.", "{A} was beaten by {B} in the final.", "{A} lost to {B} in the final."),
    ),
    (
        "The red bus of {A} overtook the blue truck of {B} on the bridge.",
        ("The blue truck of {B} was overtaken by the red bus of {A}.",),
        (
            "The blue bus of {A} overtook the red truck of {B}.", "The red truck of {A} overtook the blue bus of {B}.",
            "The blue truck of {B} overtook the red bus of {A}.",
        ),
    ),
    (
        "{A} lent {B} 300 dollars before the strike, because sales had fallen.",
        ("{A} lent {B} 300 dollars.",),
        (
            "{B} lent {A} 300 dollars.", "{A} lent {B} 300 dollars after the strike.",
            "{A} lent {B} 300 dollars because sales had risen.", "{A} lent {B} 300 dollars a month.",
        ),
    ),
    (
        "Most of the farms near {A} use less water than the farms near {B}.",
        (),
        (
            "All of the farms near {A} use less water than the farms near {B}.",
            "Most of the farms near {B} use less water than the farms near {A}.",
            "Most of the farms near {A} use more water than the farms near {B}.",
            "None of the farms near {A} use less water than the farms near {B}.",
            "Only the farms near {A} use water.",
        ),
    ),
    (
        "{A} said that {B} would close the plant if the tax rose by 3 percentage points.",
        (),
        (
            "{B} said that {A} would close the plant.", "{B} closed the plant.", "{A} closed the plant.",
            "{A} said that {B} would close the plant if the tax rose by 3 percent.",
            "The tax rose by 3 percentage points.",
        ),
    ),
    (
        "Output at {A} rose from 40 tonnes in 2021 to 52 tonnes in 2022, while output at {B} fell.",
        ("Output at {A} rose by 12 tonnes.", "Output at {B} fell."),
        (
            "Output at {A} fell from 40 tonnes in 2021 to 52 tonnes in 2022.", "Output at {B} rose.",
            "Output at {A} rose by 22 tonnes.", "Output at {A} was 52 tonnes in 2021.",
            "Output at {A} fell by 12 tonnes.",
        ),
    ),
    (
        "{A} must not be opened above 30 degrees, but {B} may be opened at any time.",
        (),
        ("{A} may be opened above 30 degrees.", "{B} must not be opened.", "{A} may be opened at any time."),
    ),
    (
        "No bridge near {A} was damaged, and the former mayor of {B} thanked the crews.",
        (),
        ("A bridge near {A} was damaged.", "The mayor of {B} thanked the crews.",
         "The former mayor of {A} thanked the crews."),
    ),
    (
        "{A} moved from Turin to Genoa in 2011 and founded a school there.",
        ("{A} moved to Genoa in 2011.",),
        ("{A} moved from Genoa to Turin in 2011.", "{A} founded a school in Turin.", "{A} moved to Genoa in 2012."),
    ),
)  # fmt: skip
KOREAN_NAMES = (("가온전자", "누리상사"), ("박서린", "최도윤"), ("해솔그룹", "미르건설"))
KOREAN = (
    (
        "{A}는 2019년 3월 {B}에 공장을 400억 원에 팔았다.",
        ("{A}는 2019년 3월 공장을 팔았다.", "{B}는 2019년 {A}로부터 공장을 샀다."),
        (
            "{B}는 2019년 3월 {A}에 공장을 400억 원에 팔았다.", "{A}는 2019년 5월 {B}에 공장을 팔았다.",
            "{A}는 {B}에 공장을 400만 원에 팔았다.", "{A}는 {B}에 공장을 팔지 않았다.", "{A}는 {B}에서 공장을 샀다.",
            "{A}는 {B}에 공장을 팔 수도 있다고 밝혔지만 아직 팔지 않았다.",
        ),
    ),
    (
        "{A}가 {B}를 고소했고 법원은 소송을 기각했다.",
        ("{A}가 {B}를 고소했다.",),
        ("{B}가 {A}를 고소했다.", "법원은 소송을 받아들였다.", "{A}가 {B}를 고소하지 않았다."),
    ),
    (
        "{A}의 매출은 2021년 40억 원에서 2022년 52억 원으로 늘었고 {B}의 매출은 줄었다.",
        ("{A}의 매출은 12억 원 늘었다.",),
        (
            "{A}의 매출은 12억 원 줄었다.", "{B}의 매출은 늘었다.", "{A}의 매출은 22억 원 늘었다.",
            "{A}의 2021년 매출은 52억 원이었다.",
        ),
    ),
    (
        "직원 대부분은 {A}보다 {B}를 더 자주 이용한다.",
        (),
        ("직원 모두는 {A}보다 {B}를 더 자주 이용한다.", "직원 대부분은 {B}보다 {A}를 더 자주 이용한다.",
         "직원 대부분은 {A}보다 {B}를 덜 자주 이용한다."),
    ),
    (
        "{A}는 영하에서 쓰면 안 되지만 {B}는 언제든 써도 된다.",
        (),
        ("{A}는 영하에서 써도 된다.", "{B}는 쓰면 안 된다."),
    ),
    (
        "{A}는 세금이 3%포인트 오르면 공장을 닫겠다고 {B}에 알렸다.",
        (),
        ("{A}는 공장을 닫았다.", "{B}는 공장을 닫았다.", "세금이 3%포인트 올랐다.",
         "{B}는 세금이 3%포인트 오르면 공장을 닫겠다고 {A}에 알렸다."),
    ),
    (
        "{A}는 홍수가 나기 전에 {B}를 떠났다.",
        (),
        ("{A}는 홍수가 난 뒤에 {B}를 떠났다.", "{B}는 홍수가 나기 전에 {A}를 떠났다.", "{A}는 {B}를 떠나지 않았다."),
    ),
    (
        "{A}는 2011년 대전에서 세종으로 옮겼다.",
        ("{A}는 2011년 세종으로 옮겼다.",),
        ("{A}는 2011년 세종에서 대전으로 옮겼다.", "{A}는 2012년 세종으로 옮겼다."),
    ),
)  # fmt: skip


def status(source: str, claim: str) -> str:
    data = assess([{"text": claim, "source_ids": ["1"]}], [{"id": "1", "title": "", "text": source}], None)
    return str(data["interpretation"][0]["status"])


def _particles(text: str, names: tuple[str, str]) -> str:
    """The template with the names, each with the particle that its last sound wants."""
    for mark, name in zip(("{A}", "{B}"), names, strict=True):
        closed = (ord(name[-1]) - ord("가")) % 28 != 0 if "가" <= name[-1] <= "힣" else False
        for open_form, closed_form in (("는", "은"), ("가", "이"), ("를", "을"), ("로부터", "으로부터")):
            text = text.replace(mark + open_form, name + (closed_form if closed else open_form))
        text = text.replace(mark, name)
    return text


CASES = [
    (_particles(source, names), _particles(claim, names), kind)
    for templates, pool in ((ENGLISH, NAMES), (KOREAN, KOREAN_NAMES))
    for (source, true, false), names in product(templates, pool)
    for kind, claims in (("true", true), ("false", false))
    for claim in claims
]


@pytest.mark.parametrize(("source", "claim"), [(source, claim) for source, claim, kind in CASES if kind == "false"])
def test_what_an_edit_made_false_is_never_supported(source: str, claim: str) -> None:
    assert status(source, claim) != "supported"


@pytest.mark.parametrize(("source", "claim"), [(source, claim) for source, claim, kind in CASES if kind == "true"])
def test_what_an_edit_left_true_is_never_contradicted(source: str, claim: str) -> None:
    assert status(source, claim) != "contradicted"


def test_the_edits_are_told_apart_more_often_than_not() -> None:
    found = [(kind, status(source, claim)) for source, claim, kind in CASES]
    for kind, wanted in (("true", "supported"), ("false", "contradicted")):
        mine = [verdict for each, verdict in found if each == kind]
        assert mine.count(wanted) * 2 > len(mine), (kind, mine.count(wanted), len(mine))
