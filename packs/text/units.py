"""Units of measure: how they are written in Korean and English, and which convert exactly.

A small table instead of a library of all physics: a business text writes 평, 만원, TB and weeks, and every factor here
is exact by definition. Calendar lengths are not: a month has 28 to 31 days, so it converts to days only as a range.
"""

import re
from datetime import date
from decimal import Decimal

# canonical name: its spellings. Latin ones match whole words; Korean ones may be followed by particles.
SPELLINGS: dict[str, str] = {
    "KRW": "원 won krw",
    "USD": "달러 불 dollar dollars usd bucks",
    "EUR": "유로 euro euros eur",
    "JPY": "엔 yen jpy",
    "CNY": "위안 yuan cny rmb",
    "GBP": "파운드 pounds gbp",
    "CHF": "프랑 francs chf",
    "SGD": "sgd",
    "HKD": "hkd",
    "AUD": "aud",
    "CAD": "cad",
    "INR": "루피 rupees inr",
    "TWD": "twd",
    "VND": "vnd",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
    "PLN": "pln",
    "%p": "%p %포인트 퍼센트포인트 %points percentage-points percentage-point pp",
    "%": "% 퍼센트 프로 percent pct per-cent",
    "ms": "ms 밀리초 millisecond milliseconds msec",
    "second": "초 s sec secs second seconds",
    "minute": "분 분간 min mins minute minutes",
    "hour": "시간 h hr hrs hour hours",
    "day": "일 일간 day days calendar-days calendar-day",
    "business day": "영업일 working-days working-day business-days business-day workdays workday",
    "week": "주 주간 주일 week weeks wk wks",
    "month": "개월 개월간 달 달간 month months mo mos mth mths",
    "year": "년 년간 해 개년 year years yr yrs",
    "mm": "mm 밀리미터 millimetre millimetres millimeter millimeters",
    "cm": "cm 센티미터 센티 centimetre centimetres centimeter centimeters",
    "m": "m 미터 metre metres meter meters",
    "km": "km 킬로미터 ㎞ kilometre kilometres kilometer kilometers kms",
    "mile": "mile miles mi 마일",
    "km/h": "km/h kph kmh",
    "mph": "mph",
    "inch": "inch inches 인치",
    "ft": "ft foot feet 피트",
    "m2": "㎡ m² m2 sqm sq-m 제곱미터 square-metre square-metres square-meter square-meters",
    "km2": "㎢ km² km2",
    "pyeong": "평 평형 pyeong py",
    "sqft": "sqft sq-ft ft² ft2 square-feet square-foot",
    "ha": "ha hectare hectares 헥타르",
    "acre": "acre acres 에이커",
    "g": "g 그램 gram grams",
    "kg": "kg 킬로그램 ㎏ kilogram kilograms kilo kilos",
    "mg": "mg 밀리그램 milligram milligrams",
    "t": "t 톤 ton tons tonne tonnes",
    "lb": "lb lbs pounds-weight",
    "oz": "oz ounce ounces",
    "ml": "ml mL 밀리리터",
    "l": "L l 리터 litre litres liter liters",
    "m3": "m3 m³ ㎥ cbm 세제곱미터 입방미터 루베 cubic-metres cubic-metre cubic-meters cubic-meter",
    "KB": "KB",
    "MB": "MB 메가바이트",
    "GB": "GB 기가바이트 기가",
    "TB": "TB 테라바이트 테라",
    "PB": "PB",
    "Mbps": "Mbps",
    "Gbps": "Gbps",
    "W": "W watt watts 와트",
    "kW": "kW kilowatt kilowatts 킬로와트",
    "MW": "MW megawatt megawatts",
    "Wh": "Wh",
    "kWh": "kWh",
    "mAh": "mAh",
    "hp": "hp 마력 horsepower",
    "rpm": "rpm",
    "ppm": "ppm",
    "kcal": "kcal 칼로리 calories",
    "lux": "lux 럭스",
    "V": "V volt volts 볼트",
    "dB": "dB decibel decibels 데시벨",
    "dpi": "dpi",
    "Hz": "Hz",
    "MHz": "MHz",
    "GHz": "GHz",
    "fps": "fps",
    "night": "박 nights night",
    "°C": "°C ℃ 도씨",
    "times": "배 배수 times x",
    "occasion": "회 차례",
    "point": "점 포인트 point points pts pt 별점 star stars",
    "person": "명 인 사람 people persons person heads",
    "piece": "개 ea pcs pieces piece 가지 종",
    "case": "건 cases",
    "place": "곳 개소 군데 places sites",
    "vehicle": "대",
    "pair": "켤레 쌍 pairs pair",
    "set": "벌 세트 sets set",
    "sheet": "장 매 쪽 페이지 sheets pages page",
    "bottle": "병 bottles",
    "seat": "석 좌석 seats seat",
    "household": "가구 세대 households",
    "store": "개점 stores",
    "character": "글자 자 characters",
    "sentence": "문장 sentences",
    "number of times": "번",
}

# A Korean unit is not one where a longer word begins with it: 3분기 is no "3 minutes", 5주년 no "5 weeks".
_NOT_BEFORE: dict[str, str] = {
    "원": "[료인래본칙]",
    "불": "[가-힣]{2}",
    "프로": "[그젝세]",
    "초": "[과기등순]",
    "분": "[기야석할류포]",
    "일": "[곱반본정부괄치]|차(?:\\s|$)",
    "주": "[식년택문요의민차주]",
    "달": "[러성]",
    "해": "[당외결소양]",
    "년": "[생차]",
    "인": "[치천건력증터]",
    "개": "[월년소점발편선최통설봉]",
    "건": "[물강설축전]",
    "대": "[비략표상응출학리형부신안기체]",
    "명": "[목령분]",
    "점": "[포검유심차]",
    "평": "[균가일범]",
    "배": "[송터달치]",
    "번": "[호째지]",
    "회": "[사의원차전복]",
    "장": "[점비기애소]",
    "자": "[리료체격산]",
    "석": "[유사박]",
    "병": "[원상실력]",
    "벌": "[금칙점]",
    "종": "[합류료목]",
    "엔": "[진지터]",
    "시간": "대",
    "기가": "지",
    "도씨": "[가-힣]",
    "쪽": "[지방]",
    "매": "[월년주일달장출물수입도각우개번력체]",
}
_CASE_MATTERS = frozenset({"L", "V", "W", "x", "M", "KB", "t", "g", "h", "s", "m"})
_PREFIX_CURRENCIES = {
    "US$": "USD", "U$": "USD", "USD": "USD", "$": "USD", "₩": "KRW", "￦": "KRW", "KRW": "KRW", "€": "EUR",
    "EUR": "EUR", "¥": "JPY", "JPY": "JPY", "£": "GBP", "GBP": "GBP", "CNY": "CNY", "RMB": "CNY",
    "CHF": "CHF", "SGD": "SGD", "S$": "SGD", "HKD": "HKD", "HK$": "HKD", "AUD": "AUD", "A$": "AUD", "CAD": "CAD",
    "C$": "CAD", "INR": "INR", "₹": "INR", "TWD": "TWD", "NT$": "TWD", "VND": "VND", "SEK": "SEK", "NOK": "NOK",
    "DKK": "DKK", "PLN": "PLN",
}  # fmt: skip

CURRENCIES = frozenset(_PREFIX_CURRENCIES.values())
PERIODS = ("hour", "day", "week", "month", "year")

# kind: unit -> how many of the kind's first unit it is, exactly.
_FACTORS: dict[str, dict[str, Decimal]] = {
    "clock": {
        "ms": Decimal(1), "second": Decimal(1000), "minute": Decimal(60_000), "hour": Decimal(3_600_000),
        "day": Decimal(86_400_000), "week": Decimal(604_800_000),
    },
    "calendar": {"month": Decimal(1), "year": Decimal(12)},
    "length": {
        "mm": Decimal(1), "cm": Decimal(10), "m": Decimal(1000), "km": Decimal(1_000_000), "inch": Decimal("25.4"),
        "ft": Decimal("304.8"), "mile": Decimal(1_609_344),
    },
    # A pyeong is 400/121 square metres: counted in parts of 121, the table stays exact.
    "area": {
        "m2": Decimal(121), "pyeong": Decimal(400), "sqft": Decimal("0.09290304") * 121, "ha": Decimal(1_210_000),
        "km2": Decimal(121_000_000),
    },
    "mass": {
        "mg": Decimal("0.001"), "g": Decimal(1), "kg": Decimal(1000), "t": Decimal(1_000_000),
        "lb": Decimal("453.59237"),
    },
    "volume": {"ml": Decimal(1), "l": Decimal(1000), "m3": Decimal(1_000_000)},
    "data": {
        "KB": Decimal(1), "MB": Decimal(1000), "GB": Decimal(10**6), "TB": Decimal(10**9), "PB": Decimal(10**12),
    },
    "rate": {"Mbps": Decimal(1), "Gbps": Decimal(1000)},
    "power": {"W": Decimal(1), "kW": Decimal(1000), "MW": Decimal(10**6)},
    "frequency": {"Hz": Decimal(1), "MHz": Decimal(10**6), "GHz": Decimal(10**9)},
}  # fmt: skip
_KIND_OF = {unit: kind for kind, units in _FACTORS.items() for unit in units}
_TIME_KINDS = frozenset({"clock", "calendar"})


def _canonical() -> dict[str, str]:
    table: dict[str, str] = {}
    for unit, spellings in SPELLINGS.items():
        for spelling in spellings.split():
            written = spelling if spelling in _CASE_MATTERS else spelling.lower()
            table[written.replace("-", " ")] = unit
    return table


_CANONICAL = _canonical()


def _spelling_pattern(spelling: str) -> str:
    pattern = re.escape(spelling).replace(r"\ ", r"[\s-]")
    if spelling in _CASE_MATTERS:
        pattern = f"(?-i:{pattern})"
    if spelling[-1].isascii() and spelling[-1].isalnum():
        return pattern + r"(?![A-Za-z0-9²])"
    if spelling in _NOT_BEFORE:
        return pattern + f"(?!{_NOT_BEFORE[spelling]})"
    return pattern


UNIT_PATTERN = "|".join(
    _spelling_pattern(spelling) for spelling in sorted(_CANONICAL, key=lambda each: (-len(each), each))
)
CURRENCY_PREFIX_PATTERN = "|".join(re.escape(prefix) for prefix in sorted(_PREFIX_CURRENCIES, key=len, reverse=True))


def unit_of(written: str) -> str:
    """The canonical unit of a spelling, or an empty string."""
    plain = re.sub(r"[\s-]+", " ", written.strip())
    return _CANONICAL.get(plain) or _CANONICAL.get(plain.lower(), "")


def currency_of(prefix: str) -> str:
    return _PREFIX_CURRENCIES[prefix.strip().upper().replace(" ", "")]


def kind_of(unit: str) -> str:
    """`time`, `length`, `money:KRW` …: only amounts of one kind can be compared."""
    if unit in CURRENCIES:
        return f"money:{unit}"
    kind = _KIND_OF.get(unit, unit)
    return "time" if kind in _TIME_KINDS else kind


def factor(unit: str, into: str) -> tuple[Decimal, Decimal] | None:
    """How many `into` one `unit` is, as an exact fraction (numerator, denominator); None where no factor is exact."""
    if unit == into:
        return Decimal(1), Decimal(1)
    kind = _KIND_OF.get(unit)
    if kind is None or _KIND_OF.get(into) != kind:
        return None
    return _FACTORS[kind][unit], _FACTORS[kind][into]


def days_in_months(months: int) -> tuple[int, int]:
    """The fewest and the most days that so many consecutive months can have."""
    if months > 48:
        years, rest = divmod(months, 48)
        low, high = days_in_months(rest) if rest else (0, 0)
        return low + years * 1461, high + years * 1461
    lengths = []
    for start in range(48):
        first, last = 2000 * 12 + start, 2000 * 12 + start + months
        lengths.append((date(last // 12, last % 12 + 1, 1) - date(first // 12, first % 12 + 1, 1)).days)
    return min(lengths), max(lengths)
