"""Looking up clauses without a model: by article, term, heading and word; examples that the documents can answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import CLAUSES

from app.catalogue import Catalogue, CatalogueKeeper, snippet
from app.examples import examples
from app.render import titled
from pipelines.schema import Filters


@pytest.fixture
def catalogue():
    return Catalogue(CLAUSES)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ("b1.6.3", ["b-1-6-3"]),
        ("B1", ["b-1-6-3"]),
        ("b 1.6", ["b-1-6-3"]),
        ("car", ["app-c1-car", "c-4-1"]),  # the term before the text
        ("MASS car", ["c-4-1"]),
        ("points", ["b-2-2"]),
        ("nothing of this", []),
        ("  ", []),
    ],
)
def test_finding(catalogue, wanted, ids):
    assert [one["id"] for one in catalogue.find(wanted, Filters())] == ids


def test_finding_keeps_to_the_filters(catalogue):
    assert [one["id"] for one in catalogue.find("C4.1", Filters(status="all"))] == ["c-4-1", "c-4-1-2027"]
    assert catalogue.find("C4.1", Filters(section="B")) == []


def test_an_article_does_not_find_a_longer_number_first():
    long, short = replace(CLAUSES[0], id="long", article="B1.10"), replace(CLAUSES[0], id="short", article="B1.1.5")
    assert [one["id"] for one in Catalogue([long, short]).find("B1.1")] == ["short", "long"]


def test_a_reference_prefers_its_own_document(catalogue):
    other = replace(CLAUSES[0], id="old", document=replace(CLAUSES[0].document, sha256="9" * 64))
    both = Catalogue([*CLAUSES, other])
    assert both.named("B1.6.3", near=other).id == "old"
    assert both.named("B1.6.3", near=CLAUSES[0]).id == "b-1-6-3"
    assert both.named("B1.6").id == "b-1-6-3"  # the first below it
    assert both.named("B9") is None


def test_the_catalogue_is_built_anew_only_after_a_change():
    class Source:
        indexed = CLAUSES

        def clauses(self, article="", filters=None):
            return self.indexed

    source = Source()
    keeper = CatalogueKeeper(source)
    first = keeper.now()
    assert keeper.now() is first
    source.indexed = CLAUSES[:2]
    assert len(keeper.now().clauses) == 2


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("one\ntwo", ["two"], "one two"),
        ("start " + "x " * 80 + "needle end", ["needle"], "… " + "x " * 18 + "needle end"),
        ("word " * 40, [], "word " * 21 + "word …"),
    ],
)
def test_a_snippet_stands_around_the_hit(text, words, told):
    assert snippet(text, words) == told


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("TECHNICAL REGULATIONS", "Technical"),
        ("GENERAL REGULATORY PROVISIONS", "General Regulatory Provisions"),
        ("FINANCIAL REGULATIONS (PU MANUFACTURERS)", "Financial (PU Manufacturers)"),
        ("FINANCIAL REGULATIONS - F1 TEAMS", "Financial - F1 Teams"),
        ("Notes on pit stops", "Notes on pit stops"),
    ],
)
def test_titles_in_a_line(printed, told):
    assert titled(printed) == told


def test_examples_are_only_what_the_documents_hold():
    offered = {one["section"]: one["questions"] for one in examples(CLAUSES)}
    assert offered == {
        "B": [],
        "C": ["What is the minimum mass of the car?", "What does “Car” mean?"],
        "notes.md": ["What is said about “Pit stops”?"],
    }
