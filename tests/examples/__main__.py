"""python -m tests.examples: send the examples through the platform and write docs/examples anew."""

import os
import tempfile
from io import StringIO
from pathlib import Path

from tests.plugin import SERVICES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.builders import customer  # noqa: E402
from tests.examples.agents import KINDS, agent_of, spend_a_day, transcript_page  # noqa: E402
from tests.examples.cases import FOLDER, PICTURE, examples, open_sites  # noqa: E402
from tests.examples.pages import page, says_the_same  # noqa: E402
from tests.examples.picture import draw  # noqa: E402
from tests.examples.platform import run_example  # noqa: E402
from tests.mcp.gateway import GatewayProcess  # noqa: E402
from tests.packs.fetch.zoo import open_zoo  # noqa: E402
from tests.packs.fetch.zoo_web import settings_of, web_of  # noqa: E402
from tests.processes import ApiProcess, ZooWorkerProcess  # noqa: E402


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    if not PICTURE.exists():
        draw(PICTURE)
    SERVICES.start()
    try:
        call_command("setup_database", verbosity=0, stdout=StringIO())
        call_command("bootstrap_storage", stdout=StringIO())
        _write_all()
    finally:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        SERVICES.stop()


def _write_all() -> None:
    with open_zoo() as zoo, tempfile.TemporaryDirectory() as folder, ApiProcess() as api:
        open_sites(zoo)
        worker = ZooWorkerProcess(settings_of(web_of(zoo, Path(folder))))
        worker.start()
        try:
            acme, rival = (customer(name, budget="10.0000") for name in ("acme", "rival"))
            for example in examples():
                outcome = run_example(example, api.url, worker, acme, rival)
                path = FOLDER / f"{example.pack}.md"
                text = page(example, outcome)
                fresh = path.exists() and says_the_same(path.read_text(encoding="utf-8"), text)
                if not fresh:
                    path.write_text(text, encoding="utf-8")
                print(f"docs/examples/{path.name}{': as it was' if fresh else ''}", flush=True)
            _write_transcripts(api)
        finally:
            worker.stop()


def _write_transcripts(api: ApiProcess) -> None:
    days = {}
    with GatewayProcess({"DPP_API_URL": api.url}) as gateway:
        for number, kind in enumerate(KINDS):
            owner = customer(f"agent-{number}", budget="10.0000")
            with agent_of(kind, owner, api_url=api.url, gateway=gateway) as agent:
                days[kind] = spend_a_day(agent)
    path = FOLDER.parent / "transcripts.md"
    path.write_text(transcript_page(days), encoding="utf-8")
    print(f"docs/{path.name}", flush=True)


main()
