"""The same document, wanted by everybody at once, is downloaded once."""

from pathlib import Path

from tests.cache.fleet import assert_each_downloaded_once, fifty_runs
from tests.packs.fetch.zoo import Zoo
from tests.services import SessionServices


def test_fifty_runs_in_five_processes_download_ten_documents_once(
    fleet: SessionServices, zoo: Zoo, tmp_path: Path
) -> None:
    assert_each_downloaded_once(fifty_runs(zoo, tmp_path))
