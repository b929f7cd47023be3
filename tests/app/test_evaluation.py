"""Every score that the help tells of can be asked for."""

from __future__ import annotations

import argparse
import io

import pytest

from app import evaluation
from pipelines.settings import Settings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    evaluation.add_scores(parser)
    return parser


def test_every_score_has_a_function_that_carries_it_out() -> None:
    (scores,) = (action for action in _parser()._actions if isinstance(action.choices, dict))
    assert isinstance(scores.choices, dict)
    assert set(scores.choices) == set(evaluation.SCORES)


@pytest.mark.parametrize("line", ["bench gold.jsonl", "retrieval gold.jsonl"])
def test_a_score_reads_its_gold(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pipelines.errors import UsageError

    class Backend:
        def clauses(self, *_: object) -> list[object]:
            return []

    with pytest.raises(UsageError, match="cannot be read"):
        evaluation.run(_parser().parse_args(line.split()), Settings(_env_file=None), Backend(), io.StringIO())  # type: ignore[arg-type]
