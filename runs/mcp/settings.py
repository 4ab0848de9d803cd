"""What the gateway reads from its environment. Nonsense is refused at start."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from dpp_project.env import BadEnvironment, Env
from dpp_project.problem_base import problem_type_base

_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_LOOPBACK_HOSTS = ("127.0.0.1:*", "localhost:*", "[::1]:*")
_LOOPBACK_ORIGINS = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")

# What a header can carry; the HTTP library would refuse a newline of a badly copied key, and print the key.
_KEY = re.compile(r"[!-~]+", re.ASCII)


@dataclass(frozen=True)
class GatewaySettings:
    api_url: str
    """Where the API is, without a slash at its end. Callers are told to poll there, so they must reach it too."""
    problem_type_base: str
    log_level: str

    @classmethod
    def read(cls, env: Env) -> "GatewaySettings":
        return cls(
            api_url=_api_url(env),
            problem_type_base=problem_type_base(env),
            log_level=env.choice("DPP_LOG_LEVEL", _LOG_LEVELS, "INFO"),
        )

    @property
    def api_is_local(self) -> bool:
        return is_loopback(urlsplit(self.api_url).hostname or "")


@dataclass(frozen=True)
class HttpSettings:
    host: str
    port: int
    allowed_hosts: list[str]
    """Host headers that are answered. A page that rebinds its name to our address still sends its own name."""
    allowed_origins: list[str]
    """Pages that may call. Clients that are no browsers send no Origin and are not concerned."""

    @classmethod
    def read(cls, env: Env, *, host: str, port: int) -> "HttpSettings":
        names = env.words("DPP_MCP_ALLOWED_HOSTS", "")
        if not names and not is_loopback(host):
            raise BadEnvironment(
                f"DPP_MCP_ALLOWED_HOSTS is not set: bound to {host}, the gateway must know under which names it is "
                "called, such as mcp.example.com or mcp.example.com:8001."
            )
        return cls(
            host=host,
            port=port,
            allowed_hosts=[*_LOOPBACK_HOSTS, *names],
            allowed_origins=[*_LOOPBACK_ORIGINS, *env.words("DPP_MCP_ALLOWED_ORIGINS", "")],
        )


def read_api_key(env: Env) -> str:
    """The key of the one caller that stdio has. Over HTTP it is never read: there, callers bring their own."""
    key = env.text("DPP_API_KEY").strip()
    if not _KEY.fullmatch(key):
        raise BadEnvironment("DPP_API_KEY is not an API key: it must be visible ASCII characters without spaces.")
    return key


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _api_url(env: Env) -> str:
    text = env.text("DPP_API_URL").rstrip("/")
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable or url.username or url.query or url.fragment:
        raise BadEnvironment("DPP_API_URL is not of the form https://host:port.")
    return text
