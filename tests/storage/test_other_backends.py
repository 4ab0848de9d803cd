"""Another backend than S3: it works, and what it cannot promise is said at start."""

import logging
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.storage import FileSystemStorage

from dpp_project.canonical import sha256_hex
from dpp_project.env import BadEnvironment, Env
from storage import store
from storage.any_backend import AnyBackend
from storage.checks import object_store_keeps_its_promises
from storage.exceptions import ObjectLarger, ObjectMissing, StorageError, WriteFailed
from storage.object_store import Promise

BODY = b"stored"


@pytest.fixture
def file_system(settings: LazySettings, tmp_path: Path) -> Path:
    use(settings, location=str(tmp_path), base_url="https://files.example/")
    return tmp_path


def use(settings: LazySettings, **options: Any) -> None:
    default = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": default}


def test_files_serve_as_objects(file_system: Path) -> None:
    stored = store.put("dpp/t/a.json", b"older", mime=store.JSON_MIME)
    stored = store.put("dpp/t/a.json", BODY, mime=store.JSON_MIME)
    assert (stored.sha256, stored.size) == (sha256_hex(BODY), 6)
    assert (file_system / "dpp/t/a.json").read_bytes() == BODY
    assert store.read("dpp/t/a.json", sha256=stored.sha256, bucket=store.bucket()) == BODY
    assert store.presigned_url("dpp/t/a.json") == "https://files.example/dpp/t/a.json"
    with pytest.raises(ObjectLarger):
        store.read_bounded("dpp/t/a.json", max_bytes=5)
    with pytest.raises(ObjectMissing):
        store.read_bounded("dpp/t/b.json", max_bytes=5)
    store.put_once("dpp/t/0.json", b"first", mime=store.JSON_MIME)
    assert store.read_first("dpp/t/") == b"first"
    assert store.read_first("dpp/nobody/") is None
    store.delete(["dpp/t/a.json", "dpp/t/a.json"])
    assert not (file_system / "dpp/t/a.json").exists()
    store.reachable()
    store.bootstrap()


def test_a_result_in_another_bucket_is_missing_not_something_else(file_system: Path) -> None:
    store.put("dpp/t/a.json", BODY, mime=store.JSON_MIME)
    with pytest.raises(ObjectMissing):
        store.read("dpp/t/a.json", sha256=sha256_hex(BODY), bucket="dpp-results")
    with pytest.raises(StorageError):
        store.delete(["dpp/t/a.json"], bucket="dpp-results")


def test_what_a_backend_stored_wrongly_is_not_taken_for_stored(tmp_path: Path) -> None:
    class Damaging(FileSystemStorage):
        def save(self, name: str | None, content: Any, max_length: int | None = None) -> str:
            saved = super().save(name, content, max_length)
            Path(self.path(saved)).write_bytes(b"other")
            return saved

    with pytest.raises(WriteFailed):
        AnyBackend(Damaging(location=tmp_path)).put("a", BODY, mime="text/plain", signature="")


def test_a_full_or_forbidden_disk_is_a_failed_write(tmp_path: Path) -> None:
    (tmp_path / "dpp").write_text("a file where a folder should be")
    with pytest.raises(WriteFailed):
        AnyBackend(FileSystemStorage(location=tmp_path)).put("dpp/a", BODY, mime="text/plain", signature="")


def test_the_check_names_every_promise_that_is_not_kept(file_system: Path, caplog: pytest.LogCaptureFixture) -> None:
    messages = object_store_keeps_its_promises(None)
    assert [message.id for message in messages] == ["dpp.W010", "dpp.W011", "dpp.W012", "dpp.W013", "dpp.W014"]
    assert "FileSystemStorage does not give out links that are signed and expire." in messages[2].msg
    with caplog.at_level(logging.WARNING, "dpp.storage"):
        store.prepare()
    (record,) = caplog.records
    assert record.getMessage() == "object_store_promises_less"
    assert Promise.BOUNDED_READ.name not in str(record.__dict__)
    assert Promise.LIFECYCLE.name in str(record.__dict__)


def test_files_nobody_can_link_to_do_not_start(settings: LazySettings, tmp_path: Path) -> None:
    use(settings, location=str(tmp_path))
    assert "dpp.E010" in [message.id for message in object_store_keeps_its_promises(None)]


def test_s3_keeps_all_promises(caplog: pytest.LogCaptureFixture) -> None:
    assert object_store_keeps_its_promises(None) == []
    with caplog.at_level(logging.WARNING, "dpp.storage"):
        store.prepare()
    assert not caplog.records


@pytest.mark.parametrize("written", ["[1]", "{", "backend"])
def test_options_that_are_no_object_refuse_to_start(written: str) -> None:
    with pytest.raises(BadEnvironment, match="DPP_STORAGE_OPTIONS is not a JSON object"):
        Env({"DPP_STORAGE_OPTIONS": written}).json_object("DPP_STORAGE_OPTIONS")
