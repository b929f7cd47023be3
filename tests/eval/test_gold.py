from __future__ import annotations

from pathlib import Path

import pytest
from eval_corpus import clause, passage, write_jsonl

from eval.gold import GoldQuestion, Span, read_gold
from pipelines.errors import UsageError


def test_a_span_is_met_by_any_line_of_it() -> None:
    span = Span("guide.rst", 10, 20)
    assert span.meets("docs/guide.rst", (20, 40))  # line 20 is in both
    assert span.meets("guide.rst", (1, 10))
    assert not span.meets("guide.rst", (21, 40))
    assert not span.meets("other.rst", (10, 20))


def test_a_passage_answers_the_spans_it_overlaps() -> None:
    question = GoldQuestion("1", "?", evidence=(Span("a.rst", 1, 5), Span("a.rst", 9, 12), Span("b.rst", 1, 99)))
    assert question.answered_by(passage("a.rst", 5, 9)) == {"a.rst:1-5", "a.rst:9-12"}
    assert question.answered_by(passage("a.rst", 6, 8)) == frozenset()
    assert question.answered_by(clause("B1.1")) == frozenset()  # a regulation has no lines


def test_articles_by_id_by_relation_and_in_an_appendix() -> None:
    question = GoldQuestion("1", "?", ("B1.2", "APP C1"), must_include=("80 km/h",))
    assert question.answered_by(clause("B1.2")) == {"B1.2"}
    assert question.answered_by(clause("B1.2.1", "at 80km/h")) == {"B1.2"}
    assert question.answered_by(clause("B1.2.1", "at 60km/h")) == frozenset()
    assert question.answered_by(clause("B1.20", "at 80km/h")) == frozenset()
    assert question.answered_by(clause("APP C1", "at 80km/h")) == {"APP C1"}
    assert question.answered_by(clause("APP C1", "another term")) == frozenset()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "1", "question": "?"}, "either articles or evidence"),
        ({"id": "1", "question": "?", "articles": ["A1"], "evidence": [{"file": "a", "lines": [1, 2]}]}, "either"),
        ({"id": "1", "question": "?", "evidence": [{"file": "a.rst", "lines": [3]}]}, "lines: [first, last]"),
        ({"id": "1", "question": "?", "evidence": [{"file": "a.rst", "lines": [3, 2]}]}, "no span"),
        ({"id": "1", "articles": ["A1"]}, "needs id, question"),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, row: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_gold(write_jsonl(tmp_path / "gold.jsonl", [row]))
    assert told in raised.value.message
    assert "line 1" in raised.value.message


def test_evidence_is_read_by_base_name(tmp_path: Path) -> None:
    row = {"id": "1", "question": "?", "answer": "Yes.", "evidence": [{"file": "docs/a.rst", "lines": [2, 3]}]}
    (question,) = read_gold(write_jsonl(tmp_path / "gold.jsonl", [row]))
    assert question.wanted == ("a.rst:2-3",)
    assert question.sections == {"a.rst"}
    assert question.answer == "Yes."
