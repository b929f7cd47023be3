"""The fifteen conversations are whole: three turns each, every turn after the ones before it."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

from eval.gold import read_gold

PATH = Path(__file__).parents[2] / "eval" / "data" / "conversations.jsonl"


def test_fifteen_conversations_of_three_turns() -> None:
    lines = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
    conversations = [list(turns) for _, turns in groupby(lines, key=lambda line: line["conversation"])]
    assert len(conversations) == 15
    for turns in conversations:
        assert len(turns) == 3
        for number, turn in enumerate(turns):
            assert turn["history"] == [earlier["question"] for earlier in turns[:number]]
    assert len(read_gold(PATH)) == 45
