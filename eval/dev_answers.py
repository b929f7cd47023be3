"""Development questions with required strings: answers are tuned on these, never on gold.

    python -m eval.dev_answers ../shared/train/questions.jsonl > dev.jsonl
    techreg ask --batch dev.jsonl --json > answers.jsonl
    python -m eval.answers answers.jsonl dev.jsonl

The questions are not ours to copy: ``eval/data/dev_strings.jsonl`` names their lines (from 1) in the training file, all
of articles that no fit has seen, and the strings that a right answer holds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

STRINGS = Path(__file__).parent / "data" / "dev_strings.jsonl"


def dev_gold(questions: Path, strings: Path = STRINGS) -> Iterator[dict[str, Any]]:
    """Gold rows (id, question, articles, must_include) of the lines that ``strings`` names in ``questions``."""
    lines = questions.read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, strings.read_text(encoding="utf-8").splitlines()):
        asked = json.loads(lines[row["line"] - 1])
        yield {
            "id": f"dev-{row['line']}",
            "question": asked["q"],
            "articles": [asked["a"]],
            "must_include": row["must_include"],
        }


def main(arguments: Sequence[str]) -> int:
    """Print the rows as JSONL."""
    if len(arguments) != 1:
        print("usage: python -m eval.dev_answers QUESTIONS.jsonl", file=sys.stderr)
        return 2
    for row in dev_gold(Path(arguments[0])):
        print(json.dumps(row, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
