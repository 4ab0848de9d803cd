"""Whether more or less of a criterion is better, by its name. The head of the name decides, not any word in it:
an on-time rate is a rate of success, cost savings are savings, a warranty period is a warranty.
"""

import re

from packs.decision.brief import Direction, normalise

# Heads that say nothing themselves: the word before them decides (error rate, hit rate).
_NEUTRAL_WORDS = (
    "rate ratio score level number count index percentage share average total amount value figure estimate estimated "
    "expected projected annual monthly yearly weekly daily per year month first initial one-off overall mean median"
)
_NEUTRAL_EN = frozenset(_NEUTRAL_WORDS.split())
_LOWER_EN = re.compile(
    r"^(?:costs?|prices?|fees?|expenses?|spend|spending|charges?|rents?|rental|premiums?|tariffs?|quotes?"
    r"|quotations?|bids?|risks?|"
    r"latency|times?|durations?|delays?|efforts?|complexity|downtimes?|outages?|errors?|defects?|bugs?|churn"
    r"|emissions?|"
    r"footprint|distances?|debts?|penalt(?:y|ies)|loss(?:es)?|consumption|failures?|noise|tco|capex|opex|interest"
    r"|tax(?:es)?|"
    r"lead|turnaround|commutes?|thefts?|accidents?|incidents?|complaints?|returns?|refunds?|attrition|absences?"
    r"|waste|"
    r"weight|overhead|investment|outlay|deposits?|payback|breach(?:es)?|injur(?:y|ies)|deaths?|crime|pollution|scrap|"
    r"cancellations?|vacancy|shrinkage|mortality|wait(?:ing)?|queue|hours|days|weeks|months|notice|apr|bounce"
    r"|dropout|"
    r"relapses?|complications?|infections?|mistakes?|faults?|violations?|overruns?|rework|disputes?|frauds?|leaks?"
    r"|crash(?:es)?"
    r"|timeouts?|shortages?|breakdowns?|overtime|wear|corrosion|co2|carbon|lateness|stockouts?|spills?|no-shows?"
    r"|side-effects?"
    r"|absenteeism|recidivism|fatalit(?:y|ies)|harm|damage|mispicks?|vibration|glare|odou?r|smell|heat|rejections?|"
    r"salary|wage|travel|ping|jitter|backlog|staffing|workload|mileage|disruption|maintenance|deficit|liabilit(?:y"
    r"|ies))$"
)
_HIGHER_EN = re.compile(
    r"^(?:uptime|availability|quality|satisfaction|revenues?|profits?|performance|reliability|security|safety"
    r"|support|"
    r"capacity|accuracy|throughput|flexibility|scalability|experience|coverage|usability|growth|fit|ratings?"
    r"|benefits?|"
    r"compatibility|warrant(?:y|ies)|guarantee|savings?|reduction|improvement|margins?|uplift|conversions?"
    r"|retention|reach|"
    r"punctuality|on-time|yields?|roi|irr|npv|nps|return on .*|success|hit|retention|size|area|space|seats?|life"
    r"|lifetime|"
    r"lifespan|durability|range|battery|storage|memory|bandwidth|speed|traffic|passers-by|footfall|visitors?|users?|"
    r"customers?|images?|samples?|points?|stars?|skills?|output|production|income|earnings|sales|cash|"
    r"certificat(?:e|es|ion|ions)|efficiency|resolution|responses?|reviews?|applicants?|attendance|graduation|pass|"
    r"completion|delivery-rate|sla|features?|integrations?|documentation|transparency|sustainability|comfort|access|"
    r"accessibility|liquidity|solvency|upside|headcount|interview|test|exam|score|engagement|ctr|leads|enrolment|"
    r"enrollment|occupancy|recovery|survival|sensitivity|specificity|precision|recall|repeat|loyalty|training|power)$"
)
# What looks like time or money but is wanted: the guarded thing in front of it turns the head.
_WANTED_EN = re.compile(
    r"\b(?:warranty|guarantee|battery|service|useful|shelf|support|trial|free|experience|coverage|opening"
    r"|lead generation"
    r"|saved|saving|savings|up|reduction)\b"
)
_UNWANTED_EN = re.compile(
    r"\b(?:error|failure|defect|churn|return|refund|accident|incident|complaint|loss|bounce|dropout|crime"
    r"|attrition|default|"
    r"rejection|vacancy|injury|mortality|turnover|cancellation|absence|waste|scrap|downtime|interest|tax|burn|risk"
    r"|theft|"
    r"relapse|complication|infection|mistake|fault|violation|overrun|rework|dispute|fraud|leak|crash|timeout"
    r"|shortage|breakdown"
    r"|stockout|reoffending|recidivism|fatality|side[- ]effect|allergy|abandon(?:ment)?|churned|unsubscribe|spoilage"
    r"|mispick|drop-?out|"
    r"false positive|late|delay|damage|breakage|no-show|unemployment|inflation|spam|miss|noise|cost|price|time"
    r"|vacancy)s?\b"
)
_TAIL_EN = re.compile(r"\s+(?:per|of|to|for|in|from|at|until|by|with|on|over|after|before|within)\s.*$|\s*[(/,].*$")
_UNTIL_EN = re.compile(r"\b(?:time|days?|weeks?|months?|hours?|distance|minutes?)\s+(?:to|until|from|till)\b")

_LOWER_KO = re.compile(
    r"비용|가격|요금|수수료|단가|금액|견적|임대료|월세|보증금|권리금|관리비|운임|운송비|인건비|연봉|급여|시급|원가"
    r"|값|공사비|경비|지출|세금|이자|금리|"
    r"위험|리스크|지연|기간|시간|소요|오류|결함|복잡|부담|배출|거리|장애|이탈|손실|소비|소음|불량|반품|사고|민원"
    r"|결근|퇴사|이직|폐기|중단|고장|"
    r"도난|분실|연체|부채|적자|공실|대기|납기|무게|중량|까지|료$|비$|세$|노력|난이도|실패|취소|해지|환불|불만|오차"
    r"|편차|사망|부작용|감염|탄소|폐수|재발|합병증|실수|위반|분쟁|누수|누락|품절|결석|탈락|오배송|파손|소모|오작동|이의|지각|결원|낭비|폐기물|정전"
    r"|사용량|소비량|수리|고장|마모|부식|악취|진동|누출|미납|체납|불편|항의|손해|피해|오답|유실|훼손"
)
_HIGHER_KO = re.compile(
    r"가동률|가용성|품질|만족|매출|수익|이익|마진|성능|신뢰|보안|안전|지원|용량|정확|처리량|유연|확장|경험|경력"
    r"|편의|성장|적합|점수|평점|별점|효과|"
    r"호환|보증(?!금)|하자보수|하자담보|무상|수명|면적|넓이|재구매|전환|유지|정시|도달|조회|클릭|노출|방문|유동|이용자|고객|회원"
    r"|후기|사진|내구|해상도|속도|절감|감소|단축|"
    r"개선|향상|증가|상승|생산|회수율|수율|성공|합격|수용|좌석|정원|저장|배터리|주행|인지도|추천|지원자|응답률"
    r"|참여|출석|혜택|할인|적립|배당|현금|"
    r"접근성|친절|전문성|인증|실적|점유율|자격|시험|면접|역량|흑자|순이익률|이익률|수익률|준수율|효율|완성도"
    r"|디자인|충성|회전율|신속|적중|민감도|특이도"
)


def derived_direction(name: str, unit_family: str = "") -> Direction:
    by_name = direction_of_name(name)
    if unit_family == "money" and _is_neutral(name):
        return "lower_is_better"  # a monthly rate in dollars is a price, not a rate of success
    if by_name is not None:
        return by_name
    # Without a word to go by, money and time are spent rather than won.
    return "lower_is_better" if unit_family in ("money", "time") else "higher_is_better"


def _is_neutral(name: str) -> bool:
    words = _english_words(_TAIL_EN.sub("", normalise(name)))
    return bool(words) and words[-1] in _NEUTRAL_EN and not any(_HIGHER_EN.match(word) for word in words)


def direction_is_plain(name: str) -> bool:
    """The name itself tells the direction; otherwise it is a bare guess."""
    return direction_of_name(name) is not None


def direction_of_name(name: str) -> Direction | None:
    lowered = normalise(name)
    if re.search(r"[가-힣]", lowered):
        return _korean(lowered)
    return _english(lowered)


def _korean(name: str) -> Direction | None:
    """The last word that says anything decides: 비용 절감 is a saving, 보증 기간 a warranty."""
    lower = [(found.end(), "lower") for found in _LOWER_KO.finditer(name)]
    higher = [(found.end(), "higher") for found in _HIGHER_KO.finditer(name)]
    if re.search(r"(?:보증|무상|유효|사용|수명|지원|근속|운영|체험)\s?(?:기간|시간)", name):
        return "higher_is_better"
    if not lower and not higher:
        return None
    last = max(lower + higher)[1]
    return "lower_is_better" if last == "lower" else "higher_is_better"


def _english(name: str) -> Direction | None:
    if _UNTIL_EN.search(name):
        return "lower_is_better"
    head = _TAIL_EN.sub("", name).strip()
    words, head_words = _english_words(name), _english_words(head)
    if _WANTED_EN.search(head) and not re.search(r"\b(?:fee|cost|price|charge)s?$", head):
        return "higher_is_better"
    if head_words and head_words[-1] in _NEUTRAL_EN and _UNWANTED_EN.search(" ".join(head_words[:-1])):
        return "higher_is_better" if "on-time" in head_words else "lower_is_better"
    for word in reversed(head_words):
        if word in _NEUTRAL_EN:
            continue
        if _HIGHER_EN.match(word):
            return "higher_is_better"
        if _LOWER_EN.match(word):
            return "lower_is_better"
    if head_words and head_words[-1] in ("score", "rating", "rate") and not _UNWANTED_EN.search(head):
        return "higher_is_better"
    for word in words:
        if _LOWER_EN.match(word):
            return "lower_is_better"
        if _HIGHER_EN.match(word):
            return "higher_is_better"
    return None


def _english_words(text: str) -> list[str]:
    joined = text.replace("on time", "on-time").replace("passers by", "passers-by")
    return re.findall(r"[a-z][a-z'-]*", joined)
