"""The product's own TLS context: which certificates it refuses, with the zoo's authority added to the public web's."""

from dataclasses import replace

import pytest

from packs.fetch import FailedCode, FetchFailed, FetchPolicy
from packs.fetch.fetcher import SmartFetcher
from packs.fetch.transport import public_web_tls
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


def test_the_product_as_it_is_does_not_trust_the_zoo() -> None:
    with open_zoo() as zoo:
        zoo.site(SITE, page("<p>here</p>"))
        with pytest.raises(FetchFailed) as failed:
            fetcher(zoo, trusting_the_zoo=False).fetch(f"https://{SITE}/")
        assert failed.value.code is FailedCode.TLS_INVALID
