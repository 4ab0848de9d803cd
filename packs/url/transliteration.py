"""Whether a Korean spelling stands for a Latin name: `테슬라` for Tesla, `쿠버네티스` for Kubernetes.

Each Hangul letter is turned into the Latin spellings it stands for in loan words; the name must be made of them. A
short Korean word may match a name by chance: callers ask for more than one mention of those.
"""

import functools
import re

MIN_SYLLABLES = 2
_MAX_SYLLABLES = 8

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

_HARD_K = "kh|ck|cc|ch|qu|k|c|q|gg|gh|g"
_INITIAL_SPELLINGS = {
    "ㄱ": "gh|gg|gu|g|k|c|q",
    "ㄲ": _HARD_K,
    "ㅋ": _HARD_K + "|x",
    "ㄴ": "kn|nn|n",
    "ㄷ": "dd|th|d|t",
    "ㄸ": "dd|tt|d|t",
    "ㅌ": "tt|th|t",
    "ㄹ": "rr|ll|rh|wr|r|l",
    "ㅁ": "mm|m",
    "ㅂ": "bb|vv|b|v|w|p",
    "ㅃ": "pp|b|p",
    "ㅍ": "pp|ph|ff|p|f",
    "ㅅ": "sch|ss|sc|sh|th|ps|ti|ci|s|c|x|z",
    "ㅆ": "ss|th|s|c",
    "ㅇ": "",
    "ㅈ": "dg|zz|dj|ts|j|z|g|s|c",
    "ㅉ": "zz|ts|j|z",
    "ㅊ": "tsch|tch|ch|cz|ts|c|t|z|q",
    "ㅎ": "wh|h|f|j|x",
}
_VOWEL_SPELLINGS = {
    "ㅏ": "ah|au|ou|ia|a|o|u|i|y|e",
    "ㅐ": "ae|ai|ay|a|e",
    "ㅑ": "ya|ia|ja|a",
    "ㅒ": "ya|ye",
    "ㅓ": "eo|ea|ou|au|io|e|o|u|a|i|y",
    "ㅔ": "ae|ai|ay|ea|ei|ey|ie|e|a|i",
    "ㅕ": "yeo|you|yo|ye|io|ia|ea|eo|e|o|u",
    "ㅖ": "ye|ie|je|e|a",
    "ㅗ": "eau|oa|oo|au|aw|ow|ou|oe|oh|o|u|a",
    "ㅘ": "wha|wa|oa|ua|oi|a",
    "ㅙ": "wae|we|ue",
    "ㅚ": "oe|oi|we|eu|o",
    "ㅛ": "yo|io|eo|jo|o",
    "ㅜ": "wo|oo|ou|ew|ue|ui|w|u|o",
    "ㅝ": "wo|wa|ua|uo|ou|o",
    "ㅞ": "whe|we|wa|ue|e",
    "ㅟ": "whi|wee|wi|we|ui|ue|u|i",
    "ㅠ": "you|yu|ew|eu|iu|ue|u",
    "ㅡ": "ou|a|e|i|o|u|y|",
    "ㅢ": "eui|ui|i|e",
    "ㅣ": "ee|ea|ie|ey|ei|ia|ih|i|e|y",
}
_FINAL_SPELLINGS = {
    " ": "",
    "ㄱ": "cque|que|gue|ck|ch|ke|gg|c|k|g|x",
    "ㄴ": "nne|nn|ne|mn|n",
    "ㄹ": "lle|ll|le|re|l|r",
    "ㅁ": "mme|mm|me|mb|m|n",
    "ㅂ": "ppe|pp|pe|be|p|b|v",
    "ㅅ": "tte|tt|te|th|ts|t|d",
    "ㅇ": "ngue|ng|nk|n",
}
_SPELLED_AS_X = "x|xx|cks|ks|cs|gs|kes|ques|ckes"


def stands_for(hangul: str, latin: str) -> bool:
    """Both as single words; `latin` in any case."""
    pattern = _pattern(hangul)
    return pattern is not None and pattern.fullmatch(latin.lower()) is not None


@functools.lru_cache(maxsize=4_096)
def _pattern(hangul: str) -> re.Pattern[str] | None:
    syllables = [ord(letter) - 0xAC00 for letter in hangul]
    if not MIN_SYLLABLES <= len(syllables) <= _MAX_SYLLABLES or not all(0 <= each < 11_172 for each in syllables):
        return None
    letters = [(_INITIALS[each // 588], _VOWELS[each % 588 // 28], _FINALS[each % 28]) for each in syllables]
    parts: list[str] = []
    for place, (initial, vowel, final) in enumerate(letters):
        before = letters[place - 1] if place else ("", "", " ")
        after = letters[place + 1] if place + 1 < len(letters) else ("", "", "")
        parts.append(_onset(initial, vowel, before))
        # `r` after a vowel is not heard; a vowel that glides into the next syllable may be one letter.
        glides = (after[0] == "ㅇ" and final == " ") or (
            initial == "ㅇ" and vowel in "ㅣㅜ" and before[2] == " " and place
        )
        parts.append(f"(?:{_VOWEL_SPELLINGS[vowel]}){'?' if glides else ''}(?:r|h|gh)?")
        parts.append(_coda(final, after))
    return re.compile("".join(parts) + "(?:e|s|es|h)?")


def _onset(initial: str, vowel: str, before: tuple[str, str, str]) -> str:
    if initial == "ㅇ":
        return "(?:y|w|h)?" if vowel in "ㅏㅓㅗㅣㅔㅐ" else "w?"
    if initial == "ㄹ" and before[2] == "ㄹ":
        # 텔레콤, 슬라: one sound written twice.
        return ""
    if initial == "ㅅ" and before[2] == "ㄱ":
        return f"(?:{_INITIAL_SPELLINGS[initial]})?"
    return f"(?:{_INITIAL_SPELLINGS[initial]})"


def _coda(final: str, after: tuple[str, str, str]) -> str:
    if final == "ㄱ" and after[0] == "ㅅ":
        return f"(?:{_SPELLED_AS_X}|{_FINAL_SPELLINGS['ㄱ']})"
    spelled = _FINAL_SPELLINGS.get(final, _FINAL_SPELLINGS["ㅅ"])
    return f"(?:{spelled})" if spelled else ""
