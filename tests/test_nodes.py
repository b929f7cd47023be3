import uuid

import pytest
from index.fakes import count_words, make_clause
from llama_index.core.schema import MetadataMode

from pipelines.index_text import index_text, is_searchable, node_id
from pipelines.nodes import ClauseCutter, ShortFirst, to_node


def test_index_text_has_path_article_term_and_words() -> None:
    clause = make_clause("APP D1", "“Term” means this.", term="Term", title="Term", path=("APP D1 DEFINITIONS",))
    assert index_text(clause, clause.text) == "Sporting > APP D1 DEFINITIONS\nAPP D1 Term\n“Term” means this."
    titled = make_clause("B1.2.3", "Words.", title="Weather", path=("B1 RACE", "B1.2 Sessions"))
    assert index_text(titled, "Words.") == "Sporting > B1 RACE > B1.2 Sessions\nB1.2.3 Weather\nWords."


def test_models_see_the_index_text_and_no_metadata() -> None:
    clause = make_clause(text="Words.")
    node = to_node(clause, "g", 0, clause.text)
    for mode in (MetadataMode.EMBED, MetadataMode.LLM, MetadataMode.NONE):
        assert node.get_content(mode) == index_text(clause, clause.text)


def test_node_ids_are_uuid5s_that_differ_by_version_clause_and_part() -> None:
    clause = make_clause()
    ids = {
        node_id("g", clause, 0),
        node_id("g", clause, 1),
        node_id("other", clause, 0),
        node_id("g", make_clause("B1.2.4"), 0),
        node_id("g", make_clause(id="repeated id"), 0),
        node_id("g", make_clause(year="2028"), 0),
        node_id("g", make_clause(term="Term"), 0),
    }
    assert len(ids) == 7
    assert node_id("g", clause, 0) in ids
    assert {uuid.UUID(found).version for found in ids} == {5}


def cut_nodes(*clauses, window: int = 12):
    cutter = ClauseCutter(clauses={clause.id: clause for clause in clauses}, count=count_words, window=window)
    return cutter([to_node(clause, "g", 0, clause.text) for clause in clauses])


def test_nodes_never_cross_a_clause_and_never_pass_the_window() -> None:
    long = make_clause("B1.2.3", "Must:\na. one two three four\nb. five six seven eight\nc. nine ten eleven")
    short = make_clause("B1.2.4", "Short.")
    nodes = cut_nodes(long, short)
    assert [(node.metadata["article"], node.metadata["part"]) for node in nodes] == [
        ("B1.2.3", 0),
        ("B1.2.3", 1),
        ("B1.2.3", 2),
        ("B1.2.4", 0),
    ]
    assert all(count_words(node.get_content()) <= 12 for node in nodes)
    assert all("Must:" in node.get_content() for node in nodes[:3])


def test_headings_give_way_where_they_would_fill_the_window() -> None:
    path = ("B1 A heading of very many words that fills the window by itself alone", "B1.2 Near")
    (node,) = cut_nodes(make_clause(text="Words of the clause.", path=path))
    assert node.get_content() == "B1.2 Near\nB1.2.3\nWords of the clause."


def test_a_clause_that_cannot_be_cut_to_the_window_is_an_error_not_a_silent_loss() -> None:
    with pytest.raises(ValueError, match=r"B1\.2\.3: part 0 is longer than the model's 3 tokens"):
        cut_nodes(make_clause(text="Words of the clause."), window=3)


def test_short_nodes_come_first() -> None:
    nodes = cut_nodes(make_clause("B1.1", "a much longer text"), make_clause("B1.2", "short"))
    assert [node.metadata["article"] for node in ShortFirst()(nodes)] == ["B1.2", "B1.1"]


@pytest.mark.parametrize(
    ("changes", "searchable"),
    [({}, True), ({"void": True}, False), ({"replaced_by": "B2.1"}, False), ({"text": " \n"}, False)],
)
def test_void_moved_and_empty_clauses_are_not_searchable(changes: dict[str, object], searchable: bool) -> None:
    assert is_searchable(make_clause(**changes)) is searchable
