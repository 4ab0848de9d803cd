"""Every word of the claim stands in the source, and the claim is false: one pair for each way of it."""

import pytest

from tests.packs.claims.test_verdicts import status

FALSE = [
    ("The mayor opened the bridge after the governor resigned.", "The governor opened the bridge."),
    (
        "The mayor opened the bridge after the governor resigned.",
        "The governor resigned after the mayor opened the bridge.",
    ),
    ("Sales rose in Spain but fell in Italy.", "Sales rose in Italy."),
    ("Sales rose in Spain but fell in Italy.", "Sales fell in Spain."),
    ("Anna teaches Ben, and Carl teaches Dora.", "Anna teaches Dora."),
    ("The firm hired Lee and dismissed Park.", "The firm hired Park."),
    ("The firm hired Lee and dismissed Park.", "The firm dismissed Lee."),
    ("Only members may vote.", "Everyone may vote."),
    ("Only the treasurer can sign cheques above 500 dollars.", "The secretary can sign cheques above 500 dollars."),
    ("The drug is safe for adults but has not been tested on children.", "The drug is safe for children."),
    ("The drug is safe for adults but has not been tested on children.", "The drug has been tested on children."),
    ("Neither Alba nor Corin attended the meeting.", "Alba attended the meeting."),
    ("Neither Alba nor Corin attended the meeting.", "Corin attended the meeting."),
    ("The train to Lyon leaves at 9:40 and the train to Nice at 10:15.", "The train to Nice leaves at 9:40."),
    ("The museum opens at 10 on weekdays and at 12 on Sundays.", "The museum opens at 10 on Sundays."),
    ("Three of the five labs passed the audit.", "All five labs passed the audit."),
    ("Three of the five labs passed the audit.", "Five labs passed the audit."),
    ("Turnout was lower in the north than in the south.", "Turnout was lower in the south than in the north."),
    ("Oak is harder than pine.", "Pine is harder than oak."),
    ("The red team scored more goals than the blue team.", "The blue team scored more goals than the red team."),
    ("Instead of coal, the plant burns gas.", "The plant burns coal."),
    ("The plant burns gas instead of coal.", "The plant burns coal."),
    ("The plant burns gas rather than coal.", "The plant burns coal."),
    ("The council rejected the plan to build a stadium.", "The council will build a stadium."),
    ("Critics claimed that the bridge was unsafe.", "The bridge was unsafe."),
    ("Without a permit, nobody may enter the forest.", "Nobody may enter the forest."),
    ("The company failed to meet its target.", "The company met its target."),
    ("The company stopped making phones in 2015.", "The company makes phones."),
    ("Lena used to live in Oslo.", "Lena lives in Oslo."),
    ("Lena no longer works for the bank.", "Lena works for the bank."),
    ("The lake is less deep than the river.", "The lake is deeper than the river."),
    ("Rents fell for the first time in ten years.", "Rents fell for ten years."),
    ("The ship sank two days after leaving port.", "The ship sank two days before leaving port."),
    ("The strike began on Monday and ended on Thursday.", "The strike began on Thursday."),
    ("The strike began on Monday and ended on Thursday.", "The strike ended on Monday."),
    ("Exports to China doubled, while imports from China halved.", "Imports from China doubled."),
    ("Exports to China doubled, while imports from China halved.", "Exports to China halved."),
    ("The bank lent the town 4 million euros.", "The town lent the bank 4 million euros."),
    ("Mara sold her house to Tom.", "Tom sold his house to Mara."),
    ("Mara is the daughter of Ruth.", "Ruth is the daughter of Mara."),
    ("The court fined Delco, not Marlin.", "The court fined Marlin."),
    ("The court fined Delco, not Marlin.", "The court did not fine Delco."),
    ("All rooms except the attic are heated.", "The attic is heated."),
    ("All rooms except the attic are heated.", "All rooms are heated."),
    ("The vaccine prevents infection in most but not all patients.", "The vaccine prevents infection in all patients."),
    ("Hardly anyone noticed the change.", "Everyone noticed the change."),
    ("Few students passed the exam.", "Most students passed the exam."),
    ("At least 20 people were injured.", "Fewer than 20 people were injured."),
    ("The pool is open until 8 p.m.", "The pool is open after 8 p.m."),
    ("The law takes effect unless parliament objects.", "Parliament objects to the law."),
    ("The author of the report is Kim; its editor is Lowe.", "Lowe is the author of the report."),
    ("Kim wrote the report and Lowe edited it.", "Lowe wrote the report."),
    ("Kim wrote the report that Lowe edited.", "Lowe wrote the report."),
    ("The report that Lowe edited was written by Kim.", "The report was written by Lowe."),
    ("The singer, whose mother is a lawyer, studied music.", "The lawyer studied music."),
    ("The pilot who warned the crew survived.", "The crew survived."),
    ("The dog chased the cat that ate the mouse.", "The dog ate the mouse."),
    ("Visitors must leave bags at the desk before they enter the hall.", "Visitors must leave bags in the hall."),
    ("The price includes breakfast but not dinner.", "The price includes dinner."),
    ("The price includes breakfast but not dinner.", "The price does not include breakfast."),
    (
        "The battery is covered by the warranty for two years, the screen for one.",
        "The screen is covered by the warranty for two years.",
    ),
    ("He was elected in 2010 and re-elected in 2014.", "He was elected in 2014."),
    ("Norway, unlike Sweden, is not a member.", "Sweden is not a member."),
    ("Unlike Sweden, Norway is a member.", "Sweden is a member."),
    ("Two of the suspects were released; the third was charged.", "The third suspect was released."),
    (
        "Inflation fell below 3 percent in May after peaking at 9 percent in January.",
        "Inflation fell below 3 percent in January.",
    ),
    ("The fund invests mainly in bonds and holds few shares.", "The fund invests mainly in shares."),
    ("The river flows from the lake to the sea.", "The river flows from the sea to the lake."),
    ("Doctors advise against the treatment.", "Doctors advise the treatment."),
    (
        "The new model is lighter and more expensive than the old one.",
        "The old model is more expensive than the new one.",
    ),
    ("김 과장은 이 대리에게 보고서를 보냈다.", "이 대리는 김 과장에게 보고서를 보냈다."),
    ("수출은 늘고 수입은 줄었다.", "수입은 늘었다."),
    ("수출은 늘고 수입은 줄었다.", "수출은 줄었다."),
    ("서울 매장은 열었지만 부산 매장은 닫았다.", "부산 매장은 열었다."),
    ("서울 매장은 열었지만 부산 매장은 닫았다.", "서울 매장은 닫았다."),
    ("박 대표는 최 이사를 해임했다.", "최 이사는 박 대표를 해임했다."),
    ("회원만 투표할 수 있다.", "비회원도 투표할 수 있다."),
    ("성인에게는 승인됐지만 어린이에게는 승인되지 않았다.", "어린이에게 승인됐다."),
    ("도서관은 월요일을 제외하고 매일 연다.", "도서관은 월요일에 연다."),
    ("도서관은 월요일을 제외하고 매일 연다.", "도서관은 매일 연다."),
    ("학생 다섯 명 중 세 명이 합격했다.", "학생 다섯 명이 합격했다."),
    ("가스 대신 석탄을 쓴다.", "가스를 쓴다."),
    ("석탄이 아니라 가스를 쓴다.", "석탄을 쓴다."),
    ("북부는 남부보다 투표율이 낮았다.", "남부는 북부보다 투표율이 낮았다."),
    ("시는 경기장 건설 계획을 거부했다.", "시는 경기장을 건설한다."),
    ("보고서는 김 씨가 쓰고 이 씨가 검토했다.", "보고서는 이 씨가 썼다."),
    ("이 씨가 검토한 보고서를 김 씨가 썼다.", "이 씨가 보고서를 썼다."),
    ("열차는 월요일에 출발해 목요일에 도착했다.", "열차는 목요일에 출발했다."),
    ("공장은 더 이상 휴대전화를 만들지 않는다.", "공장은 휴대전화를 만든다."),
    ("그는 2010년에 당선되고 2014년에 재선됐다.", "그는 2014년에 당선됐다."),
    ("배터리는 2년, 화면은 1년 보증한다.", "화면은 2년 보증한다."),
    ("비평가들은 다리가 위험하다고 주장했다.", "다리는 위험하다."),
    ("가격에는 아침 식사가 포함되지만 저녁 식사는 포함되지 않는다.", "가격에는 저녁 식사가 포함된다."),
    ("직원 대부분이 찬성했다.", "직원 모두가 찬성했다."),
    ("눈이 오면 경기를 취소한다.", "경기를 취소한다."),
    ("은행이 시에 40억 원을 빌려줬다.", "시가 은행에 40억 원을 빌려줬다."),
    ("영희는 철수에게 집을 팔았다.", "철수는 영희에게 집을 팔았다."),
    ("철수보다 영희가 키가 크다.", "영희보다 철수가 키가 크다."),
    ("의사를 도운 간호사가 상을 받았다.", "의사가 상을 받았다."),
    ("1호기는 멈췄고 2호기는 가동 중이다.", "2호기는 멈췄다."),
    ("매출은 증가했으나 이익은 감소했다.", "이익은 증가했다."),
    ("한국은 일본에 2 대 1로 이겼다.", "일본은 한국에 2 대 1로 이겼다."),
    ("한국은 일본에 2 대 1로 이겼다.", "한국은 일본에 졌다."),
    ("자전거는 남문으로만 들어올 수 있다.", "자전거는 북문으로 들어올 수 있다."),
]


@pytest.mark.parametrize(("source", "claim"), FALSE)
def test_words_in_another_connection_are_never_supported(source: str, claim: str) -> None:
    assert status(source, claim) != "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Sales rose in Spain but fell in Italy.", "Sales rose in Italy."),
        ("수출은 늘고 수입은 줄었다.", "수입은 늘었다."),
        ("We closed 12 stores and opened 5.", "The company opened 12 stores and closed 5."),
        ("하류의 보는 철거됐고 상류의 보는 남아 있다.", "상류의 보는 철거됐고 하류의 보는 남아 있다."),
        ("The red team scored more goals than the blue team.", "The blue team scored more goals than the red team."),
        ("북부는 남부보다 투표율이 낮았다.", "남부는 북부보다 투표율이 낮았다."),
        ("No patient died.", "A patient died."),
        ("The council approved the tram extension.", "The council rejected the tram extension."),
        ("Model | Latency (ms)\nAlpha | 120\nBeta | 85", "Alpha has a latency of 85 ms."),
    ],
)
def test_what_changed_places_is_contradicted(source: str, claim: str) -> None:
    assert status(source, claim) == "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Model | Latency (ms)\nAlpha | 120\nBeta | 85", "Beta has a latency of 85 ms."),
        ("Mara Lind founded the school. She sold it in 1990.", "Mara Lind sold it in 1990."),
        ("The regulator refused to extend the licence.", "The licence was not extended."),
        ("No patient died.", "Nobody died."),
        ("The agency approved it for adults but not for children.", "It was not approved for children."),
        ("Backups are kept for 35 days.", "Backups are retained for five weeks."),
        ("Arden has 84 doctors and Brill has 61 doctors.", "Arden has more doctors than Brill."),
        ("의료기관이 신고한 환자는 1월 310명, 2월 290명이다.", "1월부터 2월까지 신고된 환자는 모두 600명이다."),
        ("참가자를 11년간 추적했다.", "참가자를 10년 넘게 추적했다."),
        ("The chain opened 14 shops. It closed 9 shops.", "The chain closed 9 shops."),
    ],
)
def test_what_follows_is_supported(source: str, claim: str) -> None:
    assert status(source, claim) == "supported"


def test_a_sentence_may_begin_with_an_infinitive() -> None:
    assert status("To appeal, the firm needs a permit.", "The firm appealed.") != "supported"
