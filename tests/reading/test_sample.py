"""The reader against the sample's expected truth, which comes from the sample's sources and never from a reader."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from pipelines.reading import read_document
from pipelines.schema import Clause, ReadResult

ROOT = Path(__file__).parents[2]
SAMPLE, OLDER = ROOT / "pipelines/data/sample", ROOT / "tests/data/sample_older"
TRUTHS = {
    truth["file"]: (folder / truth["file"], truth)
    for folder, file in ((SAMPLE, ROOT / "tests/data/sample_expected.json"), (OLDER, OLDER / "expected.json"))
    for truth in json.loads(file.read_text(encoding="utf-8"))
}


@cache
def read(path: Path) -> ReadResult:
    return read_document(path)


@pytest.fixture(params=sorted(TRUTHS), ids=lambda file: file.removeprefix("sample_2026_").removesuffix(".pdf"))
def section(request: pytest.FixtureRequest) -> tuple[ReadResult, dict]:
    path, truth = TRUTHS[request.param]
    return read(path), truth


def key(clause: Clause) -> tuple[str, str, str, str]:
    return clause.article, clause.article_printed, clause.term, clause.year


def true_key(clause: dict) -> tuple[str, str, str, str]:
    return clause["article"], clause["article_printed"], clause["term"], clause["year"]


def pairs(section: tuple[ReadResult, dict]) -> list[tuple[Clause, dict]]:
    """Each clause of the truth beside the one that was read; a clause too many or too few is another test's matter."""
    result, truth = section
    found = {key(clause): clause for clause in result.clauses}
    return [(found[true_key(true)], true) for true in truth["clauses"] if true_key(true) in found]


def test_the_document_says_what_it_is(section: tuple[ReadResult, dict]) -> None:
    result, truth = section
    document = result.document
    for name in ("section", "section_title", "issue", "date", "season", "pages"):
        assert getattr(document, name) == truth[name], name
    assert document.kind == "regulation"
    assert result.warnings == ()


def test_the_same_clauses_in_the_same_order(section: tuple[ReadResult, dict]) -> None:
    result, truth = section
    assert [key(clause) for clause in result.clauses] == [true_key(clause) for clause in truth["clauses"]]
    assert len({clause.id for clause in result.clauses}) == len(result.clauses)


def test_the_same_words_and_tables(section: tuple[ReadResult, dict]) -> None:
    for clause, true in pairs(section):
        assert clause.text == true["text"], true_key(true)
        cells = [
            [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:1] + rows[2:]]
            for rows in (clause.text[start:end].splitlines() for start, end in clause.tables)
        ]
        assert cells == true["tables"], true_key(true)


def test_the_same_pages_and_every_line_has_its_box(section: tuple[ReadResult, dict]) -> None:
    for clause, true in pairs(section):
        assert (clause.page_start, clause.page_end) == (true["page_start"], true["page_end"]), true_key(true)
        assert {line.page for line in clause.lines} <= set(range(true["page_start"], true["page_end"] + 1))
        assert all(40 < line.x0 < line.x1 < 562 and 60 < line.y0 < line.y1 < 780 for line in clause.lines)


@pytest.mark.parametrize("name", ["kind", "title", "status", "year", "changed", "void", "replaced_by", "has_figure"])
def test_the_same_facts(section: tuple[ReadResult, dict], name: str) -> None:
    for clause, true in pairs(section):
        assert getattr(clause, name) == true[name], true_key(true)


@pytest.mark.parametrize("name", ["path", "comments", "governance"])
def test_the_same_surroundings(section: tuple[ReadResult, dict], name: str) -> None:
    for clause, true in pairs(section):
        assert list(getattr(clause, name)) == true[name], true_key(true)


def test_the_same_inserted_words(section: tuple[ReadResult, dict]) -> None:
    for clause, true in pairs(section):
        assert [clause.text[start:end].strip() for start, end in clause.inserted] == true["inserted"], true_key(true)


def test_the_same_references(section: tuple[ReadResult, dict]) -> None:
    for clause, true in pairs(section):
        found = [{"kind": reference.kind, "target": reference.target} for reference in clause.references]
        expected = [{"kind": reference["kind"], "target": reference["target"]} for reference in true["references"]]
        assert found == expected, true_key(true)
        for reference, printed in zip(clause.references, true["references"], strict=True):
            assert printed["printed"] in clause.text[reference.start : reference.end]


def test_headings_are_those_without_words_of_their_own(section: tuple[ReadResult, dict]) -> None:
    result, truth = section
    found = [(heading.article, heading.title, heading.page, heading.year, heading.void) for heading in result.headings]
    names = ("article", "title", "page", "year", "void")
    assert found == [tuple(heading[name] for name in names) for heading in truth["headings"]]


def test_every_character_is_where_the_truth_has_it(section: tuple[ReadResult, dict]) -> None:
    result, truth = section
    account = result.account
    assert account is not None
    assert account.balanced
    assert account.total == sum(truth["account"].values())
    dropped = {name: count for name, count in truth["account"].items() if name != "clause"}
    assert account.clauses == truth["account"]["clause"]
    assert {name: count for name, count in account.dropped.items() if count} == dropped
