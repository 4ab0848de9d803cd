"""The zoo as another process sees it: a fetcher that looks names up and dials them there."""

import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from packs.fetch import FetchPolicy, SmartFetcher
from packs.fetch.address import IPAddress
from packs.fetch.transport import RevokedCertificates
from tests.packs.fetch.zoo import PUBLIC_V4, Zoo

_PORT, _AUTHORITY = "DPP_TEST_ZOO_PORT", "DPP_TEST_ZOO_AUTHORITY"


@dataclass(frozen=True)
class ZooWeb:
    """Every name leads to one public address, which is dialled on loopback. Policy and address checks are the
    product's own."""

    port: int
    authority: str

    def fetcher(self, policy: FetchPolicy, revoked: RevokedCertificates | None = None) -> SmartFetcher:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.load_verify_locations(self.authority)
        return SmartFetcher(
            policy=policy,
            resolver=lambda name: [PUBLIC_V4],
            dialer=self.dial,
            tls=tls,
            revoked=revoked,
            own_address=lambda _: False,
        )

    def dial(self, address: IPAddress, port: int, timeout_sec: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_sec)


def web_of(zoo: Zoo, folder: Path) -> ZooWeb:
    authority = folder / "authority.pem"
    zoo.ca.cert_pem.write_to_path(str(authority))
    return ZooWeb(zoo.port, str(authority))


def settings_of(web: ZooWeb) -> dict[str, str]:
    """The environment that tells `tests.zoo_worker` where the zoo is."""
    return {_PORT: str(web.port), _AUTHORITY: web.authority}


def web_of_environment() -> ZooWeb:
    return ZooWeb(int(os.environ[_PORT]), os.environ[_AUTHORITY])
