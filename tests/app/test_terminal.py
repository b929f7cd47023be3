"""What a person sees in a terminal: as wide as the window, tables whole, progress on one line."""

from __future__ import annotations

import io

import pytest

from app import render, terminal
from pipelines.report import Progress
from pipelines.schema import Citation


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def answered(**changes) -> dict:
    cited = Citation("x", "B2.2", "", "B", "05", "2026-02-27", 20, "Points are awarded as follows", True)
    shaped = {
        "answer": "Points are awarded as follows to the cars that are classified at the end of the race.\n| 1st | 25 |",
        "citations": [render.citation(cited)],
        "warnings": [],
        "outcome": "answered",
    }
    return shaped | changes


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_text_fits_the_window(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = terminal.reply(answered(warnings=["words " * 30])).splitlines()
    assert max(len(line) for line in lines if not line.startswith("[")) <= columns
    assert "| 1st | 25 |" in lines


def test_a_wide_window_is_not_filled(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    assert terminal.width() == terminal.WIDEST


def test_a_quote_that_was_not_found_is_said_to_be_one():
    shaped = answered()
    shaped["citations"][0]["verified"] = False
    assert "not found word for word on that page" in terminal.reply(shaped)


def test_nothing_is_coloured_where_there_is_no_terminal():
    assert "\x1b" not in terminal.reply(answered())


def test_a_long_clause_is_cut_with_an_ellipsis():
    assert terminal._block("word " * 200, lines=3).splitlines()[-1] == "…"


def test_a_failed_line_of_a_batch_is_told():
    shaped = render.search_error("7", "", {"type": "UsageError", "message": "line 2 has no question", "fix": ""})
    assert terminal.search(shaped) == "7\n  line 2 has no question\n\n"


def test_an_ingest_report_names_what_failed():
    report = {
        "documents": [
            {"state": "failed", "file": "x.pdf", "section": "", "issue": "", "error": "the file is empty",
             "warnings": ["odd"], "pages": 0, "clauses": 0, "seconds": 0.1},
        ],
        "totals": {"documents": 1, "pages": 0, "clauses": 0, "nodes": 0, "struck_characters": 0, "seconds": 0.1},
    }  # fmt: skip
    lines = terminal.ingest(report).splitlines()
    assert lines[0] == "failed     x.pdf: the file is empty"
    assert lines[1].strip() == "warning: odd"


class TestProgress:
    def test_a_terminal_gets_one_line_that_is_written_over(self):
        out = Tty()
        meter = terminal.ProgressMeter(out)
        meter.show(Progress("index", "b.pdf", 96, 96, 300, 600))
        meter.close()
        # 300 of 600 clauses: half of the bar's 24 places
        assert "█" * 12 + "░" * 12 + " 96 of 96 pages, 300 of 600 clauses  b.pdf" in out.getvalue()
        assert "\n" not in out.getvalue()
        assert out.getvalue().endswith("\r\x1b[K")

    def test_an_unknown_total_is_no_division(self):
        out = Tty()
        terminal.ProgressMeter(out).show(Progress("read", "b.pdf", 12, 0, 40, 0))
        assert "12 pages, 40 clauses" in out.getvalue()

    def test_elsewhere_each_file_is_a_line(self):
        out = io.StringIO()
        meter = terminal.ProgressMeter(out)
        for pages in (1, 2):
            meter.show(Progress("read", "b.pdf", pages, 0, 0, 0))
        meter.show(Progress("done", "", 2, 2, 9, 9))
        meter.close()
        assert out.getvalue() == "read b.pdf\n"

    def test_a_counter_is_silent_where_there_is_no_terminal(self):
        out = io.StringIO()
        count = terminal.Counter(out, "questions")
        count(1, 2)
        count.close()
        assert out.getvalue() == ""
