"""The same document, wanted by everybody at once, is downloaded once."""

import hashlib
import os
import socket
from pathlib import Path

from tests.cache.fleet import HOST, CountingSite, assert_each_downloaded_once, fifty_runs
from tests.packs.fetch.zoo import Request, Zoo, respond
from tests.services import SessionServices


def test_fifty_runs_in_five_processes_download_ten_documents_once(
    fleet: SessionServices, zoo: Zoo, tmp_path: Path
) -> None:
    assert_each_downloaded_once(fifty_runs(zoo, tmp_path))


def test_fifty_runs_in_five_processes_download_a_large_file_once(
    fleet: SessionServices, zoo: Zoo, tmp_path: Path
) -> None:
    """Given a PDF of 1.5 MiB, which Redis does not take, Expect one download, and the file for everybody."""
    pdf = b"%PDF-1.7\n" + os.urandom(1_572_864)

    class FileSite(CountingSite):
        def answer(self, tls: socket.socket, request: Request) -> None:
            respond(tls, pdf, content_type="application/pdf")

    url = f"https://{HOST}/{os.urandom(8).hex()}.pdf"
    outcome = fifty_runs(zoo, tmp_path, FileSite(), [url])
    assert [run["documents"] for run in outcome.runs] == [{url: hashlib.sha256(pdf).hexdigest()}] * 50
    assert outcome.downloads.total() == 1
