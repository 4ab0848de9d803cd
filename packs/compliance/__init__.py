"""The compliance pack: a text checked against Korean rules that are kept as data.

`review` is the plain function other packs compose; `PACK` is what the registry lists.
"""

from packs.compliance.pack import PACK
from packs.compliance.review import preload, review
from packs.compliance.rules import KINDS

__all__ = ["KINDS", "PACK", "preload", "review"]
