"""First start, a slow answer, a stopped one, a language model that is down, an error: as a person sees them."""

from __future__ import annotations

import pytest

from browser.served import ROOT, Server, ask, begin, serious


@pytest.fixture(scope="module")
def states(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("states")
    script = ROOT / "tests/browser/states_server.py"
    server = Server(folder, str(script), "PORT", TECHREG_DOCUMENTS=str(folder / "documents"))
    yield server
    server.stop()


@pytest.fixture
def ready(states, open_page):
    if not states.process.stdin.closed:
        states.process.stdin.write(b"go\n")
        states.process.stdin.flush()
    states.wait("ready")
    page = open_page(states.url)
    page.wait_for_selector("#examples button", state="attached")
    return page


def test_while_the_index_is_built_the_page_says_how_far_it_is(states, open_page):
    states.wait("indexing")
    page = open_page(states.url)
    page.wait_for_selector("#progress progress")
    assert "Indexing 300 of 600 clauses" in page.inner_text("#progress")
    assert "still being built" in ask(page, "mass")
    assert serious(page) == []
    states.process.stdin.write(b"go\n")
    states.process.stdin.flush()
    page.wait_for_selector("#progress[data-status=ready]", state="attached")
    page.wait_for_function("document.querySelectorAll('select[name=section] option').length > 1")
    assert "768kg" in ask(page, "mass")


def test_an_answer_streams_and_can_be_stopped(ready):
    begin(ready, "slow mass")
    ready.wait_for_function("document.querySelector('#current .pending')?.textContent.includes('The first words.')")
    assert ready.is_visible("#stop")
    assert ready.is_hidden("#send")
    ready.click("#stop")
    ready.wait_for_selector("#current .stopped")
    assert "The first words." in ready.inner_text("#current .stopped")
    assert ready.is_visible("#send")
    assert "768kg" in ask(ready, "mass")  # the next question does not wait for the stopped one
    assert "The first words." in ready.inner_text("#past")
    ready.reload()
    ready.wait_for_selector("#past .stopped")
    assert "The first words." in ready.inner_text("#past .stopped")


def test_amounts_and_marks_are_text(ready):
    text = ask(ready, "fine")
    assert "A fine may not exceed $215 million." in text
    assert "*seven* days <of the decision>" in ready.inner_text("#cards .words")
    assert ready.locator("#talk :is(em, math, .katex), #cards :is(em, math, .katex)").count() == 0


def test_a_language_model_that_is_down_is_told(ready):
    assert "768kg" in ask(ready, "mass when down")
    assert "The language model does not answer" in ready.inner_text("#current .banner")
    assert serious(ready) == []


def test_an_error_is_one_line_with_its_details_folded(ready):
    text = ask(ready, "break the mass")
    assert "did not answer in 5 s" in text
    assert ready.locator("#current .failed").count() == 1
    assert ready.locator("#current .refused").count() == 0
    assert ready.is_hidden("#current .failed code")
    assert serious(ready) == []


def test_an_error_that_nobody_expected_is_told_too(ready):
    assert "Something broke that should not" in ask(ready, "crash the mass")
    assert ready.is_hidden("#current .failed code")
    assert ready.is_visible("#send")


def test_a_page_that_is_gone_is_told_where_it_would_stand(ready):
    ask(ready, "fine")
    ready.click("#current .chip")
    ready.wait_for_selector("#page-error")
    assert "gone" in ready.inner_text("#page-error")
    ready.keyboard.press("Escape")
    assert ready.is_visible("#cards")
