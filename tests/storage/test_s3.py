"""The S3 backend: verified writes on every kind of bucket, links, Django's own file API."""

import base64
import hashlib
import urllib.request
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages

from storage import store
from storage.exceptions import ObjectDamaged, ObjectLarger, ObjectMissing, StorageError, WriteFailed
from storage.object_keys import HANDOVERS, LONG_ROOT, UPLOADS
from storage.s3 import S3ObjectStore
from tests.services import SessionServices
from tests.storage.rewriting_proxy import Answer, RewritingProxy
from tests.torture.proxy import Proxy

BODY = '{"답": 1}'.encode()


@pytest.fixture
def proxy(services: SessionServices) -> Iterator[RewritingProxy]:
    with RewritingProxy(services.ministack.port) as running:
        yield running


@pytest.fixture
def through(proxy: RewritingProxy) -> S3ObjectStore:
    return S3ObjectStore(endpoint_url=proxy.url)


def encrypted_by_a_customers_key(method: str, answer: Answer) -> Answer:
    """The ETag of such an object is not the MD5 of its bytes."""
    status, headers, content = answer
    return status, {**headers, **({"ETag": '"0123456789abcdef0123456789abcdef"'} if "ETag" in headers else {})}, content


def test_an_object_comes_back_as_it_was_with_its_type_and_signature(services: SessionServices) -> None:
    stored = store.put("dpp/t/a.json", BODY, mime=store.JSON_MIME, signature="5" * 64)
    assert store.read("dpp/t/a.json", sha256=stored.sha256) == BODY
    backend = storages["default"]
    assert isinstance(backend, S3ObjectStore)
    seen = backend.client.head_object(Bucket=store.bucket(), Key="dpp/t/a.json", ChecksumMode="ENABLED")
    assert seen["ContentType"] == store.JSON_MIME
    assert seen["Metadata"] == {"x-signature-sha256": "5" * 64}
    assert seen["ChecksumSHA256"]


def test_a_write_is_verified_where_the_etag_says_nothing(proxy: RewritingProxy, through: S3ObjectStore) -> None:
    proxy.answer = encrypted_by_a_customers_key
    stored = through.put("dpp/t/kms.json", BODY, mime=store.JSON_MIME, signature="")
    assert stored.etag == "0123456789abcdef0123456789abcdef"
    assert proxy.requests == ["PUT", "HEAD"]


def test_a_checksum_in_the_answer_is_enough(proxy: RewritingProxy, through: S3ObjectStore) -> None:
    sha256 = base64.b64encode(hashlib.sha256(BODY).digest()).decode()

    def with_checksum(method: str, answer: Answer) -> Answer:
        status, headers, content = encrypted_by_a_customers_key(method, answer)
        return status, {**headers, "x-amz-checksum-sha256": sha256}, content

    proxy.answer = with_checksum
    through.put("dpp/t/aws.json", BODY, mime=store.JSON_MIME, signature="")
    assert proxy.requests == ["PUT"]


def test_a_server_without_checksums_is_asked_for_the_bytes(proxy: RewritingProxy, through: S3ObjectStore) -> None:
    def without_checksum(method: str, answer: Answer) -> Answer:
        status, headers, content = encrypted_by_a_customers_key(method, answer)
        return status, {n: v for n, v in headers.items() if not n.lower().startswith("x-amz-checksum")}, content

    proxy.answer = without_checksum
    through.put("dpp/t/old.json", BODY, mime=store.JSON_MIME, signature="")
    assert proxy.requests == ["PUT", "HEAD", "GET"]


def test_bytes_damaged_on_the_way_are_never_taken_for_stored(proxy: RewritingProxy, through: S3ObjectStore) -> None:
    proxy.request_body = lambda method, body: body[:-1] + b"!" if method == "PUT" else body
    with pytest.raises(WriteFailed):
        through.put("dpp/t/damaged.json", BODY, mime=store.JSON_MIME, signature="")
    assert proxy.requests.count("PUT") == 4
    with pytest.raises(ObjectMissing):
        store.read("dpp/t/damaged.json", sha256="0" * 64)


def test_a_server_that_stored_something_else_is_not_believed(proxy: RewritingProxy, through: S3ObjectStore) -> None:
    """It checked what it got, then wrote something else: only what it says of the stored object can show it."""

    def other_bytes(method: str, answer: Answer) -> Answer:
        status, headers, content = encrypted_by_a_customers_key(method, answer)
        plain = {n: v for n, v in headers.items() if not n.lower().startswith("x-amz-checksum")}
        return status, plain, b"other" if method == "GET" else content

    proxy.answer = other_bytes
    with pytest.raises(WriteFailed):
        through.put("dpp/t/other.json", BODY, mime=store.JSON_MIME, signature="")


def test_a_lost_answer_is_found_out_by_reading_back(services: SessionServices) -> None:
    proxy = Proxy(services.ministack.port)
    cut_off = S3ObjectStore(endpoint_url=f"http://127.0.0.1:{proxy.port}")
    with proxy.cutting(b"PUT /", forwarded=True) as cut:
        stored = cut_off.put("dpp/t/lost.json", BODY, mime=store.JSON_MIME, signature="")
    proxy.close()
    assert cut.done == 1
    assert store.read("dpp/t/lost.json", sha256=stored.sha256) == BODY


def test_damaged_missing_and_larger_objects_are_told_apart(services: SessionServices) -> None:
    store.put("dpp/t/b.json", BODY, mime=store.JSON_MIME)
    with pytest.raises(ObjectDamaged):
        store.read("dpp/t/b.json", sha256="0" * 64)
    with pytest.raises(ObjectMissing):
        store.read_bounded("dpp/t/nothing", max_bytes=10)
    with pytest.raises(ObjectLarger):
        store.read_bounded("dpp/t/b.json", max_bytes=len(BODY) - 1)
    assert store.read_bounded("dpp/t/b.json", max_bytes=len(BODY)) == BODY


def without_permission_to_list_the_bucket(method: str, answer: Answer) -> Answer:
    """S3 does not tell such a caller what is not there."""
    denied = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
    return (403, {"Content-Type": "application/xml"}, denied) if answer[0] == 404 else answer


def test_absent_and_forbidden_are_told_apart_by_who_may_list_its_own_part_only(
    proxy: RewritingProxy, through: S3ObjectStore
) -> None:
    through.put("dpp/t/there.json", BODY, mime=store.JSON_MIME, signature="")
    through.put("dpp/t/absent.json.longer", BODY, mime=store.JSON_MIME, signature="")
    proxy.answer = without_permission_to_list_the_bucket
    with pytest.raises(ObjectMissing):
        through.get("dpp/t/absent.json")
    proxy.answer = lambda method, answer: (
        without_permission_to_list_the_bucket(method, (404, *answer[1:])) if answer[2] == BODY else answer
    )
    with pytest.raises(StorageError) as forbidden:
        through.get("dpp/t/there.json")
    assert not isinstance(forbidden.value, ObjectMissing)


def test_the_first_of_a_folder_and_deleting(services: SessionServices) -> None:
    for name in ("2", "1", "3"):
        store.put_once(f"dpp/_cache/t/{name}.json", name.encode(), mime=store.JSON_MIME)
    assert store.read_first("dpp/_cache/t/") == b"1"
    store.delete(["dpp/_cache/t/1.json", "dpp/_cache/t/not-there.json"])
    assert store.read_first("dpp/_cache/t/") == b"2"
    assert store.read_first("dpp/_cache/nobody/") is None
    store.delete([])


def test_results_are_read_linked_and_deleted_in_the_bucket_they_were_written_to(services: SessionServices) -> None:
    before = S3ObjectStore(bucket_name="dpp-before")
    before.bootstrap()
    stored = before.put("dpp/t/moved.json", BODY, mime=store.JSON_MIME, signature="")
    with pytest.raises(ObjectMissing):
        store.read("dpp/t/moved.json", sha256=stored.sha256)
    assert store.read("dpp/t/moved.json", sha256=stored.sha256, bucket="dpp-before") == BODY
    with urllib.request.urlopen(store.presigned_url("dpp/t/moved.json", bucket="dpp-before"), timeout=10) as answer:
        assert answer.read() == BODY
    store.delete(["dpp/t/moved.json"], bucket="dpp-before")
    with pytest.raises(ObjectMissing):
        store.read("dpp/t/moved.json", sha256=stored.sha256, bucket="dpp-before")


@pytest.mark.parametrize("token", [None, "of/a+role="])
@pytest.mark.parametrize("endpoint", [None, "http://127.0.0.1:4566", "https://objects.example:9000"])
@pytest.mark.parametrize("key", ["dpp/t/2026/11/18/x/pack_envelope.json", "dpp/t/a b+c~(d)%20&=가.json"])
def test_a_link_is_the_one_that_botocore_makes(token: str | None, endpoint: str | None, key: str) -> None:
    backend = S3ObjectStore(
        endpoint_url=endpoint, access_key="AKIAEXAMPLE", secret_key="secret/of+it", security_token=token
    )
    for bucket in ("dpp-results", "dpp.with.dots"):
        params = {"Bucket": bucket, "Key": key}
        for _ in range(4):
            ours = backend.link(key, seconds=600, bucket=bucket)
            botocores = backend.client.generate_presigned_url("get_object", Params=params, ExpiresIn=600)
            if ours == botocores:  # not so where a second passed between the two
                break
        assert ours == botocores


def test_djangos_file_api_writes_verified_objects(services: SessionServices) -> None:
    name = default_storage.save("dpp/t/file.txt", ContentFile("글".encode()))
    assert name == "dpp/t/file.txt"
    assert default_storage.exists(name)
    assert default_storage.size(name) == len("글".encode())
    with default_storage.open(name) as content:
        assert content.read() == "글".encode()
    with urllib.request.urlopen(default_storage.url(name), timeout=10) as answer:
        assert answer.headers["Content-Type"] == "text/plain"
    default_storage.delete(name)
    assert not default_storage.exists(name)


def test_a_silent_server_is_a_storage_error(services: SessionServices) -> None:
    nobody = S3ObjectStore(endpoint_url="http://127.0.0.1:9")
    with pytest.raises(StorageError):
        nobody.reachable()
    with pytest.raises(StorageError):
        nobody.bootstrap()
    with pytest.raises(StorageError):
        nobody.get("a")
    with pytest.raises(StorageError):
        nobody.first("a/")
    with pytest.raises(StorageError):
        nobody.delete(["a"])
    with pytest.raises(WriteFailed):
        nobody.put_once("a", b"", mime="text/plain")


def test_the_bucket_is_what_the_contract_says(services: SessionServices) -> None:
    backend = storages["default"]
    assert isinstance(backend, S3ObjectStore)
    where = {"Bucket": settings.RESULTS_BUCKET}
    rule, long, uploads, handovers = backend.client.get_bucket_lifecycle_configuration(**where)["Rules"]
    assert (uploads["Filter"]["Prefix"], uploads["Expiration"]["Days"]) == (UPLOADS, 1)
    assert (handovers["Filter"]["Prefix"], handovers["Expiration"]["Days"]) == (HANDOVERS, 1)
    assert (long["Filter"]["Prefix"], long["Expiration"]["Days"]) == (LONG_ROOT, 365)
    assert (rule["Expiration"]["Days"], rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]) == (30, 7)
    assert all(backend.client.get_public_access_block(**where)["PublicAccessBlockConfiguration"].values())
    assert backend.client.get_bucket_encryption(**where)["ServerSideEncryptionConfiguration"]["Rules"]
