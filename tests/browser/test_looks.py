"""Both widths and both themes: nothing overflows, nothing serious for axe, nothing of Gradio's own clutter."""

from __future__ import annotations

import pytest

from browser.served import DESKTOP, PHONE, ask, serious

OVERFLOWING = """() => [...document.querySelectorAll("body *")].filter(one => {
  const box = one.getBoundingClientRect();
  const visible = one.checkVisibility({visibilityProperty: true}) && box.width && box.height;
  return visible && box.right > innerWidth + 1 && !one.closest("#page-scroll, .table, .corpus");
}).map(one => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1440", "390"])
def test_looks(server, open_page, size, scheme):
    page = open_page(server.url, size, scheme)
    page.wait_for_selector("#examples button")
    assert page.is_hidden("footer")
    assert "Sample" in page.inner_text(".corpus summary")
    assert page.locator(".corpus summary").bounding_box()["width"] > 100
    assert page.evaluate("document.body.classList.contains('dark')") == (scheme == "dark")
    _looked_at(page)
    ask(page, "How many sets of tyres does a driver get?")
    foot = page.locator("#current .turn-foot").bounding_box()
    assert foot["height"] < (64 if size == PHONE else 40)  # one line, on a phone two
    narrow = size == PHONE
    if narrow:
        assert page.is_hidden("#side")
        page.click("#current [data-do=sources]")
    page.wait_for_selector("#cards .card")
    _looked_at(page)
    if narrow:
        page.keyboard.press("Escape")
        page.wait_for_selector("#side", state="hidden")
    page.click("#current .chip")
    page.wait_for_selector("#page-marks i")
    page.wait_for_function("document.querySelector('#page-image').naturalWidth > 500")
    _looked_at(page)
    if narrow:  # the page is a sheet over the lower part of the chat, with whole lines
        for line in page.locator("#page-marks i").all():
            box = line.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= size[0]
        sheet = page.locator("#side").bounding_box()
        assert sheet["y"] > 60
        assert sheet["y"] + sheet["height"] == size[1]
    page.click("#tab-browse")
    page.fill("#find", "tyres")
    page.wait_for_selector("#found .found")
    _looked_at(page)


SHIFTS = """() => {
  window.shifts = [];
  // The box of the newest turn is handed on: the turn before moves into another box, but stays in its place.
  const moved = (one) => one.sources.some(({ node }) => node && node.id !== "current");
  const seen = (list) => window.shifts.push(...list.getEntries().filter(moved).map((one) => one.value));
  window.watched = new PerformanceObserver(seen);
  watched.observe({ type: "layout-shift", buffered: false });
}"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1440", "390"])
def test_nothing_jumps_while_an_answer_is_written(server, open_page, size):
    page = open_page(server.url, size)
    page.wait_for_selector("#examples button")
    ask(page, "How high is the cost cap?")
    page.evaluate(SHIFTS)
    ask(page, "How many sets of tyres?")
    page.wait_for_selector("#cards .term", state="attached")
    # The browser's own measure of what moves without being scrolled; 0.1 counts as good.
    assert sum(page.evaluate("window.shifts")) < 0.02


def test_lines_are_readable_on_a_wide_screen(server, open_page):
    page = open_page(server.url, (2200, 1000))
    ask(page, "What is the speed limit in the pit lane?")
    assert page.locator("#current .answer").bounding_box()["width"] < 720
    assert page.locator("#cards .words").first.bounding_box()["width"] < 720


def _looked_at(page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVERFLOWING) == []
    assert serious(page) == []
