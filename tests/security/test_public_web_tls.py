"""The product's own TLS context: which certificates it refuses, with the zoo's authority added to the public web's."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import LazySettings

from dpp_project.env import BadEnvironment
from packs.fetch import FailedCode, FetchFailed, FetchPolicy
from packs.fetch.fetcher import SmartFetcher
from packs.fetch.revocation import RevocationLists
from packs.fetch.transport import public_web_tls
from runs.lifecycle.fetch_policy import revoked_certificates
from tests.packs.fetch.zoo import Certificate, Zoo, open_zoo, page

SITE = "www.me.go.kr"


def fetcher(zoo: Zoo, *, trusting_the_zoo: bool = True) -> SmartFetcher:
    context = zoo.client_tls() if trusting_the_zoo else public_web_tls()
    return replace(zoo.fetcher(FetchPolicy(timeout_sec=5)), tls=context)


def test_a_good_certificate_of_a_known_issuer_is_accepted() -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        assert fetcher(zoo).fetch(f"https://{SITE}/").status_code == 200


@pytest.mark.parametrize("certificate", ["expired", "self_signed", "wrong_host", "untrusted_root"])
def test_a_bad_certificate_is_refused_before_anything_is_sent(certificate: Certificate) -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"), certificate=certificate)
        with pytest.raises(FetchFailed) as failed:
            fetcher(zoo).fetch(f"https://{SITE}/")
        assert failed.value.code is FailedCode.TLS_INVALID
        assert zoo.record.requests == []


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    return tmp_path / "revoked.pem"


def take_back(zoo: Zoo, lists: Path, *numbers: int, issuer: trustme.CA | None = None) -> None:
    """As an issuer does it, and as an operator puts it in place."""
    authority = issuer or zoo.ca
    now = datetime.now(UTC)
    name = x509.load_pem_x509_certificate(authority.cert_pem.bytes()).subject
    builder = x509.CertificateRevocationListBuilder(name, now, now + timedelta(days=7))
    for number in numbers:
        builder = builder.add_revoked_certificate(x509.RevokedCertificateBuilder(number, now).build())
    key = serialization.load_pem_private_key(authority.private_key_pem.bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    new = lists.with_suffix(".new")
    new.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    new.replace(lists)


def test_a_revoked_certificate_is_refused_before_anything_is_sent(lists: Path) -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        take_back(zoo, lists, zoo.number_of(SITE))
        with pytest.raises(FetchFailed) as failed:
            replace(fetcher(zoo), revoked=RevocationLists(lists)).fetch(f"https://{SITE}/")
        assert failed.value.code is FailedCode.TLS_INVALID
        assert zoo.record.requests == []


def test_a_certificate_that_no_list_of_its_issuer_names_is_accepted(lists: Path) -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        take_back(zoo, lists, zoo.number_of(SITE), issuer=trustme.CA(organization_name="somebody else"))
        assert replace(fetcher(zoo), revoked=RevocationLists(lists)).fetch(f"https://{SITE}/").status_code == 200


def test_a_list_that_was_put_in_place_later_holds_and_one_that_broke_leaves_the_last(lists: Path) -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        take_back(zoo, lists, 4711)
        reading = replace(fetcher(zoo), revoked=RevocationLists(lists))
        assert reading.fetch(f"https://{SITE}/").status_code == 200

        take_back(zoo, lists, 4711, zoo.number_of(SITE))
        with pytest.raises(FetchFailed):
            reading.fetch(f"https://{SITE}/")

        lists.write_bytes(b"no list")
        with pytest.raises(FetchFailed):
            reading.fetch(f"https://{SITE}/")


@pytest.mark.parametrize("content", [None, b"no list", b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----"])
def test_a_worker_does_not_start_with_lists_that_cannot_be_read(
    lists: Path, content: bytes | None, settings: LazySettings
) -> None:
    if content is not None:
        lists.write_bytes(content)
    settings.FETCH_CRL_FILE = str(lists)
    with pytest.raises(BadEnvironment, match="DPP_FETCH_CRL_FILE"):
        revoked_certificates()


def test_the_product_as_it_is_does_not_trust_the_zoo() -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        with pytest.raises(FetchFailed) as failed:
            fetcher(zoo, trusting_the_zoo=False).fetch(f"https://{SITE}/")
        assert failed.value.code is FailedCode.TLS_INVALID
