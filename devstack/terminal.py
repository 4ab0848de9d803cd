"""How things look: compact and coloured on a terminal, plain lines anywhere else."""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterable
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_LABEL_WIDTH, _DETAIL_WIDTH = 20, 32


class Terminal:
    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self.interactive = self._out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._coloured = self.interactive and not os.environ.get("NO_COLOR")
        encoding = (self._out.encoding or "").lower().replace("-", "")
        self._ascii = encoding != "utf8"
        self._transient = False

    def style(self, text: str, *styles: str) -> str:
        if not self._coloured:
            return text
        return f"\033[{';'.join(_CODES[name] for name in styles)}m{text}\033[0m"

    def line(self, text: str = "") -> None:
        self._clear()
        self._write(text + "\n")

    def heading(self, text: str) -> None:
        self.line()
        self.line(self.style(text, "bold"))

    def done(self, label: str, detail: str = "", *, seconds: float | None = None) -> None:
        self._item(self.style("ok" if self._ascii else "✓", "green"), label, detail, seconds)

    def failed(self, label: str, detail: str = "") -> None:
        self._item(self.style("!!" if self._ascii else "✗", "red"), label, detail, None)

    def fact(self, label: str, detail: str) -> None:
        self._item(self.style("-" if self._ascii else "·", "dim"), label, detail, None)

    def progress(self, label: str, detail: str = "") -> None:
        """What is being waited for; replaced by the next line. Only where somebody watches."""
        if not self.interactive:
            return
        sign = "." if self._ascii else _SPINNER[int(time.monotonic() * 10) % len(_SPINNER)]
        self._clear()
        self._write(self._fitting(f"  {self.style(sign, 'cyan')} {label:<{_LABEL_WIDTH}} {detail}"))
        self._transient = True

    def quoted(self, lines: Iterable[str]) -> None:
        """Lines of a log."""
        for line in lines:
            self.line(self.style(f"    {line[:400]}", "dim"))

    def bar(self, share: float, width: int = 24) -> str:
        full = round(max(0.0, min(1.0, share)) * width)
        solid, empty = ("#", "-") if self._ascii else ("█", "░")
        return self.style(solid * full, "green") + self.style(empty * (width - full), "dim")

    def _item(self, sign: str, label: str, detail: str, seconds: float | None) -> None:
        took = "" if seconds is None else self.style(f"  {seconds:.1f} s", "dim")
        padded = f"{detail:<{_DETAIL_WIDTH}}" if took else detail
        self.line(f"  {sign} {label:<{_LABEL_WIDTH}} {padded}{took}".rstrip())

    def _fitting(self, line: str) -> str:
        """A line that is to be replaced must not wrap: what is too long is cut, and loses its colours."""
        width = (shutil.get_terminal_size().columns or 100) - 1
        plain = re.sub(r"\033\[[0-9;]*m", "", line)
        return line if len(plain) <= width else plain[:width]

    def _clear(self) -> None:
        if self._transient:
            self._write("\r\033[K")
            self._transient = False

    def _write(self, text: str) -> None:
        encoding = self._out.encoding or "ascii"
        self._out.write(text.encode(encoding, "replace").decode(encoding))
        self._out.flush()
