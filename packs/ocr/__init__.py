"""The ocr pack: Korean and English text from pictures and PDF; nothing omitted, nothing guessed."""

from packs.ocr.pack import PACK

__all__ = ["PACK"]
