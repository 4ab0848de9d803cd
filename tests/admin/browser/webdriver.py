"""Chromium by the W3C WebDriver protocol: JSON over HTTP to chromedriver, and no library."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.ports import free_port

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's own name of a reference
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
_PATIENCE_SEC = 10.0


class NoBrowser(AssertionError):
    """Chromium or its driver is not installed."""


class Browser:
    def __init__(self, *, width: int = 1280, height: int = 1060) -> None:
        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not chromium or not driver:
            raise NoBrowser(
                "Chromium is missing: `apt-get install chromium chromium-driver`, then `make test-browser`."
            )
        self._profile = tempfile.TemporaryDirectory(prefix="dpp-browser-", ignore_cleanup_errors=True)
        port = free_port()
        self._driver = subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._root = f"http://127.0.0.1:{port}"
        self._wait_for_driver()
        flags = [*_FLAGS, f"--user-data-dir={self._profile.name}", f"--window-size={width},{height}"]
        options = {"goog:chromeOptions": {"binary": chromium, "args": flags}}
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self._session = f"/session/{answer['sessionId']}"

    def close(self) -> None:
        try:
            self._send("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(10)
            self._profile.cleanup()

    def open(self, url: str) -> None:
        self._ask("POST", "/url", {"url": url})

    def click(self, css: str) -> None:
        self._ask("POST", f"/element/{self._find(css)}/click", {})

    def follow(self, text: str) -> None:
        """Click the link with this text."""
        self._ask("POST", f"/element/{self._find(text, using='link text')}/click", {})

    def write(self, css: str, text: str) -> None:
        element = self._find(css)
        self._ask("POST", f"/element/{element}/clear", {})
        self._ask("POST", f"/element/{element}/value", {"text": text})

    def text(self, css: str = "body") -> str:
        return str(self._ask("GET", f"/element/{self._find(css)}/text"))

    def attribute(self, css: str, name: str) -> str:
        return str(self._ask("GET", f"/element/{self._find(css)}/attribute/{name}"))

    def script(self, code: str) -> Any:
        return self._ask("POST", "/execute/sync", {"script": code, "args": []})

    def wait_for_text(self, wanted: str, css: str = "body") -> None:
        ends = time.monotonic() + _PATIENCE_SEC
        while wanted not in (seen := self.text(css)):
            assert time.monotonic() < ends, f"{wanted!r} did not appear. The page says:\n{seen[:2000]}"
            time.sleep(0.1)

    def picture(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def _find(self, wanted: str, *, using: str = "css selector") -> str:
        ends = time.monotonic() + _PATIENCE_SEC
        while True:
            try:
                return str(self._ask("POST", "/element", {"using": using, "value": wanted})[_ELEMENT])
            except urllib.error.HTTPError as error:
                if error.code != 404 or time.monotonic() > ends:
                    raise AssertionError(f"there is no {wanted!r} on the page") from error
                time.sleep(0.1)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._send(method, self._session + path, body)

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._root + path, data, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def _wait_for_driver(self) -> None:
        ends = time.monotonic() + _PATIENCE_SEC
        while True:
            try:
                self._send("GET", "/status")
            except OSError:
                assert time.monotonic() < ends, "chromedriver does not answer"
                time.sleep(0.1)
            else:
                return
