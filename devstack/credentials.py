"""Secrets of one stack: random, made once, readable by the owner of the clone only."""

import json
import secrets
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from devstack.files import write_private


@dataclass(frozen=True)
class Credentials:
    postgres_password: str
    postgres_serving_password: str
    valkey_password: str
    aws_access_key_id: str
    aws_secret_access_key: str
    django_secret_key: str
    admin_password: str

    @classmethod
    def made_once(cls, path: Path) -> "Credentials":
        """Those of an earlier start, which the servers' data knows, or new ones."""
        try:
            known = json.loads(path.read_text())
        except (FileNotFoundError, ValueError):
            known = {}
        made = cls(**{field.name: str(known.get(field.name) or _random()) for field in fields(cls)})
        if asdict(made) != known:
            write_private(path, json.dumps(asdict(made), indent=1) + "\n")
        return made


def _random() -> str:
    return secrets.token_hex(24)  # letters and digits: fits URLs, shells and configuration files unquoted
