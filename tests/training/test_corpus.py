from pathlib import Path

from pipelines.schema import Clause, Document, Kind, Status
from scripts.training.corpus import (
    Passage,
    Question,
    build_corpus,
    is_dev,
    load_passages,
    passages_of,
    save_passages,
    section_of,
    split,
)


def clause(article: str, text: str, **fields: object) -> Clause:
    document = Document("b.pdf", "0", "regulation", article[0], "", "05", "2026-02-27", "2026", 9)
    return Clause(article, document, Kind.CLAUSE, article, article, "", text, 1, 1, **fields)  # type: ignore[arg-type]


def words(text: str) -> int:
    return len(text.split())


def passage(article: str, *, printed: str = "", ancestors: tuple[str, ...] = ()) -> Passage:
    return Passage(article, printed or article, ancestors, article[0], "", f"text of {article}")


def test_only_law_in_force_with_words_becomes_passages() -> None:
    clauses = [
        clause("B1.1", "Cars must be weighed."),
        clause("B1.2", "Cars must be weighed.", status=Status.FUTURE),
        clause("B1.3", "[Void]", void=True),
        clause("B1.4", ""),
    ]
    found = passages_of(clauses, words, 50)
    assert [(p.article, p.text) for p in found] == [("B1.1", "B1.1\nCars must be weighed.")]


def test_a_long_clause_becomes_several_passages_within_the_window() -> None:
    found = passages_of([clause("B1.1", "One two three four five. " * 8)], words, 14)
    assert len(found) > 1
    assert all(words(p.text) <= 14 for p in found)


def test_a_question_finds_its_article_mended_printed_or_above() -> None:
    passages = [passage("C14.6.3", printed="C4.6.3"), passage("C3.6.1", ancestors=("C3", "C3.6"))]
    asked = [Question("mended", "C14.6.3"), Question("printed", "C4.6.3"), Question("above", "C3.6")]
    corpus = build_corpus(passages, [*asked, Question("nowhere", "F9.9")])
    assert [corpus.answers(q) for q in asked] == [(0,), (0,), (1,)]
    assert [q.text for q in corpus.unplaced] == ["nowhere"]


def test_words_of_its_own_come_before_what_is_below() -> None:
    passages = [passage("C3.6"), passage("C3.6.1", ancestors=("C3", "C3.6"))]
    corpus = build_corpus(passages, [Question("which", "C3.6")])
    assert corpus.answers(corpus.questions[0]) == (0,)


def test_an_articles_questions_are_never_split() -> None:
    questions = [Question(f"{kind} {n}", f"C{n}.1") for n in range(200) for kind in ("first", "second")]
    train, dev = split(questions)
    assert {q.article for q in train}.isdisjoint(q.article for q in dev)
    assert sorted(q.text for q in [*train, *dev]) == sorted(q.text for q in questions)
    assert 20 <= len(dev) <= 60  # a tenth of 400, give or take what a hash does


def test_the_hash_that_splits_stays_as_it_is() -> None:
    # sha256("C7.1") starts with f2d93a80 = 4074322560, divisible by ten; B1.1.1's with f38d6ed7 = 4086132439, not.
    assert [article for article in ("B1.1.1", "B1.1.2", "C3.1", "C7.1") if is_dev(article)] == ["C7.1"]


def test_a_section_kept_out_is_measured_whole() -> None:
    questions = [Question("b", "B1.1"), Question("f", "F1.1"), Question("g", "APP F2"), Question("h", "F3.1")]
    train, dev = split(questions, without="F")
    assert {section_of(q.article) for q in train} <= {"B"}
    assert [q.text for q in dev] == ["f", "g", "h"]


def test_passages_survive_a_file(tmp_path: Path) -> None:
    passages = [passage("C3.6.1", ancestors=("C3", "C3.6"))]
    save_passages(passages, tmp_path / "passages.jsonl")
    assert load_passages(tmp_path / "passages.jsonl") == passages
