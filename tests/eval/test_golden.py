from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from eval_corpus import clause, passage, write_jsonl
from llm.scripted import Handler, ScriptedServer, says

from eval import golden
from eval.dataset import validate
from eval.gold import read_gold
from pipelines.errors import SettingsError
from pipelines.schema import Clause
from pipelines.settings import Settings


def law() -> list[Clause]:
    """Twelve clauses in two families; each has a number, and a list of two items."""
    return [
        clause(
            f"B{family}.{number}",
            f"Rule number {family}{number} of this small law limits the matter to {family}{number} kg in every case.\n"
            f"a. The first item of rule {family}{number} is here.\nb. The second item of {family}{number} is here.",
        )
        for family in (1, 2)
        for number in range(1, 7)
    ]


class Author:
    """A step of the scripted server: writes a question about each clause it is shown, and checks what it is shown."""

    def __init__(self, *, lie: str = "\0", refuse: str = "\0", same: bool = False) -> None:
        self.lie, self.refuse, self.same = lie, refuse, same

    def __call__(self, handler: Handler) -> None:
        system, user = (message["content"] for message in handler.request_body["messages"])
        numbers = re.findall(r"Rule number (\d+)", user)
        if "You check" in system:
            verdict = {"answered": self.refuse not in user, "right": True, "alone": True}
            says(f"Of course: {json.dumps(verdict)}")(handler)
            return
        quotes = [f"Rule number {number} of this small law" for number in numbers]
        if self.lie in user:
            quotes = ["words that are in no clause"]
        asked = "rule" if self.same else " and ".join(numbers)
        question = f"What does the law say of {asked}?"
        says(json.dumps({"question": question, "answer": f"It is {numbers[0]} kg.", "quotes": quotes}))(handler)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., tuple[list[dict[str, Any]], golden.Report]]]:
    servers: list[ScriptedServer] = []

    def start(author: Author, clauses: list[Clause], count: int = 12) -> tuple[list[dict[str, Any]], golden.Report]:
        servers.append(ScriptedServer([author]))
        settings = Settings(_env_file=None, llm_url=servers[-1].url, llm_model="author", llm_retries=0)
        writer, checker = golden.open_models(settings, tmp_path / f"{len(servers)}.sqlite")
        with closing(writer):
            return golden.generate(clauses, writer, checker, _one_hot, count=count)

    yield start
    for server in servers:
        server.stop()


def _one_hot(question: str) -> list[float]:
    """Questions that name the same rules have the same vector; others are at right angles."""
    vector = [0.0] * 1000
    vector[sum(int(number) * 7 for number in re.findall(r"\d+", question)) % 1000] = 1.0
    return vector


def test_questions_are_balanced_grounded_and_pass_the_validator(run: Any, tmp_path: Path) -> None:
    rows, report = run(Author(), law())
    assert report.as_dict()["kept"] == len(rows) == 12
    assert set(report.kept.values()) == {2}  # 12 over six types
    two = [row for row in rows if row["type"] in ("comparison", "multi_article")]
    assert all(len(row["articles"]) == 2 for row in two)
    out = tmp_path / "golden.jsonl"
    golden.write(rows, report, out)
    assert validate(out, law()) == (12, [])
    assert len(read_gold(out)) == 12
    assert json.loads((tmp_path / "golden.report.json").read_text())["models"]["writer"] == "author"


def test_a_quote_that_is_not_there_and_a_check_that_fails_drop_a_candidate(run: Any) -> None:
    rows, report = run(Author(lie="Rule number 1", refuse="Rule number 23"), law(), count=6)
    told = {reason for reasons in report.dropped.values() for reason in reasons}
    assert "quote not found" in told
    assert all("1" not in {row_article[1] for row_article in row["articles"]} for row in rows)
    assert all("B2.3" not in row["articles"] for row in rows)


def test_questions_that_mean_the_same_are_kept_once(run: Any) -> None:
    rows, report = run(Author(same=True), law(), count=6)
    assert len(rows) == 1
    assert report.dropped["numeric_limit"]["means the same as another"] == golden.TRIES


def test_text_documents_give_spans(run: Any, tmp_path: Path) -> None:
    text = "Rule number 5 of this small law limits the matter to 5 kg in every case of use."
    rows, report = run(Author(), [passage("guide.md", 3, 9, text)], count=6)
    assert rows[0]["evidence"] == [{"file": "guide.md", "lines": [3, 9]}]
    golden.write(rows, report, tmp_path / "g.jsonl")
    assert validate(tmp_path / "g.jsonl", [passage("guide.md", 3, 9, text)]) == (len(rows), [])


def test_without_a_model_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs a language model"):
        golden.open_models(Settings(_env_file=None), tmp_path / "x.sqlite")


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "?", "articles": ["B1.1"], "quotes": ["first item of rule 11"]},
        {"id": "2", "question": "?", "articles": ["B1"]},  # above clauses that exist
        {"id": "3", "question": "?", "articles": ["Z9"]},
        {"id": "4", "question": "?", "articles": ["B1.2"], "quotes": ["first item of rule 11"]},  # stands in B1.1
        {"id": "5", "question": "?", "evidence": [{"file": "a.rst", "lines": [50, 60]}]},
        {"id": "6", "question": "?", "articles": ["B1.1"], "quotes": []},
    ]
    count, problems = validate(write_jsonl(tmp_path / "gold.jsonl", rows), [*law(), passage("a.rst", 1, 9)])
    assert count == 6
    assert [problem.id for problem in problems] == ["3", "4", "5", "6"]


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("What does this clause say of fuel?", True),
        ("How do the two clauses differ on fuel?", True),
        ("What has to be done, by whom and in which order?", True),
        ("What is the list in the clause, asked for whole?", True),
        ("What has a team to do before fuel is used?", False),
        ("Which clauses of a contract does the FIA publish?", False),
    ],
)
def test_a_question_that_leans_on_its_clause_is_told(question: str, leans: bool) -> None:
    assert golden._leans(question, "procedure") is leans
