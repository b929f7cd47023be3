import json
from pathlib import Path

import pytest

from eval.dev_answers import dev_gold, main
from scripts.training.corpus import is_dev

QUESTIONS = Path(__file__).parents[2] / "../shared/train/questions.jsonl"


def test_strings_are_joined_to_their_questions(tmp_path: Path) -> None:
    questions, strings = tmp_path / "q.jsonl", tmp_path / "s.jsonl"
    questions.write_text('{"q": "one", "a": "B1.1"}\n{"q": "two", "a": "B1.2"}\n', encoding="utf-8")
    strings.write_text('{"line": 2, "must_include": ["80km/h"]}\n', encoding="utf-8")
    assert list(dev_gold(questions, strings)) == [
        {"id": "dev-2", "question": "two", "articles": ["B1.2"], "must_include": ["80km/h"]}
    ]


def test_without_a_file_it_tells_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_all_are_development_questions(capsys: pytest.CaptureFixture[str]) -> None:
    if not QUESTIONS.is_file():
        pytest.skip("the training questions are not in ../shared/train")
    assert main([str(QUESTIONS)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 152
    assert all(is_dev(row["articles"][0]) and row["must_include"] for row in rows)
