"""A server to look at, and what a person does on its page."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
WITHOUT = "NO BROWSER: the browser tests did not run. Install chromium, or set TECHREG_CHROMIUM to its path."
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
STARTED_S = 480  # generous: on a busy machine the imports alone take a minute
DESKTOP, PHONE = (1440, 900), (390, 844)


def find_chromium() -> str:
    """The path of a Chromium, "" where there is none."""
    named = os.environ.get("TECHREG_CHROMIUM", "")
    return named or next((found for name in NAMES if (found := shutil.which(name))), "")


class Server:
    """A server process over a folder, on one port through all its restarts."""

    def __init__(self, folder: Path, *command: str, **environment: str) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [part.replace("PORT", str(self.port)) for part in command]
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith("TECHREG_")}
        self._environment |= {"PYTHONPATH": str(ROOT), "TECHREG_STORAGE": str(folder / "storage")} | environment
        self.start()

    def start(self) -> None:
        self.said = (self.folder / "said").open("a")
        self.process = subprocess.Popen(
            [sys.executable, *self._command],
            env=self._environment,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=self.said,
            stderr=self.said,
        )

    def wait(self, *states: str) -> dict:
        """Wait until the server is in one of these states; its health."""
        deadline = time.monotonic() + STARTED_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                health = httpx.get(f"{self.url}/api/health", timeout=30, trust_env=False).json()
            except httpx.HTTPError:
                time.sleep(0.1)  # the process starts in its own time
                continue
            if health["status"] in states:
                return health
            time.sleep(0.1)
        pytest.fail(f"the server was not ready in {STARTED_S} s: {(self.folder / 'said').read_text()[-2000:]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.said.close()

    def restart(self) -> None:
        self.stop()
        self.start()
        self.wait("ready")


def ask(page, question: str) -> str:
    """Ask, wait for the whole answer, and return its text."""
    turns = page.locator(".turn").count()
    begin(page, question)
    page.wait_for_function(
        """turns => document.querySelectorAll(".turn").length > turns
          && document.querySelector("#current .turn:last-child .turn-foot")""",
        arg=turns,
    )
    return page.inner_text("#current .answer")


def begin(page, question: str) -> None:
    """Ask, and wait for nothing."""
    page.fill("#question textarea", question)
    page.press("#question textarea", "Enter")


def serious(page) -> list[str]:
    """What axe finds that is serious or worse, told in short."""
    page.evaluate((Path(__file__).parent / "vendor/axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations'], elementRef: false})")
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
