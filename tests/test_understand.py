import pytest
from index.fakes import make_clause

from pipelines.glossary import load_glossary
from pipelines.library import Library
from pipelines.understand import correct, section_named, understand

LAW = Library(
    [
        make_clause("A5.2.3", "A general rule about the weight of evidence.", ancestors=("A5", "A5.2")),
        make_clause("B1.6.3", "A speed limit applies in the pit lane.", ancestors=("B1", "B1.6")),
        make_clause("C5.2.3", "The engine energy flow must not exceed a limit.", ancestors=("C5", "C5.2")),
        make_clause("C14.6.3", "The headrest.", article_printed="C4.6.3", ancestors=("C14", "C14.6")),
        make_clause("C3.5.1", "Bodywork.", title="RV-FLOOR-BODY", ancestors=("C3", "C3.5")),
        make_clause("APP D1", "means an entity.", id="1", term="Reporting Group"),
        make_clause("APP D1", "means an entity of it.", id="2", term="Reporting Group Entity"),
        make_clause("APP B1", "Text.", id="3"),
    ]
)


@pytest.mark.parametrize(
    ("question", "articles"),
    [
        ("what does c5.2.3 say", ("C5.2.3",)),
        ("B 1.6", ("B1.6",)),
        ("b1 . 6 . 3 please", ("B1.6.3",)),
        ("Article 5.2.3 technical", ("C5.2.3",)),
        ("article 5.2.3", ("A5.2.3", "C5.2.3")),
        ("rule 1.6 of the sporting regulations", ("B1.6",)),
        ("is 5.2.3 allowed", ("A5.2.3", "C5.2.3")),
        ("C4.6.3", ("C4.6.3",)),
        ("C14.6.3(b)", ("C14.6.3",)),
        ("B1.6.3, C5.2.3 and B1.6.3", ("B1.6.3", "C5.2.3")),
        ("appendix b1", ("APP B1",)),
        ("APP D1", ("APP D1",)),
        ("article C5", ("C5",)),
        ("C9.9.9", ()),  # nowhere in the index
        ("a 5 second penalty", ()),
        ("between 1.6 and 5.2 metres", ()),
        ("vitamin b1", ()),
        ("an increase of 5.2%", ()),
        ("at 12.30 on the 5.2.2026", ()),
        ("what is the pit lane speed limit", ()),
    ],
)
def test_articles_in_any_spelling(question: str, articles: tuple[str, ...]) -> None:
    assert understand(question, LAW).articles == articles


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("the sporting rules", "B"),
        ("technical regulations on floors", "C"),
        ("is a technical directive binding", ""),
        ("section d", "D"),
        ("an engine maker's cost cap", "E"),
        ("a team's cost cap", "D"),
        ("operational rules", "F"),
        ("general provisions", "A"),
        ("technical or sporting", ""),
        ("how wide is the car", ""),
    ],
)
def test_sections(question: str, section: str) -> None:
    assert section_named(question) == section


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("what is a reporting group entity", ("reporting group entity",)),
        ("define reporting group", ("reporting group",)),
        ("What does “Reporting Group” include?", ("reporting group",)),
        ("must a reporting group entity pay tax", ()),
        ("where must rv-floor-body lie", ("RV-FLOOR-BODY",)),
        ("RV FLOOR BODY", ("RV-FLOOR-BODY",)),
    ],
)
def test_terms_and_volumes(question: str, terms: tuple[str, ...]) -> None:
    assert understand(question, LAW).terms == terms


def test_the_year_of_a_question() -> None:
    assert understand("what changes in 2028", LAW).year == "2028"
    assert understand("what changes at 2800 rpm", LAW).year == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("the wieght of the car", "the weight of the car"),  # swapped
        ("the headrst", "the headrest"),  # left out
        ("Enirgy", "energy"),  # changed
        ("the enngine", "the engine"),  # added
        ("the weights", "the weights"),  # a form of a word that is there
        ("pti lane", "pti lane"),  # too short to tell
        ("the fright", "the fright"),  # begins otherwise
        ("drs and quali", "drs and quali"),  # the glossary has them
        ("RV-FLOOR-BODI", "RV-FLOOR-BODI"),  # a name is not touched
    ],
)
def test_misspellings(typed: str, meant: str) -> None:
    assert correct(typed, LAW)[0] == meant


def test_a_word_that_the_model_knows_is_no_misspelling() -> None:
    assert correct("an entity", LAW) == ("an entity", ())
    assert correct("an entoty", LAW) == ("an entity", (("entoty", "entity"),))
    assert correct("an entoty", LAW, known=lambda word: word == "entoty") == ("an entoty", ())


def test_what_was_understood_is_told() -> None:
    found = understand("is the wieght of the battery limited", LAW)
    assert found.question == "is the weight of the battery limited"
    assert found.corrections == (("wieght", "weight"),)
    assert found.expansions == ("mass", "Energy Store ES")


def test_a_follow_up_takes_the_article_of_the_question_before() -> None:
    found = understand("and who decides that?", LAW, ("what does C5.2.3 say",))
    assert found.follow_up
    assert found.articles == ("C5.2.3",)
    assert "C5.2.3" in found.question


@pytest.mark.parametrize(
    ("text", "expansions"),
    [
        ("Is DRS gone?", ("Driver Adjustable Bodywork Straight Mode Corner Mode",)),
        ("parc ferme rules", ()),  # is Parc Fermé but for the accent
        ("two batteries", ("Energy Store ES",)),
        ("the drives", ()),  # no word within another
        ("spending cap of the engine makers", ("Cost Cap Relevant Costs", "Power Unit ICE")),
    ],
)
def test_everyday_words(text: str, expansions: tuple[str, ...]) -> None:
    found = load_glossary().expansions(text)
    assert found[: len(expansions)] == expansions
    assert bool(found) == bool(expansions)


def test_glossary_entries_are_lower_case_and_said_once() -> None:
    glossary = load_glossary()
    assert all(phrase == phrase.lower() for phrase in glossary.said)
    patterns = [pattern for pattern, _ in glossary.entries]
    for phrase in glossary.said:
        assert sum(bool(pattern.fullmatch(phrase)) for pattern in patterns) == 1, phrase
