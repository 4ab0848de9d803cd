"""Patterns of texts that input schemas ask for, each with its words: nobody is told a regular expression."""

from collections.abc import Mapping
from types import MappingProxyType

NOT_BLANK = r"\S"
# What is refused on sight everywhere: another scheme, somebody's password, spaces. A schema tells it before the server.
HTTPS_URL = r"^[Hh][Tt][Tt][Pp][Ss]://[^\s/?#@]+([/?#]\S*)?$"
HOST_NAME = r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"
UUID_TEXT = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"

EXPECTATIONS: Mapping[str, str] = MappingProxyType(
    {
        NOT_BLANK: "must contain more than white space",
        HTTPS_URL: "must begin with https:// and hold no password and no space",
        HOST_NAME: "must be a host name in small letters, such as example.com",
        UUID_TEXT: "must be a UUID in small letters",
    }
)
