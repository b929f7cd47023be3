"""Every gold line of the sample points at clauses that exist and at words that stand in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
STYLES = ("plain", "technical", "identifier", "terse", "noisy")


def lines(name: str) -> list[dict]:
    text = (ROOT / "eval/data" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def texts() -> dict[str, str]:
    """The text in force of each article; of an appendix, its definitions too."""
    result: dict[str, str] = {}
    for document in json.loads((ROOT / "tests/data/sample_expected.json").read_text(encoding="utf-8")):
        for clause in document["clauses"]:
            if clause["status"] == "in_force" and not clause["void"]:
                result[clause["article"]] = result.get(clause["article"], "") + "\n" + clause["text"]
    return result


def test_every_answer_stands_in_the_articles_it_names() -> None:
    known = texts()
    for line in lines("sample_gold.jsonl"):
        assert set(line["articles"]) <= set(known), line["id"]
        found = "\n".join(known[article] for article in line["articles"]).casefold()
        missing = [words for words in line["must_include"] if words.casefold() not in found]
        assert not missing, f"{line['id']}: {missing}"


def test_an_answer_of_several_articles_needs_each_of_them() -> None:
    known = texts()
    for line in lines("sample_gold.jsonl"):
        if len(line["articles"]) < 2:
            continue
        for article in line["articles"]:
            others = "\n".join(known[other] for other in line["articles"] if other != article).casefold()
            assert any(words.casefold() not in others for words in line["must_include"]), f"{line['id']}: {article}"


def test_the_set_is_large_even_in_style_and_over_all_sections() -> None:
    answerable, unanswerable = lines("sample_gold.jsonl"), lines("sample_unanswerable.jsonl")
    assert len(answerable) >= 48
    assert len(unanswerable) >= 14
    styles = Counter(line["style"] for line in answerable)
    assert set(styles) == set(STYLES)
    assert max(styles.values()) - min(styles.values()) <= 3
    assert {article.removeprefix("APP ")[0] for line in answerable for article in line["articles"]} == set("ABCDEF")
    assert sum(len(line["articles"]) > 1 for line in answerable) >= 4


def test_lines_carry_the_fields_of_the_gold_format_and_ids_are_unique() -> None:
    fields = {"id", "question", "type", "articles", "answer", "must_include", "style", "difficulty"}
    answerable, unanswerable = lines("sample_gold.jsonl"), lines("sample_unanswerable.jsonl")
    assert all(set(line) - {"also"} == fields and line["must_include"] for line in answerable)
    assert all(set(line) == {"id", "question", "why"} for line in unanswerable)
    ids = [line["id"] for line in answerable + unanswerable]
    assert len(ids) == len(set(ids))


def test_a_plain_question_is_not_in_the_words_of_its_clause() -> None:
    known = texts()
    for line in lines("sample_gold.jsonl"):
        if line["style"] != "plain":
            continue
        question = line["question"].casefold().split()
        law = " ".join(" ".join(known[article] for article in line["articles"]).casefold().split())
        copied = [" ".join(question[i : i + 5]) for i in range(len(question) - 4)]
        assert not [words for words in copied if words in law], line["id"]
