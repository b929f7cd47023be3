"""Make ``docs/screenshots`` anew: the app over the sample regulation, wide in both themes, and on a phone.

``python -m scripts.screenshots`` needs the dev extra and a Chromium (on the PATH, or ``TECHREG_CHROMIUM``).
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scripts.lock import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

FOLDER = ROOT / "docs" / "screenshots"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
READY_S = 600
FIRST = "What is the speed limit in the pit lane?"
SECOND = "How many sets of tyres does a driver get?"


def main() -> int:
    """Make the pictures; the exit code."""
    from playwright.sync_api import sync_playwright

    if not find_chromium():
        print("screenshots: no Chromium; install it or set TECHREG_CHROMIUM", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served() as url, sync_playwright() as play:
        browser = launched(play)
        for name, scheme in (("light", "light"), ("dark", "dark")):
            page = opened(browser, url, (1440, 900), scheme)
            ask(page, SECOND)
            ask(page, FIRST)
            if scheme == "light":
                show_page(page)
            page.screenshot(path=FOLDER / f"{name}.png")
        phone = opened(browser, url, (390, 844), "light")
        ask(phone, FIRST)
        show_page(phone)
        phone.screenshot(path=FOLDER / "phone.png")
        browser.close()
    return 0


def find_chromium() -> str:
    """The path of a Chromium, "" where there is none."""
    return os.environ.get("TECHREG_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""


def launched(play: Playwright) -> Browser:
    """A Chromium without a window."""
    return play.chromium.launch(executable_path=find_chromium(), args=FLAGS)


@contextmanager
def served(*, own_settings: bool = False) -> Iterator[str]:
    """The address of an app that has indexed the sample into a temporary folder, or serves what the settings name."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if own_settings or key[:8] != "TECHREG_"}
        environment |= {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "app", "serve", "--port", str(port)]
        where = ROOT if own_settings else folder  # no documents there: the sample
        process = subprocess.Popen(command, cwd=where, env=environment)
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for the index.

    Raises:
        TimeoutError: the app has ended, or takes too long.
    """
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/health", timeout=30) as reply:
                if b'"status":"ready"' in reply.read():
                    return
        except OSError:
            pass  # it is still starting
        time.sleep(0.5)
    raise TimeoutError("the app did not get ready")


def opened(browser: Browser, url: str, size: tuple[int, int], scheme: str) -> Page:
    """The app's page in a browser of its own."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(url)
    page.wait_for_selector("#examples button")
    return page


def ask(page: Page, question: str) -> None:
    """Ask and wait for the whole answer."""
    turns = page.locator(".turn").count()
    page.fill("#question textarea", question)
    page.press("#question textarea", "Enter")
    page.wait_for_function("turns => document.querySelectorAll('.turn').length > turns", arg=turns)
    page.wait_for_selector("#current .turn:last-child .turn-foot")
    page.wait_for_selector("#cards .term", state="attached")


def show_page(page: Page) -> None:
    """Open the page of the first citation."""
    page.click("#current .chip")
    page.wait_for_selector("#page-marks .strong", state="attached")
    page.wait_for_function("document.querySelector('#page-image').naturalWidth > 500")
    page.wait_for_timeout(300)  # the sheet slides in


if __name__ == "__main__":
    sys.exit(main())
