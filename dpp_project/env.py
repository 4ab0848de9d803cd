"""Strict readers of environment variables. Nonsense is refused at start, in one line that names the remedy."""

import base64
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from dpp_project import redis_address


class BadEnvironment(SystemExit):
    """An environment variable is missing or unusable; the message says which and what it should be."""


class Env:
    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values = os.environ if values is None else values

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, default)
        if value is None:
            raise BadEnvironment(
                f"{name} is not set. `make up` writes all settings to .dpp/env; see docs/operations.md."
            )
        return value

    def refuse_weak(self, name: str, weakness: str | None) -> None:
        """The secret itself is not shown: this goes to logs."""
        if weakness is not None:
            raise BadEnvironment(
                f"{name}: the secret in it {weakness}. Make one with `python3 -c 'import secrets;"
                " print(secrets.token_urlsafe(50))'`."
            )

    def redis_address(self, name: str, value: str) -> str:
        """Of a single server: the client library's affair. Of a cluster: ours."""
        try:
            if redis_address.is_cluster(value):
                redis_address.ClusterAddress.of(value)
        except redis_address.BadAddress as error:
            # Not the value: there is a secret in it.
            raise BadEnvironment(f"{name}: {error} (redis+cluster://host:6379,host:6379).") from error
        return value

    def optional(self, name: str) -> str | None:
        return self.values.get(name) or None

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value not in choices:
            raise BadEnvironment(f"{name}={value!r} is not one of {', '.join(choices)}.")
        return value

    def flag(self, name: str, default: bool) -> bool:
        return self.choice(name, ("0", "1"), "1" if default else "0") == "1"

    def integer(self, name: str, default: int, *, least: int = 0, most: int = 2**31) -> int:
        value = self.text(name, str(default))
        if not value.isascii() or not value.isdigit() or not least <= int(value) <= most:
            raise BadEnvironment(f"{name}={value!r} is not a whole number from {least} to {most}.")
        return int(value)

    def http_address(self, name: str) -> str | None:
        """An http(s) address without credentials in it: those would be written to logs with it."""
        value = self.optional(name)
        if value is None:
            return None
        url = urlsplit(value)
        if url.scheme not in ("http", "https") or not url.hostname or url.username or url.password:
            raise BadEnvironment(f"{name} is not an http or https address without user and password.")
        return value

    def written(self, name: str) -> str:
        """A text that must say something."""
        value = self.text(name).strip()
        if not value:
            raise BadEnvironment(f"{name} is empty.")
        return value

    def json_object(self, name: str) -> dict[str, Any]:
        """Options for a backend, `{}` without any."""
        try:
            value = json.loads(self.text(name, "{}"))
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise BadEnvironment(f"{name} is not a JSON object.")
        return value

    def key(self, name: str, value: str, *, length: int) -> bytes:
        """Bytes as base64. The value itself is not shown: this goes to logs."""
        try:
            key = base64.b64decode(value, validate=True)
        except ValueError:
            key = b""
        if len(key) != length:
            raise BadEnvironment(
                f"{name} is not {length} bytes as base64. Make them with `openssl rand -base64 {length}`."
            )
        return key

    def words(self, name: str, default: str) -> list[str]:
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def database(self, name: str) -> dict[str, Any]:
        """`postgresql://user:password@host:port/dbname?sslmode=…` as Django's connection settings."""
        url = urlsplit(self.text(name))
        if url.scheme not in ("postgres", "postgresql") or not url.hostname or len(url.path) < 2:
            raise BadEnvironment(f"{name} is not of the form postgresql://user:password@host:port/dbname.")
        try:
            options = dict(parse_qsl(url.query, strict_parsing=True)) if url.query else {}
        except ValueError:
            raise BadEnvironment(f"{name}: what stands after the ? is not of the form sslmode=verify-full.") from None
        return {
            "ENGINE": "dpp_project.postgresql",
            "NAME": unquote(url.path[1:]),
            "USER": unquote(url.username or ""),
            "PASSWORD": unquote(url.password or ""),
            "HOST": url.hostname,
            "PORT": url.port or 5432,
            "OPTIONS": options,
        }
