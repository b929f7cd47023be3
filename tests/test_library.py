from index.fakes import make_clause

from pipelines.library import Library, key, matches, term_key
from pipelines.schema import Filters, Status

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
