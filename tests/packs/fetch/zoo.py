"""A web of our own on loopback: real TLS sites with their own authority, a resolver and a dialer to them.

The fetcher believes it dials public addresses; the dialer notes which, and connects to the zoo instead.
Judgements are made on that record.
"""

import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from packs.fetch import FetchPolicy, SmartFetcher
from packs.fetch.address import IPAddress
from packs.fetch.transport import public_web_tls

PUBLIC_V4 = "93.184.216.34"
PUBLIC_V6 = "2606:2800:220:1:248:1893:25c8:1946"
CONNECTION_LIFE_SEC = 8.0

Certificate = Literal["good", "expired", "self_signed", "wrong_host", "untrusted_root"]


@dataclass(frozen=True)
class Request:
    sni: str | None
    line: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.line.split(" ")[1]


Handler = Callable[[socket.socket, Request], None]


@dataclass
class Record:
    """What the fetcher did, as the network saw it."""

    lookups: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    body_bytes_sent: int = 0

    @property
    def addresses(self) -> list[str]:
        return [address for address, _ in self.dialled]


@dataclass
class Zoo:
    ca: trustme.CA
    port: int
    sites: dict[str | None, Handler] = field(default_factory=dict)
    certificates: dict[str, Certificate] = field(default_factory=dict)
    literals: set[str] = field(default_factory=lambda: {PUBLIC_V4, PUBLIC_V6})
    record: Record = field(default_factory=Record)
    fallback: Handler | None = None
    _contexts: dict[tuple[str | None, str], ssl.SSLContext] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def clear(self) -> None:
        self.sites.clear()
        self.certificates.clear()
        self.fallback = None
        self.record = Record()

    def site(self, host: str | None, handler: Handler, certificate: Certificate = "good") -> None:
        self.sites[host] = handler
        if host is not None:
            self.certificates[host] = certificate

    def client_tls(self) -> ssl.SSLContext:
        """The product's own, with the zoo's authority beside the public web's."""
        context = public_web_tls()
        self.ca.configure_trust(context)
        return context

    def dial(self, address: IPAddress, port: int, timeout_sec: float) -> socket.socket:
        self.record.dialled.append((str(address), port))
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_sec)

    def resolve(self, name: str) -> Sequence[str]:
        self.record.lookups.append(name)
        return [PUBLIC_V4]

    def fetcher(self, policy: FetchPolicy | None = None) -> SmartFetcher:
        return SmartFetcher(
            policy=policy or FetchPolicy(timeout_sec=3),
            resolver=self.resolve,
            dialer=self.dial,
            tls=self.client_tls(),
            own_address=lambda _: False,
        )

    def context_for(self, host: str | None) -> ssl.SSLContext:
        kind = self.certificates.get(host or "", "good")
        with self._lock:
            if (host, kind) not in self._contexts:
                self._contexts[host, kind] = self._issue(host, kind)
            return self._contexts[host, kind]

    def _issue(self, host: str | None, kind: Certificate) -> ssl.SSLContext:
        names = sorted(self.literals) if host is None else [host]
        if kind == "good":
            leaf = self.ca.issue_cert(*names)
        elif kind == "expired":
            yesterday = datetime.now(UTC) - timedelta(days=1)
            leaf = self.ca.issue_cert(*names, not_after=yesterday)
        elif kind == "wrong_host":
            leaf = self.ca.issue_cert("elsewhere.example.org")
        elif kind == "self_signed":
            return _self_signed(names[0])
        else:
            leaf = trustme.CA().issue_cert(*names)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        leaf.configure_cert(context)
        return context

    def number_of(self, host: str) -> int:
        """The number of this host's certificate, by which its issuer may take it back."""
        client, server = ssl.MemoryBIO(), ssl.MemoryBIO()
        ours = self.client_tls().wrap_bio(server, client, server_hostname=host)
        theirs = self.context_for(host).wrap_bio(client, server, server_side=True)
        for _ in range(3):
            for side in (ours, theirs):
                with suppress(ssl.SSLWantReadError):
                    side.do_handshake()
        return x509.load_der_x509_certificate(ours.getpeercert(binary_form=True) or b"").serial_number

    def serve(self, connection: socket.socket) -> None:
        connection.settimeout(CONNECTION_LIFE_SEC)
        base = self.context_for(None)
        base.sni_callback = self._choose
        # A client that refuses us or hangs up is part of the show.
        with suppress(OSError, ValueError), base.wrap_socket(connection, server_side=True) as tls:
            name = self._names.pop(id(tls), None)
            request = _read_request(tls, name)
            self.record.requests.append(request)
            handler = self.sites.get(name) or self.fallback or hello
            handler(tls, request)

    def _choose(self, tls: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        # A handshake that failed may have left its name under an id that is used again.
        self._names.pop(id(tls), None)
        if name is not None:
            self._names[id(tls)] = name
            tls.context = self.context_for(name)


def hello(tls: socket.socket, _: Request) -> None:
    respond(tls, b"<html><title>hello</title><body><p>hello</p></body></html>")


def respond(
    tls: socket.socket,
    body: bytes = b"",
    *,
    status: int = 200,
    content_type: str = "text/html; charset=utf-8",
    headers: Sequence[tuple[str, str]] = (),
) -> None:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if status != 204 and not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in headers):
        lines.append(f"Content-Length: {len(body)}")
    tls.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def page(body: str | bytes, **options: object) -> Handler:
    data = body.encode() if isinstance(body, str) else body
    return lambda tls, _: respond(tls, data, **options)  # type: ignore[arg-type]


def redirect(location: str, status: int = 302) -> Handler:
    return lambda tls, _: respond(tls, status=status, headers=[("Location", location)])


def drip(tls: socket.socket, _: Request) -> None:
    """One byte now and then: each read succeeds, the whole never ends."""
    tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    for _step in range(400):
        tls.sendall(b"x")
        time.sleep(0.02)


def endless_chunks(record: Record, head: bytes = b"") -> Handler:
    def handler(tls: socket.socket, _: Request) -> None:
        tls.sendall(b"HTTP/1.1 200 OK\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n")
        piece = b"x" * 16_384
        for _step in range(4_000):
            tls.sendall(b"4000\r\n" + piece + b"\r\n")
            record.body_bytes_sent += len(piece)

    return handler


@contextmanager
def open_zoo() -> Iterator[Zoo]:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        zoo = Zoo(ca=trustme.CA(), port=listener.getsockname()[1])
        threading.Thread(target=_accept, args=(listener, zoo), daemon=True).start()
        yield zoo


@contextmanager
def silent_port() -> Iterator[int]:
    """Accepts TCP and says nothing, ever."""
    with socket.create_server(("127.0.0.1", 0), backlog=8) as listener:
        yield listener.getsockname()[1]


@contextmanager
def black_hole() -> Iterator[int]:
    """A full accept queue: the kernel drops further SYNs, as a firewall would."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        try:
            yield port
        finally:
            for filler in fillers:
                filler.close()


def _self_signed(name: str) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(
            key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            + certificate.public_bytes(pem)
        )
        file.flush()
        context.load_cert_chain(file.name)
    return context


def _accept(listener: socket.socket, zoo: Zoo) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=zoo.serve, args=(connection,), daemon=True).start()


def _read_request(tls: socket.socket, sni: str | None) -> Request:
    data = b""
    while b"\r\n\r\n" not in data:
        received = tls.recv(65_536)
        if not received:
            raise ConnectionError("the client hung up")
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    pairs = (header.partition(": ") for header in lines)
    headers = {name.lower(): value for name, _, value in pairs}
    while len(body) < int(headers.get("content-length", "0")):
        body += tls.recv(65_536)
    return Request(sni, line, headers, body)
