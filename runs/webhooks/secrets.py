"""What signs a webhook's messages: a secret that its owner shares (`v1`), and a key pair of which the owner has the
public half (`v1a`). Each webhook has its own: a message for one proves nothing to another."""

import base64
import os
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dpp_project import sealing

_BYTES = 32
_PURPOSE = "webhook"


@dataclass(frozen=True)
class Secrets:
    shared: bytes
    private: bytes

    @classmethod
    def new(cls) -> "Secrets":
        return cls(os.urandom(_BYTES), os.urandom(_BYTES))

    @classmethod
    def unsealed(cls, sealed: bytes) -> "Secrets":
        both = sealing.unseal(bytes(sealed), purpose=_PURPOSE)
        return cls(both[:_BYTES], both[_BYTES:])

    def sealed(self) -> bytes:
        return sealing.seal(self.shared + self.private, purpose=_PURPOSE)

    @property
    def text(self) -> str:
        """As its owner is shown it, once."""
        return f"whsec_{base64.b64encode(self.shared).decode()}"

    @property
    def public_text(self) -> str:
        return f"whpk_{base64.b64encode(self.key.public_key().public_bytes_raw()).decode()}"

    @cached_property
    def key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.private)
