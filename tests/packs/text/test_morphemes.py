"""Words taken apart: places point into the text, forks share the model, hostile texts cost linear time."""

import os
import subprocess
import sys
import time

import pytest

from packs.text.morphemes import MAX_CHARS, Morpheme, english_lemma, morphemes, preload


def _lemmas(text: str) -> list[str]:
    return [each.lemma for each in morphemes(text)]


def test_a_verb_has_its_dictionary_form_whatever_its_ending() -> None:
    for wording in ("요금을 돌려드려요", "요금을 돌려드렸습니다", "요금을 돌려드릴게요"):
        assert any(lemma in {"돌려드리다", "돌리다", "돌려주다"} for lemma in _lemmas(wording)), wording


def test_places_point_into_the_given_text() -> None:
    text = "😀 상품을 보장합니다, guaranteed 100%"
    found = {each.form: each for each in morphemes(text)}
    for form in ("상품", "보장", "guaranteed", "100"):
        assert text[found[form].start : found[form].end] == form
    assert found["guaranteed"].lemma == "guarantee"


def test_english_needs_no_korean_model() -> None:
    code = (
        "from packs.text import morphemes as m; m.morphemes('Every purchase is final.'); "
        "print(m._kiwi.cache_info().currsize)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "0"


def test_english_words_are_tagged_with_their_lemmas() -> None:
    assert morphemes("It's 3,000 refunds!") == [
        Morpheme("It's", "it's", "SL", 0, 4),
        Morpheme("3,000", "3,000", "SN", 5, 10),
        Morpheme("refunds", "refund", "SL", 11, 18),
        Morpheme("!", "!", "SF", 18, 19),
    ]


@pytest.mark.parametrize(("word", "lemma"), [("Promises", "promise"), ("CURING", "cure"), ("zzyzx", "zzyzx")])
def test_english_lemmas(word: str, lemma: str) -> None:
    assert english_lemma(word) == lemma


@pytest.mark.parametrize(
    "unit", ["가", "합니다", "ㅋㅎ", "은는이가을를", "a", "가a1", "漢", "1", ".", " ", "가\n", "\x00"]
)
def test_hostile_texts_cost_linear_time(unit: str) -> None:
    preload()
    began = time.process_time()
    morphemes((unit * MAX_CHARS)[:20_000])
    assert time.process_time() - began < 8


def test_a_lone_surrogate_is_read_over() -> None:
    assert [each.start for each in morphemes("가격\ud800보장") if each.form == "보장"] == [3]


def test_what_lies_behind_the_bound_is_not_read() -> None:
    assert morphemes(" " * MAX_CHARS + "가격") == []


def test_a_forked_child_shares_the_model() -> None:
    """The child analyses at once, without loading anything of its own."""
    preload()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        began = time.process_time()
        found = _lemmas("가격을 보장합니다")
        os.write(writer, b"ok" if "보장" in found and time.process_time() - began < 1 else b"no")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 2) == b"ok"
