import pytest

from pipelines.bm25 import AVERAGE_WORDS, K1, B, document_vector, query_vector, word_id, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C3.10.10", ["c3", "c3.10", "c3.10.10"]),
        ("RV-FLOOR-BODY", ["rv-floor-body", "rv", "floor", "bodi"]),
        ("350kW", ["350kw", "350", "kw"]),
        ("1.5mm", ["1.5mm", "1.5", "mm"]),
        ("0.35 kg", ["0.35", "kg"]),
        ("€20,000 and 1,200,000", ["20000", "1200000"]),
        ("the drivers' penalties", ["driver", "penalti"]),
        ("the team’s", ["team"]),
        ("of the and to", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_joined_word_is_found_whole_and_by_its_parts() -> None:
    document = document_vector("volume RV-FLOOR-BODY")
    for question in ("RV-FLOOR-BODY", "floor", "body"):
        assert query_vector(question).keys() <= document.keys(), question


def test_document_weights_are_bm25s() -> None:
    # "pit pit lane": 3 words. norm = 0.8 * (0.25 + 0.75 * 3 / 60) = 0.23; pit: 2 * 1.8 / 2.23; lane: 1.8 / 1.23
    assert (K1, B, AVERAGE_WORDS) == (0.8, 0.75, 60.0)
    found = document_vector("pit pit lane")
    assert found == pytest.approx({word_id("pit"): 3.6 / 2.23, word_id("lane"): 1.8 / 1.23})


def test_query_weights_are_counts_and_ids_ascend() -> None:
    found = query_vector("tyre tyres pit")
    assert found == {word_id("tyre"): 2.0, word_id("pit"): 1.0}
    assert list(found) == sorted(found)
    assert query_vector("what is the") == {}


def test_word_ids_fit_qdrants_32_bits() -> None:
    assert all(0 <= word_id(word) < 2**32 for word in ("a", "rv-floor-body", "é"))
