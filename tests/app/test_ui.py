"""What a question sets in motion in the chat, and the page around it; the browser's part is tested elsewhere."""

from __future__ import annotations

import asyncio
import json
import threading

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.lock import new_lock
from app.runtime import Runtime
from pipelines.schema import Filters

ui = pytest.importorskip("app.ui", reason="gradio is not installed")


@pytest.fixture
def runtime(settings, backend, tmp_path):
    runtime = Runtime(settings, backend, sample=tmp_path / "no-sample")
    runtime.start()
    assert runtime.wait(10)
    return runtime


def ask(runtime, question, turns=(), section=""):
    steps = list(ui.stream(runtime, question, Filters(section=section), list(turns)))
    return steps, steps[-1]


def test_an_answer_comes_step_by_step(runtime):
    steps, (_, _, current, _, turns) = ask(runtime, "fine")
    assert steps[0][0] == ""  # the box is cleared at once
    assert "Searching the regulations" in steps[0][2]
    assert "The first words." in steps[1][2]
    assert "A fine may not exceed $215 million." in current
    assert 'data-clause="b-1-6-3"' in current
    assert '<article class="card paged" data-clause="b-1-6-3"' in current
    assert [turn["question"] for turn in turns] == ["fine"]


def test_an_error_that_nobody_expected_ends_the_turn_and_is_logged(runtime, caplog):
    _, (_, _, current, _, turns) = ask(runtime, "crash")
    assert 'class="answer failed"' in current
    assert "Something broke that should not" in current
    assert turns[-1]["reply"]["error"]["type"] == "ValueError"
    assert "no answer to 'crash'" in caplog.text


def test_turns_are_plain_data(runtime):
    _, (*_, turns) = ask(runtime, "fine")
    assert json.loads(json.dumps(turns)) == turns


def test_earlier_questions_are_handed_on_and_stay_on_the_page(runtime, backend):
    _, (*_, turns) = ask(runtime, "fine")
    steps, (*_, turns) = ask(runtime, "and points?", turns)
    assert backend.asked[-1][2] == ("fine",)
    assert '<h2 class="question">fine</h2>' in steps[0][1]
    assert len(turns) == 2


def test_the_section_limits_the_search(runtime, backend):
    ask(runtime, "mass", section="C")
    assert backend.asked[-1][1] == Filters(section="C")


def test_a_refusal_has_no_cards(runtime):
    _, (_, _, current, _, _) = ask(runtime, "zebra")
    assert "say nothing of zebra" in current
    assert 'class="card' not in current


def test_from_the_first_step_on_a_reload_keeps_the_question(runtime):
    steps, _ = ask(runtime, "fine")
    assert steps[0][-1] == [{"question": "fine", "reply": None}]
    assert "Stopped." in ui.render_html.conversation(ui.restored(steps[0][-1]))


def test_stopping_keeps_what_was_written(runtime):
    steps, _ = ask(runtime, "fine")
    current, turns = ui.stopped(steps[1][3], steps[0][-1])
    assert "The first words." in current
    assert turns == [{"question": "fine", "reply": None, "text": "The first words. "}]


@pytest.mark.parametrize(
    "kept",
    [None, "x", {}, [None], [{}], [{"question": 1}], [{"question": "q", "reply": {}}], [{"question": "q", "reply": 3}],
     [{"question": "q", "reply": {"outcome": "answered"}, "cards": [{}]}]],
)  # fmt: skip
def test_a_conversation_of_another_shape_is_left_out(kept):
    assert ui.restored(kept) == []


def test_a_conversation_is_restored_and_limited(runtime):
    _, (*_, turns) = ask(runtime, "fine")
    assert ui.restored(json.loads(json.dumps(turns * 40))) == turns * ui.KEPT_TURNS


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ({"section": "B", "issue": "05", "status": "all", "x": "y"}, Filters("B", "05", "all")),
        ({"section": "", "status": ""}, Filters()),
        ("nonsense", Filters()),
        (None, Filters()),
    ],
)
def test_filters_are_taken_as_the_page_sends_them(chosen, wanted):
    assert ui.filters(chosen) == wanted


def test_a_failure_is_shown_and_remembered_as_one(runtime):
    _, (_, _, current, _, turns) = ask(runtime, "break")
    assert 'role="alert"' in current
    assert turns[0]["reply"]["outcome"] == "failed"


def test_before_anything_is_indexed_the_chat_says_how_far_it_is(settings, empty_backend, tmp_path):
    settings.documents.mkdir()
    (settings.documents / "b.pdf").touch()
    empty_backend.ingest_may_end.clear()
    runtime = Runtime(settings, empty_backend, sample=tmp_path)
    runtime.start()
    while runtime.health()["indexing"] is None:
        pass
    _, (_, _, current, _, _) = ask(runtime, "mass")
    empty_backend.ingest_may_end.set()
    assert "The index is still being built" in current
    assert "Ask again in a moment" in current
    assert runtime.wait(10)


def test_an_empty_question_does_nothing(runtime, backend):
    before = len(backend.asked)
    steps, (*_, turns) = ask(runtime, "   ")
    assert (len(steps), turns, len(backend.asked)) == (1, [], before)


def test_two_conversations_never_mix(runtime):
    one, two = ui.stream(runtime, "fine", Filters(), []), ui.stream(runtime, "mass of", Filters(section="C"), [])
    last = {}
    for step_one, step_two in zip(one, two, strict=True):
        last["one"], last["two"] = step_one, step_two
    assert [turn["question"] for turn in last["one"][-1]] == ["fine"]
    assert [turn["question"] for turn in last["two"][-1]] == ["mass of"]
    assert "768kg" in last["two"][2]
    assert "768kg" not in last["one"][2]


def test_stopping_waits_for_no_step():
    may_end, ended = threading.Event(), threading.Event()

    def steps():
        try:
            yield 1
            may_end.wait(10)
            yield 2
        finally:
            ended.set()

    async def stopped():
        seen = []

        async def read():
            async for step in ui.stepwise(steps()):
                seen.append(step)

        reading = asyncio.create_task(read())
        while not seen:
            await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading], timeout=5)
        assert reading.cancelled()
        assert not ended.is_set()
        may_end.set()
        return seen

    assert asyncio.run(stopped()) == [1]
    assert ended.wait(5)  # the generator is closed once its step has ended: a model call does not go on


def test_the_header_says_what_is_indexed(runtime):
    top = ui.header(runtime)
    assert "<b>B Sporting</b> issue 05, 2026-02-27" in top
    assert 'data-status="ready"' in top


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page as a browser gets it, over a backend that is never asked."""
    from app.server import create_app
    from pipelines.settings import Settings

    folder = tmp_path_factory.mktemp("ui")
    settings = Settings(storage=folder, documents=folder / "none", _env_file=None)
    runtime = Runtime(settings, backend=_Silent(), sample=folder / "none")
    app: FastAPI = create_app(runtime, new_lock("127.0.0.1", 1))

    async def mount() -> None:  # outside of a running loop Gradio makes loops of its own and never closes them
        ui.mount(app, runtime)

    asyncio.run(mount())
    with TestClient(app) as client:
        yield client


class _Silent:
    def documents(self):
        return []

    def close(self):
        pass


def test_health_is_not_hidden_by_the_chat(page):
    assert page.get("/api/health").json()["app"] == "techreg"


def test_analytics_are_off_and_the_queue_is_set_on_purpose(page):
    config = page.get("/config").json()
    assert config["analytics_enabled"] is False
    assert {one["queue"] for one in config["dependencies"]} <= {True, False}
    assert config["title"] == "TechReg Analyst"


def test_the_page_names_the_licence_and_its_source(page):
    html = page.get("/").text
    assert "AGPL-3.0" in html
    assert ui.SOURCE in html


def test_the_page_loads_nothing_from_elsewhere(page):
    html = page.get("/").text
    loaded = [
        part.split('"')[0] for name in ('src="', '<link rel="stylesheet" href="') for part in html.split(name)[1:]
    ]
    assert loaded
    assert [one for one in loaded if httpx.URL(one).host not in ("", "testserver")] == []
