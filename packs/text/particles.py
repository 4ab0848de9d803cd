"""Korean particles after a name that is not known beforehand: 이 or 가, 과 or 와, by the name's last sound.

The sound is certain for Hangul, digits and single Latin letters. For other endings (`Slack`, `Go!`) it is not: there
the name is followed by 쪽, a word of our own whose particle is known.
"""

_WITH_FINAL = {"이": "이", "과": "과", "은": "은", "을": "을"}
_WITHOUT_FINAL = {"이": "가", "과": "와", "은": "는", "을": "를"}
_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS = ord("가"), ord("힣"), 28
# 영 일 이 삼 사 오 육 칠 팔 구, and the letters whose names end in a consonant: 엘 엠 엔.
_DIGITS_WITH_FINAL = frozenset("013678")
_LETTERS_WITH_FINAL = frozenset("LMN")


class Name(str):
    """`f"{Name('누리톡'):이}"` is 누리톡이; without a particle it is the name as it is."""

    def __format__(self, particle: str) -> str:
        if not particle:
            return str(self)
        final = _has_final(str(self))
        if final is None:
            return f"{self} 쪽{_WITH_FINAL[particle]}"
        return str(self) + (_WITH_FINAL if final else _WITHOUT_FINAL)[particle]


def _has_final(name: str) -> bool | None:
    """Whether the name ends in a consonant when it is read aloud; None where that cannot be told."""
    last, before = name[-1:], name[-2:-1]
    if _FIRST_SYLLABLE <= ord(last or " ") <= _LAST_SYLLABLE:
        return (ord(last) - _FIRST_SYLLABLE) % _FINALS != 0
    if last in "0123456789" and last:
        return last in _DIGITS_WITH_FINAL
    if last.isascii() and last.isupper() and not before.isalnum():
        return last in _LETTERS_WITH_FINAL
    return None
