"""One text of a JSON object, read while the object is still being written."""

import re
import unicodedata

_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}
_LINE_ENDS = str.maketrans("\r", "\n")
_HEX = re.compile("[0-9a-fA-F]{4}")
_OPEN, _CLOSE = "{[", "}]"


class FieldText:
    """Finds the string at one name of the outermost object. Whether it is JSON is for whoever reads the whole."""

    def __init__(self, name: str) -> None:
        self.is_complete = False
        self._name = name
        self._depth = 0
        self._is_key = False
        self._key = ""
        self._string: list[str] | None = None
        """What was read of the string that is open."""
        self._escape = ""
        self._high = ""

    def feed(self, text: str) -> str:
        """What these characters add to the text, without characters that nobody could see."""
        found: list[str] = []
        for char in text:
            if self.is_complete:
                break
            if self._string is None:
                self._between(char)
            elif (said := self._inside(char)) and self._wanted:
                found.append(said)
        return "".join(found)

    @property
    def _wanted(self) -> bool:
        return self._depth == 1 and not self._is_key and self._key == self._name

    def _between(self, char: str) -> None:
        if char == '"' and self._depth:
            self._string = []
        elif char in _OPEN:
            self._depth += 1
            self._is_key = self._depth == 1
        elif char in _CLOSE:
            self._depth = max(self._depth - 1, 0)
        elif self._depth == 1 and char in ",:":
            self._is_key = char == ","

    def _inside(self, char: str) -> str:
        assert self._string is not None
        if self._escape:
            said = self._escaped(char)
        elif char == "\\":
            self._escape = char
            return ""
        elif char == '"':
            self.is_complete = self._wanted
            if self._is_key and self._depth == 1:
                self._key = "".join(self._string)
            self._string = None
            return ""
        else:
            said, self._high = _seen(char), ""
        if self._is_key:
            self._string.append(said)
        return said

    def _escaped(self, char: str) -> str:
        self._escape += char
        code = self._escape[2:]
        if self._escape[1] != "u":
            self._escape = ""
            return _ESCAPED.get(char, char)
        if len(code) < 4:
            return ""
        self._escape = ""
        if not _HEX.fullmatch(code):
            return ""
        unit, high = chr(int(code, 16)), self._high
        self._high = ""
        if "\ud800" <= unit < "\udc00":
            # The other half follows, or the character is none.
            self._high = unit
            return ""
        if "\udc00" <= unit <= "\udfff":
            return (high + unit).encode("utf-16", "surrogatepass").decode("utf-16") if high else ""
        return _seen(unit)


def seen(text: str) -> str:
    """A whole text as `feed` gives it."""
    return "".join(map(_seen, text.translate(_LINE_ENDS)))


def _seen(char: str) -> str:
    """Neither halves of characters nor those that move a cursor or turn the direction of writing."""
    return char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Cf") else ""
