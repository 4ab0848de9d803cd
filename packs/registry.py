"""The packs on offer. Adding one is a module and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from packs import decision
from packs.base import Pack

PACKS: Mapping[str, Pack] = MappingProxyType({pack.name: pack for pack in (decision.PACK,)})
