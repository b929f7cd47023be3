"""The chat: what is on the page and what a question sets in motion.

Its looks are in ``render_html`` and ``static``; the pane beside it lives in the browser and asks ``pane``.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import gradio as gr
from anyio import to_thread

from app import export, render, render_html
from app.runtime import Runtime
from pipelines.errors import TechRegError
from pipelines.schema import Failure, Filters, Reply

if TYPE_CHECKING:
    from fastapi import FastAPI

STATIC = Path(__file__).parent / "static"
TITLE = "TechReg Analyst"
SOURCE = "https://github.com/techreg-analyst/techreg-analyst"
# Answers are CPU work: more at once than cores only makes everyone wait longer, but one slow model call must not
# hold up a quick extractive answer.
ASK_AT_ONCE = 4
QUEUE_LENGTH = 64
KEPT_TURNS = 30  # of a conversation: what a browser stores for one address is limited to some 5 MB
# Names the conversation in the browser's own storage, and scrambles it there: it is no secret and must stay the same,
# or a conversation would not outlive a restart of the server.
STORAGE_KEY = "techreg-conversation-1"
SCRAMBLE = "techreg-analyst"
NO_FILTERS = {"section": "", "issue": "", "status": "in_force"}
Turns = list[render.Json]
log = logging.getLogger("techreg.ui")
DOCTOR = "Run: techreg doctor"
T = TypeVar("T")


def mount(app: FastAPI, runtime: Runtime) -> None:
    """Put the chat at the root of ``app``."""
    gr.mount_gradio_app(
        app,
        build(runtime),
        path="/",
        theme=gr.themes.Base(
            primary_hue="neutral", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
        ),
        head=_head(),
        favicon_path=str(STATIC / "icon.svg"),
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        pwa=False,
    )


def _head() -> str:
    """The page's style and behaviour. As ``css`` Gradio would rewrite every selector, so the style stands here."""
    style = (STATIC / "app.css").read_text(encoding="utf-8")
    return f'<style>{style}</style><script type="module" src="look/main.js"></script>'


def build(runtime: Runtime) -> gr.Blocks:
    """The page over ``runtime``."""

    def opened(turns: Any) -> tuple[Any, ...]:
        kept = restored(turns)
        return header(runtime), render_html.conversation(kept[:-1]), render_html.conversation(kept[-1:]), kept

    async def respond(question: str, chosen: Any, turns: Any) -> AsyncIterator[tuple[Any, ...]]:
        async for step in stepwise(stream(runtime, question, filters(chosen), restored(turns))):
            yield step

    async def again(chosen: Any, turns: Any) -> AsyncIterator[tuple[Any, ...]]:
        kept = restored(turns)
        if kept:
            async for step in stepwise(stream(runtime, kept[-1]["question"], filters(chosen), kept[:-1])):
                yield step

    with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True) as page:
        turns = gr.BrowserState([], storage_key=STORAGE_KEY, secret=SCRAMBLE)
        written = gr.State("")
        top = _html("", "top")
        with gr.Row(elem_id="workspace"):
            with gr.Column(elem_id="chat", scale=6, min_width=320):
                with gr.Column(elem_id="talk"):
                    past = _html("", "past")
                    current = _html("", "current")
                    _html(_part("welcome.html"), "welcome")
                with gr.Column(elem_id="composer"):
                    with gr.Row(elem_id="ask"):
                        question = gr.Textbox(
                            label="Question",
                            placeholder="Ask, or name an article",
                            show_label=False,
                            container=False,
                            autofocus=True,
                            max_lines=5,
                            elem_id="question",
                            scale=6,
                        )
                        send = gr.Button("Ask", variant="primary", elem_id="send", scale=0, min_width=72)
                        stop = gr.Button("Stop", elem_id="stop", scale=0, min_width=72)
                    chosen = gr.HTML(
                        NO_FILTERS,
                        html_template=_part("filters.html"),
                        js_on_load=_part("filters.js"),
                        elem_id="filters",
                        apply_default_css=False,
                    )
                    _html(_FOOT, "foot")
            with gr.Column(elem_id="side", scale=5, min_width=320):
                _html(_part("pane.html"), "pane")
        with gr.Row(elem_id="unseen"):  # pressed by the page's script
            refresh = gr.Button("Refresh", elem_id="refresh")
            retry = gr.Button("Retry", elem_id="retry")
            fresh = gr.Button("New conversation", elem_id="fresh")
            take = gr.Button("Export", elem_id="take")
            taken = gr.Textbox(label="Export", elem_id="taken")

        restoring: render.Json = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
        page.load(opened, turns, [top, past, current, turns], **restoring)
        refresh.click(lambda: header(runtime), outputs=top, **restoring)
        asking: render.Json = {
            "outputs": [question, past, current, written, turns],
            "concurrency_limit": ASK_AT_ONCE,
            "concurrency_id": "ask",
            "show_progress": "hidden",
            "trigger_mode": "once",
            "api_visibility": "private",
        }
        asked = gr.on([question.submit, send.click], respond, inputs=[question, chosen, turns], **asking)
        retried = retry.click(again, inputs=[chosen, turns], **asking)
        stop.click(stopped, [written, turns], [current, turns], cancels=[asked, retried], **restoring)
        fresh.click(lambda: ("", "", []), outputs=[past, current, turns], cancels=[asked, retried], **restoring)
        take.click(lambda kept: export.markdown(restored(kept)), turns, taken, **restoring).then(
            None, taken, None, js="(text) => window.techreg.save(text)"
        )
    return page.queue(max_size=QUEUE_LENGTH, default_concurrency_limit=ASK_AT_ONCE)


def filters(chosen: Any) -> Filters:
    """The filters as the page sends them; what it does not know is left out."""
    if not isinstance(chosen, Mapping):
        return Filters()
    return Filters(**{name: str(chosen[name]) for name in NO_FILTERS if chosen.get(name)})


def restored(turns: Any) -> Turns:
    """The conversation as a browser kept it; turns of an older shape, or of nobody's making, are left out."""
    if not isinstance(turns, list):
        return []
    return [one for one in turns if _is_turn(one)][-KEPT_TURNS:]


def _is_turn(one: Any) -> bool:
    try:
        return isinstance(one["question"], str) and bool(render_html.body(one))
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        return False


def stream(runtime: Runtime, question: str, wanted: Filters, turns: Turns) -> Iterator[tuple[Any, ...]]:
    """One question: what stands in the box, the past, the current turn, its text so far, and the turns, step by step.

    ``turns`` are the earlier ones. From the first step on the new one is among them, so that a reload keeps it.
    """
    question = question.strip()
    if not question:
        yield gr.skip(), gr.skip(), gr.skip(), gr.skip(), turns
        return
    text = ""
    earlier = render_html.conversation(turns)
    begun: Turns = [*turns, {"question": question, "reply": None}]
    yield "", earlier, render_html.turn(question, render_html.pending("")), "", begun
    history = [one["question"] for one in turns]
    reply: Reply | None = None
    for piece in replies(runtime, question, wanted, history):
        if isinstance(piece, str):
            text += piece
            yield gr.skip(), gr.skip(), render_html.turn(question, render_html.pending(text)), text, gr.skip()
        else:
            reply = piece
    assert reply is not None
    done: render.Json = {"question": question, "reply": render.reply(reply), "cards": render.evidence(reply)}
    yield gr.skip(), gr.skip(), render_html.turn(question, render_html.body(done)), "", [*turns, done]


def stopped(written: str, turns: Any) -> tuple[str, Turns]:
    """The turn that was being written, with what there is of it."""
    kept = restored(turns)
    if not kept or kept[-1]["reply"] is not None:
        return gr.skip(), kept
    last = kept[-1] | {"text": written}
    return render_html.turn(last["question"], render_html.body(last)), [*kept[:-1], last]


def replies(runtime: Runtime, question: str, wanted: Filters, history: Sequence[str]) -> Iterator[str | Reply]:
    """The runtime's stream, with an error as the reply it ends in; one that nobody expected is logged as well."""
    try:
        yield from runtime.stream(question, wanted, history)
    except TechRegError as error:
        yield Failure(question, type(error).__name__, error.message, error.fix)
    except Exception as error:
        log.exception("no answer to %r", question)
        yield Failure(
            question, type(error).__name__, f"something broke that should not: {error}", "Run: techreg doctor"
        )


async def stepwise(steps: Iterator[T]) -> AsyncIterator[T]:
    """The steps, each taken in a thread. Stopping waits for none: the step under way is left to end by itself."""
    end = object()
    while (step := await to_thread.run_sync(next, steps, end, abandon_on_cancel=True)) is not end:
        yield cast("T", step)


def header(runtime: Runtime) -> str:
    """The top of the page: the name, what is indexed, and room for the progress of indexing."""
    health = runtime.health()
    indexed, notice = render_html.corpus(health["documents"], health["sample"], runtime.advice)
    return (
        f'<header class="bar"><h1>{TITLE}</h1>{indexed}<nav class="menu" aria-label="Conversation">'
        '<button type="button" data-do="fresh">New</button><button type="button" data-do="export">Export</button>'
        '<button type="button" data-do="browse" class="narrow">Browse</button></nav></header>'
        f'<div id="progress" role="status" data-status="{health["status"]}"></div>{notice}'
    )


def _html(value: str, elem_id: str) -> gr.HTML:
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False, js_on_load=None)


def _part(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


_FOOT = (
    f'<p class="foot">{render_html.DISCLAIMER} '
    f'<a href="{SOURCE}" rel="noopener" target="_blank">Source</a> (AGPL-3.0)</p>'
)
