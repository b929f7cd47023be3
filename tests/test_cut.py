import random
from collections import Counter

import pytest

from pipelines.cut import cut


def within(words: int):
    return lambda text: len(text.split()) <= words


def test_a_text_that_fits_stays_whole() -> None:
    assert cut("a. one\nb. two", [], within(4)) == ["a. one\nb. two"]


def test_a_long_clause_is_cut_at_its_items_with_the_lead_in_repeated() -> None:
    text = "Each driver must:\na. wear a helmet at all times\nb. fasten the belts\nc. keep the wheel in place"
    assert cut(text, [], within(12)) == [
        "Each driver must:\na. wear a helmet at all times",
        "Each driver must:\nb. fasten the belts",
        "Each driver must:\nc. keep the wheel in place",
    ]


def test_a_sub_item_stands_under_the_item_it_belongs_to() -> None:
    text = "Must:\na. do this\ni. first with some more words here\nii. second with some more words here\nb. then that"
    parts = cut(text, [], within(12))
    assert parts[1] == "Must:\na. do this\nii. second with some more words here"
    assert parts[-1].endswith("b. then that")
    assert "a. do this" not in parts[-1].split("\n")[1:] or len(parts) == 2


def test_item_i_after_item_h_is_a_letter() -> None:
    text = "Must:\nh. eighth of the items\ni. ninth of the items\nj. tenth of the items"
    assert cut(text, [], within(7)) == [
        "Must:\nh. eighth of the items",
        "Must:\ni. ninth of the items",
        "Must:\nj. tenth of the items",
    ]


def test_a_long_item_is_cut_between_sentences() -> None:
    text = "One two three four. Five six seven eight. Nine ten."
    assert cut(text, [], within(6)) == ["One two three four.", "Five six seven eight. Nine ten."]


def test_a_long_sentence_is_cut_between_words() -> None:
    assert cut("one two three four five", [], within(2)) == ["one two", "three four", "five"]


def test_a_long_word_is_cut_between_letters() -> None:
    assert cut("abcdefgh ij", [], lambda text: len(text) <= 3) == ["ab", "cd", "ef", "gh", "ij"]


def test_a_table_is_cut_between_rows_with_its_header_repeated() -> None:
    table = "| set | of |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    text = f"Tyres:\n{table}\nThat is all."
    start = text.index("|")
    assert cut(text, [(start, start + len(table))], within(17)) == [
        "Tyres:\n| set | of |\n| --- | --- |\n| 1 | 2 |",
        "Tyres:\n| set | of |\n| --- | --- |\n| 3 | 4 |",
        "Tyres:\nThat is all.",
    ]


def test_a_lead_in_too_long_to_repeat_gives_its_last_sentence() -> None:
    text = "A long sentence of introduction stands here. It must:\na. do one thing\nb. do another"
    assert cut(text, [], within(9))[-1] == "It must:\na. do one thing\nb. do another"


@pytest.mark.parametrize("seed", range(20))
def test_no_word_is_lost_and_no_part_too_long(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = ["a.", "b.", "i.", "ii.", "h.", "(1)", "end.", "Word", "x;", "•", "\n", "\n", "\n| c | d |", "plain"]
    for _ in range(50):
        text = " ".join(chance.choices(vocabulary, k=chance.randrange(1, 90))).replace(" \n ", "\n").strip()
        if not text:
            continue
        window = chance.randrange(3, 30)
        parts = cut(text, [], within(window))
        assert not Counter(text.split()) - Counter(" ".join(parts).split())
        assert all(within(window)(part) for part in parts)
