"""Secrets that we must be able to read again, encrypted for the database (AES-256-GCM).

The key follows from `DPP_SECRET_KEY`; what an older one sealed (`DPP_OLD_SECRET_KEYS`) can still be read.
"""

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

_NONCE_BYTES = 12


class NotSealedByUs(Exception):
    """None of our keys opens it."""


def seal(text: bytes, *, purpose: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + _cipher(settings.SECRET_KEY, purpose).encrypt(nonce, text, purpose.encode())


def unseal(sealed: bytes, *, purpose: str) -> bytes:
    nonce, text = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return _cipher(secret, purpose).decrypt(nonce, text, purpose.encode())
        except InvalidTag:
            continue
    raise NotSealedByUs(purpose)


def _cipher(secret: str, purpose: str) -> AESGCM:
    return AESGCM(hashlib.sha256(f"dpp sealing {purpose}\0{secret}".encode()).digest())
