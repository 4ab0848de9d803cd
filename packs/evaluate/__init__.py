"""The eval pack: a text or claims scored against a declared rubric, with reasons.

`assess` is the plain function other packs compose; `PACK` is what the registry lists.
"""

from packs.evaluate.pack import PACK
from packs.evaluate.result import assess
from packs.evaluate.rubric import WEIGHTS

__all__ = ["PACK", "WEIGHTS", "assess"]
