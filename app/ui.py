"""The chat: what is on the page and what a question sets in motion; its looks are in ``render_html`` and ``static``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import gradio as gr
from anyio import to_thread

from app import render, render_html
from app.runtime import Runtime
from pipelines.errors import TechRegError
from pipelines.schema import Failure, Filters, Reply

if TYPE_CHECKING:
    from fastapi import FastAPI

STATIC = Path(__file__).parent / "static"
TITLE = "TechReg Analyst"
SOURCE = "https://github.com/techreg-analyst/techreg-analyst"
SECTIONS = [
    ("All sections", ""),
    ("A · General", "A"),
    ("B · Sporting", "B"),
    ("C · Technical", "C"),
    ("D · Financial, teams", "D"),
    ("E · Financial, power units", "E"),
    ("F · Operational", "F"),
]
# Answers are CPU work: more at once than cores only makes everyone wait longer, but one slow model call must not
# hold up a quick extractive answer.
ASK_AT_ONCE = 4
QUEUE_LENGTH = 64
Turns = list[render.Json]
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
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        mcp_server=False,
        enable_monitoring=False,
        pwa=False,
    )


def _head() -> str:
    """The page's style and behaviour. As ``css`` Gradio would rewrite every selector, so the style goes here too."""
    style, script = ((STATIC / name).read_text(encoding="utf-8") for name in ("app.css", "app.js"))
    return f"<style>{style}</style><script>{script}</script>"


def build(runtime: Runtime) -> gr.Blocks:
    """The page over ``runtime``."""

    def opened() -> str:
        return header(runtime)

    async def respond(question: str, section: str, turns: Turns) -> AsyncIterator[tuple[Any, ...]]:
        async for step in stepwise(stream(runtime, question, Filters(section=section), turns)):
            yield step

    with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True) as page:
        turns = gr.State([])
        top = _html("", "top")
        with gr.Row(elem_id="workspace"):
            with gr.Column(elem_id="chat", scale=6, min_width=320):
                past = _html("", "past")
                current = _html(_WELCOME, "current")
                with gr.Row(elem_id="composer"):
                    question = gr.Textbox(
                        label="Question",
                        placeholder="Ask, or name an article",
                        show_label=False,
                        container=False,
                        autofocus=True,
                        max_lines=4,
                        elem_id="question",
                        scale=6,
                    )
                    section = gr.Dropdown(
                        SECTIONS, value="", label="Section", show_label=False, container=False, elem_id="section"
                    )
                    send = gr.Button("Ask", variant="primary", elem_id="send", scale=0, min_width=72)
                    stop = gr.Button("Stop", elem_id="stop", scale=0, min_width=72)
            with gr.Column(elem_id="evidence", scale=5, min_width=320):
                cards = _html(render_html.evidence([]), "cards")
        _html(_FOOT, "foot")
        refresh = gr.Button("Refresh", elem_id="refresh")  # pressed by the page once indexing has ended

        for event in (page.load, refresh.click):
            event(opened, outputs=top, queue=False, show_progress="hidden", api_visibility="private")
        asked = gr.on(
            [question.submit, send.click],
            respond,
            inputs=[question, section, turns],
            outputs=[question, past, current, cards, turns],
            concurrency_limit=ASK_AT_ONCE,
            show_progress="hidden",
            trigger_mode="once",
            api_visibility="private",
        )
        stop.click(render_html.stopped, current, current, cancels=[asked], show_progress="hidden")
    return page.queue(max_size=QUEUE_LENGTH, default_concurrency_limit=ASK_AT_ONCE)


def _html(value: str, elem_id: str) -> gr.HTML:
    return gr.HTML(value, elem_id=elem_id, apply_default_css=False)


def stream(runtime: Runtime, question: str, filters: Filters, turns: Turns) -> Iterator[tuple[Any, ...]]:
    """One question: what stands in the box, the past, the current turn and the cards, and the turns, step by step.

    ``turns`` are the finished ones; the last yield holds them and the new one.
    """
    question = question.strip()
    if not question:
        yield gr.skip(), gr.skip(), gr.skip(), gr.skip(), turns
        return
    text = ""
    yield "", render_html.conversation(turns), render_html.turn(question, render_html.pending("")), gr.skip(), turns
    history = [one["question"] for one in turns]
    reply: Reply | None = None
    for piece in replies(runtime, question, filters, history):
        if isinstance(piece, str):
            text += piece
            body = render_html.pending(text)
            yield gr.skip(), gr.skip(), render_html.turn(question, body), gr.skip(), turns
        else:
            reply = piece
    assert reply is not None
    done: render.Json = {"question": question, "reply": render.reply(reply), "cards": render.evidence(reply)}
    body, cards = render_html.answer(done["reply"]), render_html.evidence(done["cards"])
    yield gr.skip(), gr.skip(), render_html.turn(question, body), cards, [*turns, done]


def replies(runtime: Runtime, question: str, filters: Filters, history: Sequence[str]) -> Iterator[str | Reply]:
    """The runtime's stream, with an expected error as the reply it ends in."""
    try:
        yield from runtime.stream(question, filters, history)
    except TechRegError as error:
        yield Failure(question, type(error).__name__, error.message, error.fix)


async def stepwise(steps: Iterator[T]) -> AsyncIterator[T]:
    """The steps, each taken in a thread. Stopping waits for none: the step under way is left to end by itself."""
    end = object()
    while (step := await to_thread.run_sync(next, steps, end, abandon_on_cancel=True)) is not end:
        yield cast("T", step)


def header(runtime: Runtime) -> str:
    """The top of the page: the name, what is indexed, and room for the progress of indexing."""
    health = runtime.health()
    return (
        f'<div class="brand"><h1>{TITLE}</h1><p>{render_html.DISCLAIMER}</p></div>'
        f'<div id="progress" data-status="{health["status"]}"></div>'
        + render_html.corpus(health["documents"], health["sample"], str(runtime.settings.documents))
    )


_WELCOME = (
    '<div class="welcome"><p>Ask about the Formula 1 regulations. You get the clause itself: its article, its page and '
    "its words in force, or a plain no where the regulations say nothing.</p></div>"
)
_FOOT = (
    f'<p class="foot">{render_html.DISCLAIMER} Answers are made on this machine; nothing leaves it. '
    f'<a href="{SOURCE}" rel="noopener">Source code</a> (AGPL-3.0).</p>'
)
