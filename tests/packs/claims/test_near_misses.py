"""Contrasts, coordination and near misses: what must not be said of a claim, whatever else is."""

import pytest

from packs.evaluate import assess

NEVER = (
    (
        "Mayor Lind opened the session. Lind resigned in May.",
        "The mayor resigned in May.",
        "contradicted",
    ),
    (
        "The author Kim wrote the book in Rome. Kim moved to Paris later.",
        "The author moved to Paris later.",
        "contradicted",
    ),
    (
        "The bank sued the broker over fees. The broker paid the fine.",
        "The bank paid the fine.",
        "supported",
    ),
    (
        "A spokesman for the firm said the plant is safe. The minister visited it.",
        "The minister said the plant is safe.",
        "supported",
    ),
    (
        "The company spokesman Jon Reed said that sales rose.",
        "Jon Reed said that sales rose.",
        "contradicted",
    ),
    (
        "A spokeswoman said the line would reopen in June.",
        "The operator said the line would reopen in June.",
        "supported",
    ),
    (
        "Two thirds of the members approved the plan.",
        "All members approved the plan.",
        "supported",
    ),
    (
        "60 percent of the voters backed the plan.",
        "All parties backed the plan.",
        "contradicted",
    ),
    (
        "The city took over the museum in 1998.",
        "The city captured the museum in 1998.",
        "supported",
    ),
    (
        "The firm plans to open a plant in Lyon in 2027.",
        "The firm opened a plant in Lyon.",
        "supported",
    ),
    (
        "The firm plans to open a plant in Lyon in 2027.",
        "The firm has a plan for Lyon.",
        "contradicted",
    ),
    (
        "The council will discuss the plan on Monday.",
        "The council approved the plan on Monday.",
        "supported",
    ),
    (
        "The lake is 30 metres deep near the dam and 12 metres deep near the town.",
        "The lake is 30 metres deep near the town.",
        "supported",
    ),
    (
        "The train to Oslo leaves at 9 and the train to Bergen at 11.",
        "The train to Bergen leaves at 9.",
        "supported",
    ),
    (
        "Ada gave the keys to Bo, who gave them to Cy.",
        "Ada gave the keys to Cy.",
        "supported",
    ),
    (
        "Ada gave the keys to Bo, who gave them to Cy.",
        "Bo gave the keys to Cy.",
        "contradicted",
    ),
    (
        "The drug reduced pain in adults. It had no effect in children.",
        "The drug reduced pain in children.",
        "supported",
    ),
    (
        "The drug reduced pain in adults. It had no effect in children.",
        "The drug had no effect in adults.",
        "supported",
    ),
    (
        "The vaccine is 90 percent effective against severe illness.",
        "The vaccine is 90 percent effective against infection.",
        "supported",
    ),
    (
        "Prices rose 5 percent in May after falling 2 percent in April.",
        "Prices fell in May.",
        "supported",
    ),
    (
        "Prices rose 5 percent in May after falling 2 percent in April.",
        "Prices rose in April.",
        "supported",
    ),
    (
        "Prices rose 5 percent in May after falling 2 percent in April.",
        "Prices fell 2 percent in April.",
        "contradicted",
    ),
    (
        "Unlike the north, the south has no rail link.",
        "The south has a rail link.",
        "supported",
    ),
    (
        "Unlike the north, the south has no rail link.",
        "The north has no rail link.",
        "supported",
    ),
    (
        "The bill passed without the support of the Greens.",
        "The Greens supported the bill.",
        "supported",
    ),
    (
        "The fire destroyed the barn but spared the house.",
        "The fire destroyed the house.",
        "supported",
    ),
    (
        "The fire destroyed the barn but spared the house.",
        "The fire spared the barn.",
        "supported",
    ),
    (
        "Only members may vote, and guests may watch.",
        "Guests may vote.",
        "supported",
    ),
    (
        "The report was written by Lee and edited by Park.",
        "Park wrote the report.",
        "supported",
    ),
    (
        "The report was written by Lee and edited by Park.",
        "Lee edited the report.",
        "supported",
    ),
    (
        "Shares of Alta fell 3 percent while those of Bora rose 4 percent.",
        "Shares of Bora fell 3 percent.",
        "supported",
    ),
    (
        "Shares of Alta fell 3 percent while those of Bora rose 4 percent.",
        "Shares of Alta fell 3 percent.",
        "contradicted",
    ),
    (
        "The school hired 12 teachers and lost 4.",
        "The school lost 12 teachers.",
        "supported",
    ),
    (
        "In 2010 the town had 3 schools; in 2020 it had 5.",
        "In 2020 the town had 3 schools.",
        "supported",
    ),
    (
        "시장은 예산안에 반대했지만 의회는 통과시켰다.",
        "시장은 예산안을 통과시켰다.",
        "supported",
    ),
    (
        "시장은 예산안에 반대했지만 의회는 통과시켰다.",
        "의회는 예산안에 반대했다.",
        "supported",
    ),
    (
        "회사는 직원을 해고하지 않기로 노조와 합의했다.",
        "회사는 직원을 해고했다.",
        "supported",
    ),
    (
        "약은 성인에게 효과가 있었으나 어린이에게는 효과가 없었다.",
        "약은 어린이에게 효과가 있었다.",
        "supported",
    ),
    (
        "약은 성인에게 효과가 있었으나 어린이에게는 효과가 없었다.",
        "약은 성인에게 효과가 없었다.",
        "supported",
    ),
    (
        "민지는 열쇠를 지호에게 주었고 지호는 그것을 서연에게 주었다.",
        "민지는 열쇠를 서연에게 주었다.",
        "supported",
    ),
    (
        "보고서는 이 팀장이 쓰고 박 과장이 고쳤다.",
        "보고서는 박 과장이 썼다.",
        "supported",
    ),
    (
        "5월 물가는 4월보다 올랐지만 작년보다는 내렸다.",
        "5월 물가는 4월보다 내렸다.",
        "supported",
    ),
    (
        "5월 물가는 4월보다 올랐지만 작년보다는 내렸다.",
        "5월 물가는 작년보다 올랐다.",
        "supported",
    ),
    (
        "불은 창고를 태웠지만 집은 무사했다.",
        "불은 집을 태웠다.",
        "supported",
    ),
    (
        "회원만 투표할 수 있고 손님은 볼 수만 있다.",
        "손님은 투표할 수 있다.",
        "supported",
    ),
    (
        "그 법안은 야당의 지지 없이 통과됐다.",
        "야당은 그 법안을 지지했다.",
        "supported",
    ),
    (
        "북쪽과 달리 남쪽에는 철도가 없다.",
        "남쪽에는 철도가 있다.",
        "supported",
    ),
    (
        "가온은 직원 12명을 뽑고 4명을 내보냈다.",
        "가온은 직원 12명을 내보냈다.",
        "supported",
    ),
    (
        "작가 김수연은 로마에서 책을 썼다. 김수연은 나중에 파리로 옮겼다.",
        "작가는 나중에 파리로 옮겼다.",
        "contradicted",
    ),
    (
        "은행이 중개인을 고소했다. 벌금은 중개인이 냈다.",
        "벌금은 은행이 냈다.",
        "supported",
    ),
    (
        "공장은 2027년에 문을 열 예정이다.",
        "공장은 2027년에 문을 열었다.",
        "supported",
    ),
    (
        "대변인은 공장이 안전하다고 말했다.",
        "장관은 공장이 안전하다고 말했다.",
        "supported",
    ),
)


@pytest.mark.parametrize(("source", "claim", "never"), NEVER)
def test_this_is_never_said(source: str, claim: str, never: str) -> None:
    data = assess([{"text": claim, "source_ids": ["1"]}], [{"id": "1", "title": "", "text": source}], None)
    assert data["interpretation"][0]["status"] != never
