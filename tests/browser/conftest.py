"""A real browser against a real server over the sample regulation; every request that a page makes is written down.

Chromium is taken from TECHREG_CHROMIUM or the PATH. Without one these tests are skipped, loudly; under CI they fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import httpx
import pytest

from browser.served import DESKTOP, WITHOUT, Server, find_chromium

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PATIENCE_MS = 60_000


def pytest_terminal_summary(terminalreporter) -> None:
    if not find_chromium():
        terminalreporter.write_line(WITHOUT, red=True, bold=True)


@pytest.fixture(scope="package")
def chromium() -> str:
    path = find_chromium()
    if not path and os.environ.get("CI"):
        pytest.fail(WITHOUT)
    if not path:
        pytest.skip(WITHOUT)
    return path


@pytest.fixture(scope="package")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(chromium, tmp_path_factory) -> Iterator[Server]:
    """The app as people start it, over the sample regulation."""
    folder = tmp_path_factory.mktemp("app")
    server = Server(
        folder, "-m", "app", "serve", "--port", "PORT",
        TECHREG_DOCUMENTS=str(folder / "none"), TECHREG_QUESTION_LOG=str(folder / "questions.jsonl"),
        OMP_NUM_THREADS="1",
    )  # fmt: skip
    health = server.wait("ready", "failed")
    assert health["error"] is None, health["error"]
    yield server
    server.stop()


@pytest.fixture
def open_page(browser) -> Iterator[Callable]:
    """Open a page in a browser of its own; afterwards: nothing was asked of another machine, and no script failed."""
    contexts, outside, errors = [], [], []

    def opened(url: str, size: tuple[int, int] = DESKTOP, scheme: str = "light"):
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("request", lambda asked: None if _is_ours(asked.url) else outside.append(asked.url))
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.wait_for_selector(".pane", state="attached")
        page.wait_for_selector("#progress", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert outside == []
    assert errors == []


def _is_ours(url: str) -> bool:
    return url.startswith(("data:", "blob:")) or httpx.URL(url).host in ("127.0.0.1", "localhost")


@pytest.fixture
def page(server, open_page):
    page = open_page(server.url)
    page.wait_for_selector("#examples button")
    return page
