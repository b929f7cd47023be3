import pytest
from index.fakes import make_clause

from pipelines.library import Library, key, matches, only_points, term_key
from pipelines.schema import Filters, Kind, Status

CLAUSES = [
    make_clause("C14.6.3", "One.", article_printed="C4.6.3", ancestors=("C14", "C14.6")),
    make_clause("C14.6.4", "Two.", ancestors=("C14", "C14.6")),
    make_clause("C4.6.3", "Three.", id="three", ancestors=("C4", "C4.6")),
    make_clause("C4.6.3", "Three of 2028.", id="four", year="2028", status=Status.FUTURE, ancestors=("C4", "C4.6")),
    make_clause("APP C1", "means a part.", id="five", term="“Power Unit’s” Part"),
]
LAW = Library(CLAUSES)
IN_FORCE = Filters()


def articles(found) -> list[str]:
    return [clause.id.rpartition("/")[2] for clause in found]


def test_an_article_is_found_by_its_mended_and_its_printed_id_with_all_below_it() -> None:
    assert articles(LAW.article("c 14.6.3")) == ["C14.6.3"]
    assert articles(LAW.article("C4.6.3")) == ["C14.6.3", "three", "four"]
    assert articles(LAW.article("C4.6.3", IN_FORCE)) == ["C14.6.3", "three"]
    assert articles(LAW.article("C14")) == ["C14.6.3", "C14.6.4"]
    assert articles(LAW.exactly("C14")) == []
    assert LAW.has_article("C14.")
    assert not LAW.has_article("C1")


def test_a_term_is_found_however_it_is_quoted() -> None:
    assert articles(LAW.term('"power unit\'s"  PART')) == ["five"]
    assert term_key("“Power Unit’s” Part") in LAW.terms


def test_words_in_any_form_and_the_closest_to_a_misspelling() -> None:
    assert LAW.has_word("means")
    assert LAW.has_word("parts")
    assert not LAW.has_word("prat")
    assert LAW.closest_word("prat") == "part"
    assert LAW.closest_word("zzz") == ""


def test_filters() -> None:
    clause = CLAUSES[0]
    assert matches(clause, Filters(section="C", issue="05", document="b.pdf"))
    assert matches(clause, Filters(article="C4.6.3"))
    assert matches(clause, Filters(article="C14"))
    assert matches(CLAUSES[3], Filters(status="all"))
    for wrong in (
        Filters(section="B"),
        Filters(issue="04"),
        Filters(document="c.pdf"),
        Filters(article="C14.6.4"),
        Filters(status="future"),
    ):
        assert not matches(clause, wrong)


def test_keys() -> None:
    assert key(" c3 .10. ") == "C3.10"


@pytest.mark.parametrize(
    "text",
    [
        '"Demand" has the meaning set out in Appendix A1 of Section A: General Regulatory Provisions.',
        '"Judges" has the meaning set out in Article E7.1.4.',
        "“Cost Cap” is defined in\nArticle D4.1.2.",
    ],
)
def test_a_definition_that_only_points_elsewhere(text: str) -> None:
    assert only_points(make_clause("APP D1", text, kind=Kind.DEFINITION))
    assert not only_points(make_clause("D1.1.1", text))


def test_a_definition_that_says_something_is_no_pointer() -> None:
    long = (
        '"Fee" means the amount of one thousand euros that each applicant must pay to the FIA with the form set out in '
    )
    for text in (long + "Article A1.1 before the first Competition.", '"Race" means the race.'):
        assert not only_points(make_clause("APP D1", text, kind=Kind.DEFINITION))
