"""A conversation as Markdown reads as it was written."""

from __future__ import annotations

from markdown_it import MarkdownIt

from app import export, render
from pipelines.schema import Failure, Refusal, Understood

ANSWER = {
    "outcome": "answered",
    "answer": "At most $215 million *in all*. [B1.6.3]\n| P | Pts |\n| --- | --- |\n| 1st | 25 |",
    "error": None,
    "citations": [{"article": "B1.6.3", "term": "", "section": "B", "issue": "05", "page": 12, "quote": "At most <x>"}],
}  # fmt: skip


def test_an_answer_is_copied_with_its_citations():
    assert export.plain(ANSWER).endswith("| 1st | 25 |\n\nB1.6.3, Section B, issue 05, page 12: “At most <x>”")
    assert export.plain(render.reply(Failure("q", "E", "m", "f"))) == ""


def test_the_conversation_reads_as_it_was_written():
    refused = render.reply(Refusal("q", "Nothing on _it_.", Understood("q"), 0.1))
    failed = render.reply(Failure("q", "E", "it broke", "f"))
    turns = [
        {"question": "How *much*?\n# now", "reply": ANSWER},
        {"question": "two", "reply": refused},
        {"question": "three", "reply": failed},
        {"question": "four", "reply": None, "text": "As far as"},
    ]
    html = MarkdownIt().enable("table").render(export.markdown(turns))
    assert "<h2>How *much*? # now</h2>" in html
    assert "At most $215 million *in all*. [B1.6.3]" in html
    assert "<td>1st</td>" in html
    assert "<p>At most &lt;x&gt;</p>" in html
    assert "B1.6.3, Section B, issue 05, page 12" in html
    assert "Nothing on _it_." in html
    assert "<em>it broke</em>" in html
    assert "<p>As far as</p>" in html
