"""The languages that our own texts are written in. Each pack has its phrases in both."""

from typing import Literal

Language = Literal["ko", "en"]
