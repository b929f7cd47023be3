from __future__ import annotations

from pathlib import Path

import pytest
from eval_corpus import clause, passage, write_jsonl

from eval.gold import GoldQuestion, Span, read_gold, squeeze
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


def test_a_clause_is_known_by_its_mended_and_by_its_printed_id() -> None:
    mended = clause("C14.6.3", article_printed="C4.6.3")
    assert GoldQuestion("1", "?", ("C4.6.3",)).answered_by(mended) == {"C4.6.3"}
    assert GoldQuestion("1", "?", ("C14.6.3",)).answered_by(mended) == {"C14.6.3"}
    assert GoldQuestion("1", "?", ("C14.6.3",)).answered_by(clause("C14.6.3", " ")) == frozenset()  # a bare heading


def test_a_clause_above_or_below_answers_with_a_required_string_only() -> None:
    question = GoldQuestion("1", "?", ("C3.10.2",), must_include=("768kg", "800kg"))
    assert question.answered_by(clause("C3.10", "768 KG or more")) == {"C3.10.2"}  # one of the strings is enough
    assert question.answered_by(clause("C3.1", "768kg")) == frozenset()  # C3.1 is not above C3.10
    assert question.answered_by(clause("C3.10", "nothing of it")) == frozenset()
    assert GoldQuestion("1", "?", ("C3.10.2",)).answered_by(clause("C3.10", "768kg")) == frozenset()  # none required
    item = clause("APP C2", "768kg", ancestors=("C3.10.2",))
    assert question.answered_by(item) == {"C3.10.2"}  # below it by its place in the document, whatever its id


def test_what_answers_besides_is_a_hit_of_its_own_name() -> None:
    question = GoldQuestion("1", "?", ("B1.1",), also=("A2.1",))
    assert question.answered_by(clause("A2.1")) == {"A2.1"}
    assert question.wanted == ("B1.1",)
    assert question.sections == {"A", "B"}
    assert GoldQuestion("1", "?", ("APP D1",)).sections == {"D"}


def test_a_definition_tells_by_its_term_too() -> None:
    question = GoldQuestion("1", "?", ("APP C1",), must_include=("Parc Fermé",))
    assert question.answered_by(clause("APP C1", "a secure area", term="Parc Fermé")) == {"APP C1"}


def test_texts_are_compared_without_case_space_and_kinds_of_quotes() -> None:
    assert squeeze(" The\u00a0Driver’s  ﬁne ") == "thedriver'sfine"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no question"),
        ("\n\n", "holds no question"),
        ("{", "line 1: not JSON"),
        ("[]", "line 1: needs id"),
        ('{"id": "1", "question": "?", "articles": ["A1"]}\n' * 2, "line 2: the id 1 occurs twice"),
    ],
)
def test_a_file_that_is_no_gold_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        read_gold(path)
    assert told in raised.value.message


def test_a_file_that_is_not_there_or_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    for name in ("absent.jsonl", "bytes.jsonl"):
        with pytest.raises(UsageError, match="cannot be read"):
            read_gold(tmp_path / name)


def test_every_field_of_a_line_is_read_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "question": "And in the sprint?",
        "articles": ["B1.1"],
        "also": ["B1.2"],
        "answer": "80km/h.",
        "must_include": ["80km/h"],
        "style": "terse",
        "type": "numeric_limit",
        "difficulty": "easy",
        "history": ["How fast in the pit lane?"],
    }
    path = write_jsonl(tmp_path / "gold.jsonl", [row])
    path.write_text("\n" + path.read_text() + "\n")
    assert read_gold(path) == [
        GoldQuestion(
            "7",
            "And in the sprint?",
            ("B1.1",),
            ("B1.2",),
            (),
            "80km/h.",
            ("80km/h",),
            "terse",
            "numeric_limit",
            "easy",
            ("How fast in the pit lane?",),
        )
    ]
