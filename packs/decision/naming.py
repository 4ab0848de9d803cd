"""Which attribute a sentence speaks of: the words that two names share, without particles and endings."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from packs.decision.brief import normalise

_WORD = re.compile(r"[a-z][a-z0-9&'-]*|[가-힣]+|[0-9][0-9.,]*")
_STOP_WORDS = (
    "a an the of to in on at for per by from with and or is are be our we us its it this that which must have has not "
    "no any all than year month day week may can option options"
)
_STOP = frozenset(_STOP_WORDS.split())
_KO_TAILS = re.compile(
    r"(?:까지|여부|가능|유무|현황|금액|비용|점수|기간|시간|일자|일정|날짜|예정일|률|율|일|비|료|수|가|량|액|이|은"
    r"|는|을|를|의|에|로|와|과|도|만)$"
)

# Words that speak of the same thing. A shared group counts half of a shared word.
_GROUPS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "budget cost costs price prices fee fees rent spend spending expense expenses charge quote premium salary "
        "rate pay "
        "예산 비용 가격 금액 단가 요금 견적 임대료 상한가 상한 한도 값 총액 총비용 "
        "월세 연봉 운임 원가 구매가",
        "delivery deliver delivered delivers ship shipping lead arrive arrival turnaround "
        "납기 배송 입고 도착 납품 인도",
        "move available availability occupancy free vacant handover 입주 입주일 가능일 이사 인도일",
        "launch go-live live implementation rollout setup ready deployment onboarding opening start migration "
        "complete completion finish done "
        "오픈 출시 구축 도입 개통 가동 개시 시작 완료 완공 준공 이전 전환 설치 입사 착수",
        "experience experienced career 경력 경험",
        "distance away near far walk 거리 떨어진 떨어져 인근",
        "area size space floor square 면적 넓이 평수 크기",
        "capacity seats hold holds fit fits people persons 수용 정원 인원 좌석",
        "uptime availability sla 가동률 가용성",
        "power socket electricity current kilowatt watt 전력 소비전력 전기",
        "weight heavy load 무게 중량 하중",
        "attend attendance on-site onsite office present 출근 상주 출석",
        "response respond responds reply answer reaction 대응 응답 출동",
        "warranty guarantee 보증 하자보증 무상",
        "headquarters headquartered country based located location region origin seat vendor "
        "본사 소재지 국가 국적 위치 지역 원산지",
        "certificate certification certified certifications accreditation accredited 인증 자격 허가 면허 자격증",
        "data hosting hosted residency stored server datacenter storage 데이터 저장 보관 서버 호스팅",
        "height tall 높이",
        "noise loud 소음",
        "latency delay ping 지연",
        "hire hiring hires recruit recruiting recruitment employ employment position positions staff vacancy headcount "
        "채용 신입 고용 충원 인력 직원 뽑 뽑아도 뽑을까요 뽑아야 채용해야",
        "buy buying purchase purchases acquire acquisition procurement spend order "
        "구매 구입 매입 사야 살까요 발주 지출",
        "travel trip trips journey flight 출장 여행",
        "open opening expand expansion launch 출점 개점 확장 열 오픈",
        "move relocate relocation 이전 이사 옮",
    )
)


def words_of(text: str) -> list[str]:
    return [word for word in _WORD.findall(normalise(text).replace("’", "'")) if word not in _STOP]


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    if "가" <= word[0] <= "힣":
        previous = ""
        while previous != word and len(word) > 2:
            previous, word = word, _KO_TAILS.sub("", word) or word
        return word
    word = word.removesuffix("'s")
    for ending in (
        "ications",
        "ication",
        "ations",
        "ation",
        "ified",
        "ings",
        "ing",
        "ies",
        "ied",
        "ers",
        "ed",
        "es",
        "er",
        "ly",
        "s",
        "e",
        "y",
    ):
        # `rated` and `rating` are short, and still one word.
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending in ("ing", "ed") else 4):
            return word[: -len(ending)]
    return word


def same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    first, second = _stem(one), _stem(other)
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    korean = "가" <= shorter[0] <= "힣"
    if not korean and (one[:-1] == other[:-2] or other[:-1] == one[:-2]) and len(shorter) >= 8:
        return True  # independent and independence, resident and residence
    return longer.startswith(shorter) and len(shorter) >= (2 if korean else 5)


def overlap(name: str, text: str) -> float:
    """How much of a name's words a text contains, 0-1; a word of the same group counts half."""
    own = words_of(name)
    given = words_of(text)
    squeezed = re.sub(r"\s+", "", normalise(text))
    if not own:
        return 0.0
    total = 0.0
    for word in own:
        if any(same_word(word, each) for each in given) or (
            "가" <= word[0] <= "힣" and len(_stem(word)) >= 2 and _stem(word) in squeezed
        ):
            total += 1.0
        elif any(
            word in group and any(each in group or _stem(each) in group for each in given) for group in _GROUPS
        ) or _grouped(word, squeezed):
            total += 0.5
    return total / len(own)


def place_of(name: str, text: str) -> int:
    """Where a text first has a word of the name; 0 where it has none."""
    own = words_of(name)
    lowered = re.sub(r"[_-]", " ", text.lower())
    places = [found.start() for found in _WORD.finditer(lowered) if any(same_word(found.group(), word) for word in own)]
    return min(places, default=0)


def _grouped(word: str, squeezed: str) -> bool:
    """Korean words are glued to their particles: the group's words are looked for inside."""
    for group in _GROUPS:
        if word in group or _stem(word) in group:
            return any(len(each) >= 2 and "가" <= each[0] <= "힣" and each in squeezed for each in group)
    return False


def alike(one: str, other: str) -> bool:
    """Two words of one group: hire and recruitment, 채용 and 신입."""
    return any((one in group or _stem(one) in group) and (other in group or _stem(other) in group) for group in _GROUPS)


def best_match(text: str, names: Sequence[str]) -> tuple[str, float] | None:
    """The name that a text speaks of most, if one stands out."""
    scored = sorted(((overlap(name, text), -index, name) for index, name in enumerate(names)), reverse=True)
    if not scored or scored[0][0] == 0:
        return None
    return scored[0][2], scored[0][0]


_PRICED_BY_WORDS = "daily day hourly hour monthly weekly annual room rental lease freight nightly night"
_PRICED_BY = frozenset(_PRICED_BY_WORDS.split())


def is_cost_like(name: str) -> bool:
    words = words_of(name)
    if "rate" in words and not _PRICED_BY.intersection(words) and len(words) > 1:
        return False  # a damage rate is no price, a room rate is one
    return any(word in _GROUPS[0] or _stem(word) in _GROUPS[0] for word in words) or bool(
        re.search(
            r"비용|가격|요금|단가|견적|임대료|운임|원가|값|료$|비$|세$|금액|가$|(?:보증|계약|권리|착수|등록|분담|가입)금$",
            normalise(name),
        )
    )


def shared(names: Iterable[str], text: str) -> list[str]:
    return [name for name in names if overlap(name, text) >= 0.5]
