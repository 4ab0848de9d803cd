"""Documents too large for Redis go through short-lived objects, old copies included."""

import os
from datetime import UTC, datetime

import pytest

from dpp_project.redis import client
from packs.cache import DegradedReason, Source
from runs.access import document_keys
from runs.documents import handover
from runs.models import DocumentFlight
from storage import object_keys, store
from storage.exceptions import ObjectMissing
from tests.cache.office import PAGE, QUICK, SITE, STALE_SEC, Offices, downloads
from tests.packs.fetch.zoo import Zoo, drip, page

PDF = b"%PDF-1.7\n" + os.urandom(1_572_864)


@pytest.fixture
def large(zoo: Zoo) -> None:
    zoo.site(SITE, page(PDF, content_type="application/pdf"))


def test_another_process_finds_a_large_document(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    assert client().get(document_keys.entry(office().key())) == handover.MARK
    there = office()
    assert there.hit("acme") is Source.L3
    assert there.hit("acme") is Source.L1
    assert there.fetch("acme").document.body == PDF
    assert DocumentFlight.objects.get().state == "CACHED"
    assert downloads(zoo) == 1


def test_it_is_still_nobody_elses(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    assert office().hit("rival") is None
    office().fetch("rival")
    assert downloads(zoo) == 2


def test_an_old_large_copy_stands_in(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    zoo.site(SITE, drip)
    there = office()
    there.later(STALE_SEC)
    old = there.fetch("acme", timeout_sec=1)
    assert old.stand_in is not None
    assert (old.stand_in.reason, old.document.body) == (DegradedReason.TIMEOUT, PDF)


def test_an_object_that_somebody_changed_is_a_miss(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    key = office().key()
    name = object_keys.handover(key.tenant_id, key.digest)
    body = store.read_bounded(name, max_bytes=10_000_000)
    store.put_once(name, body.replace(b'"status_code":200', b'"status_code":201'), mime=store.JSON_MIME)
    assert office().hit("acme") is None


def test_an_object_that_is_gone_is_downloaded_by_one(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    key = office().key()
    store.delete([object_keys.handover(key.tenant_id, key.digest)])
    assert office().fetch("acme").document.body == PDF
    assert downloads(zoo) == 2
    assert office().hit("acme") is Source.L3


def test_objects_whose_time_is_up_are_removed_by_the_next_handover(office: Offices, zoo: Zoo, large: None) -> None:
    office().fetch("acme")
    first = office().key()
    name = object_keys.handover(first.tenant_id, first.digest)
    ends_at = client().zscore(document_keys.HANDOVERS, name)
    assert ends_at is not None
    assert abs(ends_at - datetime.now(UTC).timestamp() - QUICK.document_kept_sec) < 60
    client().zadd(document_keys.HANDOVERS, {name: 1})
    office().fetch("acme", f"{PAGE}/2")
    with pytest.raises(ObjectMissing):
        store.read_bounded(name, max_bytes=10_000_000)
    assert client().zrange(document_keys.HANDOVERS, 0, -1) == [
        object_keys.handover("acme", office().key(url=f"{PAGE}/2").digest)
    ]
