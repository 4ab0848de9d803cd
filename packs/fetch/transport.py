"""The connection: exactly the classified address is dialled, and the certificate must be the host's.

TLS runs over memory buffers, so that every wait is on our own socket with what is left of the fetch's budget,
and every byte that arrives is counted, whether it belongs to a handshake, a ticket or the body.
"""

import socket
import ssl
from collections.abc import Callable
from typing import Protocol, TypeVar

import certifi

from packs.fetch.address import IPAddress
from packs.fetch.deadline import FetchDeadline
from packs.fetch.exceptions import FailedCode, FetchFailed
from packs.fetch.host import Host

READ_BYTES = 16_384

T = TypeVar("T")


class Dialer(Protocol):
    """A connected TCP socket to this very address; no name, no proxy. Raises OSError."""

    def __call__(self, address: IPAddress, port: int, timeout_sec: float, /) -> socket.socket: ...


class OwnAddressCheck(Protocol):
    """Whether the address belongs to the machine we run on."""

    def __call__(self, address: IPAddress, /) -> bool: ...


class RevokedCertificates(Protocol):
    """Whether this certificate (DER) was taken back by its issuer. Raises ValueError for what is none."""

    def contains(self, certificate: bytes, /) -> bool: ...


class Stream(Protocol):
    def send(self, data: bytes) -> None: ...

    def receive(self) -> bytes:
        """At most READ_BYTES; empty at the end."""

    def close(self) -> None: ...


def dial(address: IPAddress, port: int, timeout_sec: float) -> socket.socket:
    sock = socket.socket(_family(address), socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_sec)
        sock.connect((str(address), port))
    except OSError:
        sock.close()
        raise
    return sock


def is_own_address(address: IPAddress) -> bool:
    """A machine reaches its own public address from that same address. Connecting UDP asks the routing
    table only: not one packet is sent."""
    try:
        with socket.socket(_family(address), socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 443))
            return bool(probe.getsockname()[0] == probe.getpeername()[0])
    except OSError:  # no route, or no such address family here: then nothing can be dialled either
        return False


def public_web_tls() -> ssl.SSLContext:
    """Trust in the public web's authorities and in nothing the environment names.

    `ssl.create_default_context` is not used: it would write keys where SSLKEYLOGFILE says.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    context.set_alpn_protocols(["http/1.1"])
    context.load_verify_locations(certifi.where())
    return context


class PlainStream:
    def __init__(self, sock: socket.socket, deadline: FetchDeadline, wire_limit: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self._wire_left = wire_limit

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._sock.settimeout(self._deadline.remaining_sec())
            try:
                view = view[self._sock.send(view) :]
            except TimeoutError:
                continue  # the next look at the deadline says so

    def receive(self) -> bytes:
        while True:
            self._sock.settimeout(self._deadline.remaining_sec())
            try:
                data = self._sock.recv(READ_BYTES)
            except TimeoutError:
                continue
            self._wire_left -= len(data)
            if self._wire_left < 0:
                raise FetchFailed(FailedCode.BAD_RESPONSE, "The site sends far more than the document holds.")
            return data

    def close(self) -> None:
        self._sock.close()


class TlsStream:
    def __init__(
        self, raw: PlainStream, context: ssl.SSLContext, host: Host, revoked: RevokedCertificates | None = None
    ) -> None:
        """Shake hands. For a name, SNI and the certificate name are the host's; for an address, the
        address's."""
        self._raw = raw
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host.name)
        try:
            self._drive(self._tls.do_handshake)
        except ssl.SSLCertVerificationError as error:
            raise FetchFailed(FailedCode.TLS_INVALID, "The certificate is not valid for the site.") from error
        except ssl.SSLError as error:
            raise FetchFailed(FailedCode.TLS_INVALID, "No secure connection came about.") from error
        if revoked is not None and self._is_among(revoked):
            raise FetchFailed(FailedCode.TLS_INVALID, "The site's certificate was revoked by its issuer.")

    def send(self, data: bytes) -> None:
        self._drive(lambda: self._tls.write(data))

    def receive(self) -> bytes:
        try:
            return self._drive(lambda: self._tls.read(READ_BYTES))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            # Many servers hang up without a TLS goodbye. HTTP's own framing tells whether the body is whole.
            return b""
        except ssl.SSLError as error:
            raise FetchFailed(FailedCode.BAD_RESPONSE, "The secure connection broke.") from error

    def close(self) -> None:
        self._raw.close()

    def _is_among(self, revoked: RevokedCertificates) -> bool:
        certificate = self._tls.getpeercert(binary_form=True)
        try:
            return certificate is None or revoked.contains(certificate)
        except ValueError:
            return True  # nobody can say that it stands

    def _drive(self, step: Callable[[], T]) -> T:
        """Repeat a TLS step, carrying bytes between its buffers and the socket, until it is done."""
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._raw.receive()
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        if pending := self._outgoing.read():
            self._raw.send(pending)


def _family(address: IPAddress) -> socket.AddressFamily:
    return socket.AF_INET if address.version == 4 else socket.AF_INET6
