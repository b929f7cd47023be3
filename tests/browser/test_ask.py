"""From a question to its proof, in a real browser over the sample regulation."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from over_http import asked

from browser.served import ask, begin

PIT_LANE = "What is the speed limit in the pit lane?"


def test_from_a_question_to_the_lit_lines_of_the_page(page, server):
    assert "65km/h" in ask(page, PIT_LANE)
    assert "ms" in page.inner_text("#current .timing")
    card = page.locator("#cards .card").first
    assert card.locator(".id").inner_text() == "B1.3.1"
    assert "65km/h" in card.locator("mark").first.inner_text()
    assert "changed in this issue" in card.inner_text()
    assert "B1.3 Pit Lane" in card.inner_text()
    assert "issue 02" in card.inner_text()

    page.click("#current .chip")
    page.wait_for_selector("#page-marks .strong")
    page.wait_for_function("document.querySelector('#page-image').naturalWidth > 500")
    assert page.inner_text("#page-name") == "B1.3.1"
    assert page.inner_text("#page-number") == "2 / 6"
    # The lit line is where the page has its words: in the lower half, within the paper.
    mark, paper = (page.locator(one).first.bounding_box() for one in ("#page-marks .strong", "#paper"))
    assert paper["x"] < mark["x"] < mark["x"] + mark["width"] < paper["x"] + paper["width"]
    assert 0.4 < (mark["y"] - paper["y"]) / paper["height"] < 0.8

    page.click("#zoom-in")
    assert page.inner_text("#zoom-told") == "115%"
    page.click("#page-after")
    assert page.inner_text("#page-number") == "3 / 6"
    assert page.locator("#page-marks i").count() == 0
    address = page.get_attribute("#open-pdf", "href")
    assert address.endswith(".pdf#page=3")
    got = httpx.get(f"{server.url}/{address}", trust_env=False)
    assert got.headers["content-type"] == "application/pdf"
    assert got.content.startswith(b"%PDF")

    page.keyboard.press("Escape")
    assert page.is_visible("#view-evidence")
    assert page.is_hidden("#view-page")


def test_the_proof_is_at_hand_before_anything_is_pressed(page):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    with page.expect_response("**/api/page/*/2.png"):
        ask(page, PIT_LANE)
    page.hover("#current .chip")
    told = page.inner_text("#hint")
    assert told.startswith("Section B · issue 02")
    assert "The speed limit in the Pit Lane is 65km/h" in told
    page.click("#current .chip")
    page.wait_for_selector("#page-marks .strong")
    assert page.is_hidden("#hint")
    assert len([url for url in fetched if "/api/marks" in url]) == 1  # not asked for again


def test_a_clause_is_copied_with_where_it_stands(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, PIT_LANE)
    page.locator("#cards .take").first.click()
    page.wait_for_function("document.querySelector('#cards .take').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("B1.3.1, Section B, issue 02, ")
    assert "page 2\nThe speed limit in the Pit Lane is 65km/h" in copied
    assert page.is_hidden("#view-page")


def test_the_section_filter_limits_the_answer(page):
    page.select_option("select[name=section]", "C")
    ask(page, "What limit applies to the speed in the pit lane and the mass of the car?")
    sections = page.eval_on_selector_all("#cards .card", "cards => cards.map(card => card.dataset.section)")
    assert set(sections) <= {"C"}
    page.select_option("select[name=section]", "B")
    assert "65km/h" in ask(page, PIT_LANE)


def test_a_refusal_names_headings_that_open_in_browse(page):
    text = ask(page, "Who won the Formula Sample title last year?")
    assert page.locator("#current .answer.refused").count() == 1
    assert "Who won the Formula Sample title last year?" in text
    assert page.locator("#cards .card").count() == 0
    page.locator("#current .find").first.click()
    page.wait_for_selector("#found .found")
    assert page.get_attribute("#tab-browse", "aria-selected") == "true"


def test_a_follow_up_is_understood_and_earlier_chips_still_open_their_page(page):
    ask(page, PIT_LANE)
    ask(page, "And who may lower it?")
    assert page.locator(".turn").count() == 2
    assert "B1.3.1" in page.inner_text("#current .answer")
    ask(page, "What is the minimum mass of the car?")
    page.locator("#past .turn").first.locator(".chip").first.click()
    page.wait_for_selector("#page-marks .strong")
    assert page.inner_text("#page-name") == "B1.3.1"
    page.keyboard.press("Escape")
    assert PIT_LANE in page.inner_text("#cards-of")


def test_two_browsers_never_mix(server, open_page):
    one, two = open_page(server.url), open_page(server.url)
    begin(one, PIT_LANE)
    begin(two, "What is the minimum mass of the car?")
    for page, own, foreign in ((one, "65km/h", "742kg"), (two, "742kg", "65km/h")):
        page.wait_for_selector("#current .turn-foot")
        assert own in page.inner_text("#talk")
        assert foreign not in page.inner_text("body")
        assert page.locator(".turn").count() == 1


def test_ten_people_at_once_each_get_their_own_answer(server):
    wanted = {
        PIT_LANE: ("B", "B1.3.1"),
        "What is the minimum mass of the car?": ("C", "C2.1.1"),
        "How many wind tunnel runs does a team have?": ("F", "F3.1.1"),
        "How many penalty points lead to a ban?": ("A", "A3.2.2"),
        "Is refuelling allowed in the pit lane?": ("B", "B1.3.4"),
    }
    people = [
        (question, *wanted[question], f"person{number}-{at}")
        for number in range(2)
        for at, question in enumerate(wanted)
    ]
    with ThreadPoolExecutor(len(people)) as pool:
        turns = list(pool.map(lambda one: asked(server.url, one[0], one[1], one[3]), people))
    for (question, _, article, _), turn in zip(people, turns, strict=True):
        assert turn["question"] == question
        assert article in {one["article"] for one in turn["reply"]["citations"]}


def test_a_reload_and_a_restart_keep_the_conversation(page, server):
    ask(page, PIT_LANE)
    ask(page, "What is the minimum mass of the car?")
    for again in (lambda: None, server.restart):
        again()
        page.reload()
        page.wait_for_selector("#current .turn-foot")
        assert page.eval_on_selector_all(".question", "all => all.map(one => one.textContent)") == [
            PIT_LANE,
            "What is the minimum mass of the car?",
        ]
        assert page.locator("#cards .card").count() > 0
    page.locator("#past .chip").first.click()
    page.wait_for_selector("#page-marks .strong")
    page.keyboard.press("Escape")
    page.click("[data-do=fresh]")
    page.wait_for_selector("#welcome", state="visible")
    page.reload()
    page.wait_for_selector("#examples button", state="visible")
    assert page.locator(".turn").count() == 0


def test_a_question_in_the_address_is_asked_once(server, open_page):
    page = open_page(f"{server.url}/?q=What%20is%20the%20speed%20limit%20in%20the%20pit%20lane%3F")
    page.wait_for_selector("#current .turn-foot")
    assert page.inner_text("#current .question") == PIT_LANE
    assert "?q=" not in page.url
    page.reload()
    page.wait_for_selector("#current .turn-foot")
    assert page.locator(".turn").count() == 1


def test_an_answer_goes_with_its_citations(page, server):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, PIT_LANE)
    page.click("#current [data-do=copy]")
    page.wait_for_function("document.querySelector('#current [data-do=copy]').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "B1.3.1, Section B, issue 02, page 2: “The speed limit in the Pit Lane is 65km/h" in copied
    with page.expect_download() as loading:
        page.click("[data-do=export]")
    text = loading.value.path().read_text(encoding="utf-8")
    assert f"## {PIT_LANE}" in text
    assert "> B1.3.1, Section B, issue 02, page 2" in text

    with page.expect_response("**/api/feedback"):
        page.click("#current .thumb.helpful")
    page.wait_for_selector("#current .thumb.helpful[aria-pressed=true]")
    logged = [json.loads(line) for line in (server.folder / "questions.jsonl").read_text().splitlines()]
    assert {"event": "feedback", "question": PIT_LANE, "helpful": True}.items() <= logged[-1].items()


def test_retry_answers_the_last_question_anew(page):
    ask(page, PIT_LANE)
    page.evaluate("document.querySelector('#current .turn').dataset.old = 1")
    page.click("#current [data-do=retry]")
    page.wait_for_selector("#current .answer:not(.pending)")
    page.wait_for_selector("#current .turn:not([data-old]) .turn-foot")
    assert page.locator(".turn").count() == 1
    assert "65km/h" in page.inner_text("#current .answer")


def test_the_keyboard_alone(page):
    page.locator("body").click(position={"x": 700, "y": 10})
    page.keyboard.press("/")
    page.keyboard.type("How do D4.1.1 and E4.1.1 differ in the size of a Minor Overspend Breach?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#current .turn-foot")
    page.wait_for_selector("#cards .card >> nth=1")
    first, second = (page.locator("#cards .id").nth(number).inner_text() for number in (0, 1))
    page.keyboard.press("Escape")  # out of the box
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#cards .card.current .id").inner_text() == second
    page.keyboard.press("ArrowLeft")
    assert page.locator("#cards .card.current .id").inner_text() == first
    page.locator("#cards .card.current .to-page").press("Enter")
    page.wait_for_selector("#page-marks .strong")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("name => document.querySelector('#page-name').textContent === name", arg=second)
    before = int(page.inner_text("#page-number").split(" / ")[0])
    page.keyboard.press("PageUp")
    assert int(page.inner_text("#page-number").split(" / ")[0]) == before - 1
    page.keyboard.press("Escape")
    assert page.is_visible("#cards")


def test_browsing_finds_articles_and_words_and_explains_terms(page):
    page.click("#tab-browse")
    page.click("#tree .document:nth-child(2) > summary")
    page.click("#tree summary:has(b:text-is('B1'))")
    page.click("#tree summary:has(b:text-is('B1.3'))")
    assert "The speed limit in the Pit Lane" in page.inner_text("#tree .leaf:has(b:text-is('B1.3.1'))")

    page.fill("#find", "b1.3")
    page.wait_for_selector("#found .found")
    assert page.locator("#found .found b").first.inner_text() == "B1.3.1"
    page.fill("#find", "refuelling")
    page.wait_for_function("document.querySelector('#found .found b')?.textContent === 'B1.3.4'")
    assert page.locator("#found mark").first.inner_text().lower() == "refuelling"
    page.fill("#find", "zeppelin")
    page.wait_for_function("document.querySelector('#found-told').textContent.includes('zeppelin')")

    page.fill("#find", "B1.3.1")
    page.wait_for_function("document.querySelector('#found .found b')?.textContent === 'B1.3.1'")
    page.locator("#found .found").first.click()
    page.wait_for_selector("#clause .term")
    page.locator("#clause .term", has_text="Pit Lane").hover()
    assert "the road beside the garages" in page.inner_text("#hint")
    page.locator("#clause .ref", has_text="B1.1.2").click()
    page.wait_for_function("document.querySelector('#clause-name').textContent === 'B1.1.2'")
    page.locator("#clause .to-page").click()
    page.wait_for_selector("#page-marks i")
    page.keyboard.press("Escape")
    assert page.is_visible("#view-clause")
    page.keyboard.press("Escape")
    assert page.is_visible("#view-browse")


@pytest.mark.parametrize("number", [0, 99])
def test_only_pages_and_documents_that_are_indexed_are_served(server, number):
    documents = httpx.get(f"{server.url}/api/start", trust_env=False).json()["documents"]
    sha256 = documents[0]["sha256"]
    assert httpx.get(f"{server.url}/api/page/{sha256}/{number}.png", trust_env=False).status_code == 404
    assert httpx.get(f"{server.url}/api/page/{'0' * 64}/1.png", trust_env=False).status_code == 404
    assert httpx.get(f"{server.url}/api/document/{'0' * 64}.pdf", trust_env=False).status_code == 404
    got = httpx.get(f"{server.url}/api/page/{sha256}/1.png", trust_env=False)
    assert got.content.startswith(b"\x89PNG")
    assert "immutable" in got.headers["cache-control"]
