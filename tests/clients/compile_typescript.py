"""The TypeScript client, compiled: that the committed modules come of its sources, and that its types refuse mistakes.

Needs the compiler, which `make test-typescript` installs (decision 0043). `make test` compares hashes, and runs what is
committed.
"""

import re
import subprocess
from pathlib import Path

from tests.clients import typescript
from tests.clients.typescript import PACKAGE


def test_it_compiles_to_what_is_committed(tmp_path: Path) -> None:
    assert typescript.compile_to(tmp_path) == typescript.compiled_in(PACKAGE / "dist")


def test_wrong_inputs_and_unknown_calls_do_not_compile(tmp_path: Path) -> None:
    command = typescript.compiler()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "dpp-client").symlink_to(PACKAGE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    wrong = {
        'client.run("decision", { questoin: "?" }, { maxCost: "1" })': "questoin",
        'client.run("astrology", { question: "?" }, { maxCost: "1" })': "astrology",
        'client.run("decision", { question: "?" }, { maxCost: 1 })': "number",
        'client.call("getRnu", { path: { run_id: "1" } })': "getRnu",
    }
    right = 'client.run("ocr", { images: [{ kind: "upload", upload_id: "1" }] }, { maxCost: "1" })'
    lines = ["declare const client: Client;", *(f"void {each};" for each in (right, *wrong))]
    (tmp_path / "calls.ts").write_text('import type { Client } from "dpp-client";\n' + "\n".join(lines) + "\n")
    options = ["--noEmit", "--strict", "--module", "NodeNext", "--target", "ES2022", "--skipLibCheck"]
    done = subprocess.run([*command, *options, "calls.ts"], cwd=tmp_path, capture_output=True, text=True, check=False)
    found = dict(re.findall(r"^calls\.ts\((\d+),\d+\): error (.*)$", done.stdout, re.MULTILINE))
    assert list(found) == ["4", "5", "6", "7"], done.stdout
    assert all(word in message for word, message in zip(wrong.values(), found.values(), strict=True)), found
