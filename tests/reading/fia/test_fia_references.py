"""References to articles, appendices and documents."""

from __future__ import annotations

import pytest

from pipelines.reading.fia.references import find_references


def found(text: str, *, appendix: str = "", lettered: bool = True) -> list[tuple[str, str, str]]:
    references = find_references(text, named=(), appendix=appendix, lettered=lettered)
    assert all(text[reference.start : reference.end] == reference.printed for reference in references)
    return [(reference.kind, reference.target, reference.printed) for reference in references]


@pytest.mark.parametrize(
    ("text", "target", "printed"),
    [
        ("as described in Article C3.10.10.", "C3.10.10", "Article C3.10.10"),
        ("positions defined in C3.10.10(n)(i) and", "C3.10.10", "C3.10.10(n)(i)"),
        ("pursuant to Article E4.1.1.a.", "E4.1.1", "Article E4.1.1.a"),
        ("and E.1.2.", "E1.2", "E.1.2"),
        ("per Appendix C8 Article 2.2.1b.", "APP C8.2.2.1", "Appendix C8 Article 2.2.1"),
    ],
)
def test_articles(text, target, printed):
    assert found(text) == [("article", target, printed)]


def test_several_articles_are_several_references():
    assert [target for _, target, _ in found("Articles C3.5 to C3.12, C4.1")] == ["C3.5", "C3.12", "C4.1"]


def test_appendices_and_documents():
    assert found("see Appendix B2 and FIA-F1-DOC-C034.") == [
        ("appendix", "APP B2", "Appendix B2"),
        ("document", "FIA-F1-DOC-C034", "FIA-F1-DOC-C034"),
    ]


def test_articles_of_an_appendix():
    assert found("Article 1.6 of this Appendix", appendix="APP C2") == [
        ("article", "APP C2.1.6", "Article 1.6 of this Appendix")
    ]
    assert found("the volume in §13.1 is", appendix="APP C2") == [("article", "APP C2.13.1", "§13.1")]


def test_an_article_without_a_letter_is_another_codes_unless_the_document_has_none():
    assert found("Article 15 of the FIA Statutes") == []
    assert found("see Article 5.2.3", lettered=False) == [("article", "5.2.3", "Article 5.2.3")]


def test_a_name_in_the_colour_of_references_is_a_document():
    text = "as set out in the Sample Guide."
    (reference,) = find_references(text, named=[(18, 30)], appendix="", lettered=True)
    assert (reference.kind, reference.target) == ("document", "Sample Guide")


@pytest.mark.parametrize("text", ["5.2 metres", "issue 3.4", "F1 Team", "350kW", "B12"])
def test_no_references(text):
    assert found(text) == []
