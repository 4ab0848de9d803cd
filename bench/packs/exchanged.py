"""Sentences of sources with one small word exchanged: `python -m bench.packs.exchanged FILE...`.

FILE is a file of labelled answers, such as `bench/packs/cases/eval.json`. Every sentence of its sources that the rules
call supported by itself is turned round in one word; printed is how often the result is still called supported, by
word. Not all of them are false: what holds for all holds for some, and what must be done may be done.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from packs.claims.library import Library, Source, is_korean
from packs.claims.verdict import Status, judge

_ENGLISH = """
earlier>later later>earlier before>after after>before above>below below>above over>under until>from with>without
without>with more>less less>more fewer>more most>least first>last last>next next>last early>late late>early unless>if
if>unless because>although must>may within>outside day>week week>month month>year year>month up>down down>up
half>twice double>half nearly>over some>all many>all both>neither second>first third>fourth still>never and>or
"""
_KOREAN = """
까지>부터 부터>까지 이상>미만 이하>초과 미만>이상 보다>만큼 먼저>나중에 이전>이후 이후>이전
오전>오후 오후>오전 평일>주말
주말>평일 지난해>내년 올해>지난해 작년>올해 내년>올해 매주>매달 매일>매주
일부>전부 모두>일부 대부분>모두 많은>적은
최대>최소 최소>최대 남부>북부 북부>남부 여름>겨울 겨울>여름 아침>저녁 새벽>저녁 아직>이미 이미>아직 절반>전부 으면>어서
"""
_EACH_WORD = 2
_MAX_PASSAGES = 4_000


def variants(text: str) -> Iterator[tuple[str, str]]:
    """The exchange and what the sentence becomes."""
    korean = is_korean(text)
    for exchange in (_KOREAN if korean else _ENGLISH).split():
        old, new = exchange.split(">")
        pattern = re.escape(old) if korean else rf"\b{old}\b"
        for match in list(re.finditer(pattern, text))[:_EACH_WORD]:
            yield exchange, text[: match.start()] + new + text[match.end() :]


def still_supported(paths: Sequence[Path]) -> tuple[int, Counter[str]]:
    tried, found, seen = 0, Counter[str](), set()
    for path in paths:
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            given = [
                Source(place, each["id"], each.get("title", ""), each["text"])
                for place, each in enumerate(case["sources"])
            ]
            library = Library(given, _MAX_PASSAGES, " ".join(each.text for each in given))
            for passage in library.passages:
                wanted = [passage.source.index]
                if passage.text in seen or judge(passage.text, wanted, library).status is not Status.SUPPORTED:
                    continue
                seen.add(passage.text)
                for exchange, text in variants(passage.text):
                    tried += 1
                    found[exchange] += judge(text, wanted, library).status is Status.SUPPORTED
    return tried, +found


def main() -> None:
    tried, found = still_supported([Path(each) for each in sys.argv[1:]])
    print(f"still supported: {found.total()} of {tried}")
    print(", ".join(f"{exchange} {count}" for exchange, count in found.most_common()))


if __name__ == "__main__":
    main()
