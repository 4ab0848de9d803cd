"""Numbers written in digits, in Korean myriads (3억 5,000만) or in words (two weeks, 두 배, 열흘)."""

import re
from decimal import Decimal

DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|(?<![0-9])\.[0-9]+)"
MAX_DIGITS = 24  # decimal arithmetic keeps 28; longer digits are an identifier, not an amount

_SMALL = {"십": 10, "백": 100, "천": 1_000}
_LARGE = {"만": 10**4, "억": 10**8, "조": 10**12}
_SINO = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", 1)}
_KOREAN_SCALE = r"(?:[십백천]?[만억조]|[십백천])"
# 천 3백원, 백만 5천원: the first scale may stand for one of it.
_BARE_SCALE = r"(?<![가-힣0-9.,])[백천](?=\s?[0-9]+\s?[십백])|(?<![가-힣0-9.,])[백천]만(?=\s?[0-9]+\s?[십백천만])"
_KOREAN_PART = re.compile(rf"({DIGITS}|(?=[십백천]))\s?({_KOREAN_SCALE})?")
# A last part without a scale belongs to the number only where its unit follows: 1억 2,345만 6,789원.
KOREAN_NUMBER = (
    rf"(?:{DIGITS}\s?{_KOREAN_SCALE}|{_BARE_SCALE})(?![가-힣]*기관)"
    rf"(?:\s?{DIGITS}\s?{_KOREAN_SCALE})*(?:\s?{DIGITS}(?=\s?(?:원|명|개)))?"
)

_SINO_UNITS = r"(?=\s?(?:원|달러|유로|엔|명|개|건|평|톤|인|대|퍼센트|프로|년|개월))"
SINO_NUMBER = (
    rf"(?<![가-힣0-9])(?:[일이삼사오육칠팔구십백천만억조]{{2,12}}|[십백천만억]){_SINO_UNITS}"
    r"|(?<![가-힣0-9])[일이삼사오육칠팔구십](?=\s?(?:개월|년(?![가-힣]*[생차])|퍼센트))"
)

_NATIVE = {
    "한": 1, "두": 2, "세": 3, "석": 3, "서너": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8,
    "아홉": 9, "열": 10, "열한": 11, "열두": 12, "열세": 13, "열네": 14, "열다섯": 15, "열여섯": 16, "열일곱": 17,
    "열여덟": 18, "열아홉": 19, "스무": 20, "스물한": 21, "스물두": 22, "스물네": 24, "스물다섯": 25, "서른": 30,
    "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_NATIVE_UNITS = r"(?=\s?(?:시간|달|주|명|개|곳|배|번|대|해|건|가지|군데|사람|벌|장|점|차례|켤레|병|자리|글자))"
NATIVE_NUMBER = (
    r"(?<![가-힣0-9])(?:" + "|".join(sorted(_NATIVE, key=len, reverse=True)) + rf")(?![가-힣]*지 ){_NATIVE_UNITS}"
)

# Words that are a number and its unit in one.
FIXED = {
    "하루": (1, "day"), "이틀": (2, "day"), "사흘": (3, "day"), "나흘": (4, "day"), "닷새": (5, "day"),
    "엿새": (6, "day"), "이레": (7, "day"), "여드레": (8, "day"), "아흐레": (9, "day"), "열흘": (10, "day"),
    "보름": (15, "day"), "일주일": (1, "week"), "이주일": (2, "week"), "반년": (6, "month"), "반 년": (6, "month"),
    "반시간": (30, "minute"),
    "반 시간": (30, "minute"), "반달": (15, "day"), "half an hour": (30, "minute"), "half a year": (6, "month"),
    "half a day": (12, "hour"), "half a dozen": (6, ""), "a dozen": (12, ""), "a fortnight": (14, "day"),
    "one fortnight": (14, "day"), "overnight": (1, "day"), "a quarter of an hour": (15, "minute"),
}  # fmt: skip
FIXED_WORDS = (
    r"(?:(?<![가-힣])(?:" + "|".join(word for word in FIXED if not word.isascii()) + r")"
    r"|\b(?:" + "|".join(sorted((word for word in FIXED if word.isascii()), key=len, reverse=True)) + r")\b)"
)

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {word: value for value, word in enumerate(_ONES.split(), 1)} | {
    word: value * 10 for value, word in enumerate(_TENS.split(), 2)
}
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "dozen": 12}
_ENGLISH_WORD = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_ENGLISH_SCALE = "|".join(_ENGLISH_SCALES)
ENGLISH_NUMBER = (
    rf"\b(?:(?:{_ENGLISH_WORD})(?:[- ](?:and )?(?:{_ENGLISH_WORD}))?(?: (?:{_ENGLISH_SCALE}))*"
    rf"(?: (?:and )?(?:{_ENGLISH_WORD})(?:[- ](?:{_ENGLISH_WORD}))?)?"
    rf"|an? (?:{_ENGLISH_SCALE})(?: (?:{_ENGLISH_SCALE}))*"
    rf"|(?:{_ENGLISH_SCALE})(?: (?:{_ENGLISH_SCALE}))+)\b"
)

SUFFIX_SCALES = {
    "k": 3, "thousand": 3, "mn": 6, "mio": 6, "million": 6, "millions": 6, "bn": 9, "billion": 9, "billions": 9,
    "trillion": 12, "tn": 12,
}  # fmt: skip


def decimal_of(digits: str) -> Decimal:
    return Decimal(digits.replace(",", ""))


def korean_value(text: str) -> tuple[Decimal, Decimal]:
    """The value of `3억 5,000만`, and the scale of its last part (만), which a range shares: 38~42만원."""
    total = section = Decimal(0)
    scale = Decimal(1)
    for digits, written in _KOREAN_PART.findall(text):
        small = _SMALL.get(written[:1], 1) if written else 1
        large = _LARGE.get(written[-1:], 1) if written else 1
        section += (decimal_of(digits) if digits else 1) * small
        scale = Decimal(small * large)
        if large > 1:
            total, section = total + section * large, Decimal(0)
    return total + section, scale


def sino_value(text: str) -> Decimal:
    """이천오백만 -> 25,000,000."""
    total = section = digit = 0
    for character in text:
        if character in _SINO:
            digit = _SINO[character]
        elif character in _SMALL:
            section, digit = section + (digit or 1) * _SMALL[character], 0
        else:
            total, section, digit = total + (section + digit or 1) * _LARGE[character], 0, 0
    return Decimal(total + section + digit)


def native_value(text: str) -> Decimal:
    return Decimal(_NATIVE[text])


def english_value(text: str) -> Decimal:
    """`twenty-five thousand` -> 25000."""
    total = current = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in _ENGLISH:
            current += _ENGLISH[word]
        elif word in _ENGLISH_SCALES and _ENGLISH_SCALES[word] >= 1_000:
            total, current = total + (current or 1) * _ENGLISH_SCALES[word], 0
        elif word in _ENGLISH_SCALES:
            current = (current or 1) * _ENGLISH_SCALES[word]
    return Decimal(total + current)
