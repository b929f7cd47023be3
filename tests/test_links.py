"""References resolved in their issue: by clause, row, articles below or heading; dead ones; what is read with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.library import Library
from pipelines.links import MOST_CONTEXT, Links
from pipelines.reading import read_document
from pipelines.reading.fia.references import Place, find_references
from pipelines.schema import Clause, Document, Heading, Kind, Link, Passage, ReadResult, Status

LEAST_RESOLVED = 0.95
SAMPLE = Path(__file__).parents[1] / "pipelines" / "data" / "sample"


def document(section: str, issue: str = "05", sha256: str = "") -> Document:
    return Document(f"{section}.pdf", sha256 or section, "regulation", section, "", issue, "2026-02-27", "2026", 9)


def clause(article: str, text: str, *, year: str = "", issue: str = "05", sha256: str = "") -> Clause:
    section = article.removeprefix("APP ")[0]
    parts = article.split(".")
    tables = ((text.index("|"), len(text)),) if "|" in text else ()
    return Clause(
        id=f"{issue}/{article}{year}",
        document=document(section, issue, sha256),
        kind=Kind.CLAUSE,
        article=article,
        article_printed=article,
        title="",
        text=text,
        page_start=1,
        page_end=1,
        status=Status.FUTURE if year else Status.IN_FORCE,
        year=year,
        ancestors=tuple(".".join(parts[:count]) for count in range(1, len(parts))),
        tables=tables,
        references=find_references(text, Place(article, letter=section), tables=tables),
    )


WING = clause("C3.10", "The Front Wing must obey the following.")
FLAP = clause("C3.10.10", "n. As in Article C3.10.11(n)(ii), and see B7.1.1, C3.10 and Appendix C3.")
AXIS = clause("C3.10.11", "The axis is straight. See Article C3.99.1 and Article C3.16.2.")
APERTURES = clause("C3.16", "Apertures:\n| No. | Name |\n| --- | --- |\n| C3.16.1 Nose | |\n| C3.16.2 Scoop | C5 |")
ENGINE = clause("C5.1.1", "An engine.")
MODE = clause("B7.1.1", "The driver may use it.")
CLAUSES = (WING, FLAP, AXIS, APERTURES, ENGINE, MODE)
HEADINGS = {"C": (Heading("APP C3", "DRAWINGS", 216),)}


@pytest.fixture
def links() -> Links:
    return Links(Library(CLAUSES), HEADINGS)


def test_each_way_that_a_reference_is_carried(links: Links) -> None:
    assert links.links(FLAP) == (
        Link("Article C3.10.11(n)(ii)", "C3.10.11", "n.ii", "clause", AXIS.id),
        Link("B7.1.1", "B7.1.1", "", "clause", MODE.id),
        Link("C3.10", "C3.10", "", "clause", WING.id),
        Link("Appendix C3", "APP C3", "", "heading"),
    )
    assert [(one.target, one.found, one.clause_id) for one in links.links(AXIS)] == [
        ("C3.99.1", "", ""),
        ("C3.16.2", "row", APERTURES.id),
    ]


def test_an_article_without_words_is_what_stands_below_it() -> None:
    asks = clause("C1.1.1", "As Article C5 says.")
    (found,) = Links(Library([asks, ENGINE]), {}).links(asks)
    assert (found.found, found.clause_id) == ("above", ENGINE.id)


def test_what_nothing_carries_is_dead(links: Links) -> None:
    (dead,) = links.dead(CLAUSES)
    assert (dead.clause, dead.reference.target) == (AXIS, "C3.99.1")


def test_an_own_article_is_looked_up_in_the_own_issue_alone() -> None:
    newer = clause("C1.1.1", "See Article C9.9.9.", issue="06", sha256="new")
    older = replace(clause("C9.9.9", "Gone since.", issue="05", sha256="old"), status=Status.SUPERSEDED)
    assert [one.reference.target for one in Links(Library([newer, older]), {}).dead([newer])] == ["C9.9.9"]


def test_a_later_years_text_refers_to_that_years_then_to_the_law_in_force() -> None:
    now, later = clause("C4.1.1", "Now."), clause("C4.1.1", "Later.", year="2027")
    only_now = clause("C4.1.2", "Both.")
    asks = clause("C1.1.1", "See C4.1.1 and C4.1.2.", year="2027")
    resolved = Links(Library([now, later, only_now, asks]), {}).links(asks)
    assert [one.clause_id for one in resolved] == [later.id, only_now.id]
    (of_now,) = Links(Library([later, now, replace(asks, year="", references=asks.references[:1])]), {}).links(
        replace(asks, year="", references=asks.references[:1])
    )
    assert of_now.clause_id == now.id


def test_a_passage_keeps_its_place_and_gets_its_context(links: Links) -> None:
    passage = Passage(FLAP, 0.7, {"rerank": 3})
    joined = links.joined(passage)
    assert (joined.score, joined.ranks, joined.clause) == (0.7, {"rerank": 3}, FLAP)
    assert joined.lead_in == WING.id
    assert [one.id for one in joined.context] == [WING.id, AXIS.id, MODE.id]
    assert links.joined(passage) == joined
    assert links.joined(Passage(ENGINE, 0.5)).context == ()


def test_no_more_context_than_can_be_read() -> None:
    many = [clause(f"C5.{n}.1", "Words.") for n in range(1, 12)]
    asks = clause("C1.1.1", "See " + ", ".join(one.article for one in many) + ".")
    assert len(Links(Library([asks, *many]), {}).joined(Passage(asks, 1.0)).context) == MOST_CONTEXT


@pytest.mark.real
def test_nearly_all_references_of_the_regulations_resolve(february: Mapping[str, ReadResult]) -> None:
    results = list(february.values())
    clauses = [one for result in results for one in result.clauses]
    made = [one for record in clauses for one in record.references if one.kind != "document"]
    headings = {result.document.sha256: result.headings for result in results}
    dead = Links(Library(clauses), headings).dead(clauses)
    assert len(made) > 1500
    assert 1 - len(dead) / len(made) >= LEAST_RESOLVED
    # The document's own: a broken field of its text processor, and an appendix that Section B no longer has.
    targets = {one.reference.target for one in dead}
    assert {"E0", "APP B7"} <= targets
    # Whole kinds that were the reader's: rows of a table, an appendix of drawings, one named without its letter.
    assert not {target for target in targets if target.startswith(("C3.16.", "APP C3", "APP 3", "APP E1"))}


def test_the_samples_references_resolve() -> None:
    results = [read_document(file) for file in sorted(SAMPLE.glob("*.pdf"))]
    clauses = [one for result in results for one in result.clauses]
    headings = {result.document.sha256: result.headings for result in results}
    assert sum(one.kind != "document" for record in clauses for one in record.references) > 20
    dead = Links(Library(clauses), headings).dead(clauses)
    assert [(one.clause.article, one.reference.target) for one in dead] == []
