"""The packs on offer. Adding one is a module and a line here, or, outside this repository, `DPP_EXTRA_PACKS`."""

import os
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from packs import compliance, decision, evaluate, ocr, url
from packs.base import Pack

_BUILT_IN = (decision.PACK, url.PACK, compliance.PACK, evaluate.PACK, ocr.PACK)


def load_packs(environ: Mapping[str, str]) -> Mapping[str, Pack]:
    """The built-in packs, and those named as `module:attribute,…`. A name taken twice is refused at start."""
    extra = [_import(path.strip()) for path in environ.get("DPP_EXTRA_PACKS", "").split(",") if path.strip()]
    packs: dict[str, Pack] = {}
    for pack in (*_BUILT_IN, *extra):
        if pack.name in packs:
            raise SystemExit(f"DPP_EXTRA_PACKS: there is already a pack named {pack.name!r}.")
        packs[pack.name] = pack
    return MappingProxyType(packs)


def _import(path: str) -> Pack:
    module, _, attribute = path.partition(":")
    pack = getattr(import_module(module), attribute, None)
    if not isinstance(pack, Pack):
        raise SystemExit(f"DPP_EXTRA_PACKS: {path!r} is not a Pack; write module:attribute.")
    return pack


PACKS = load_packs(os.environ)
