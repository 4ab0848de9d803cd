"""The decision pack: options weighed against criteria, with everything the answer rests on."""

from packs.decision.pack import PACK

__all__ = ["PACK"]
