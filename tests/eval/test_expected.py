from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.expected import EXPECTED, ROOT, Condition, check, read
from pipelines.errors import UsageError

CONDITION = Condition(
    name="one",
    commands=("techreg ingest docs", "techreg eval retrieval gold.jsonl --json"),
    needs=(),
    scores={"metrics.hit1": 0.8, "metrics.hit5": 0.9, "metrics.gone": 0.5},
    tolerance=0.01,
    settings={"TECHREG_RERANKER": "none"},
)


def test_scores_are_graded_within_their_tolerance() -> None:
    ran: list[tuple[Sequence[str], dict[str, str]]] = []

    def run(arguments: Sequence[str], environment: dict[str, str]) -> str:
        ran.append((arguments, environment))
        return json.dumps({"metrics": {"hit1": 0.79, "hit5": 0.911}})

    grades = check([CONDITION], run)
    # |0.79 - 0.8| is the tolerance itself, |0.911 - 0.9| is more, and a score that is not there cannot pass.
    assert [grade.outcome for grade in grades] == ["pass", "fail", "fail"]
    assert [next(iter(arguments)) for arguments, _ in ran] == ["ingest", "eval"]
    assert ran[0][1]["TECHREG_RERANKER"] == "none"
    assert ran[0][1]["TECHREG_STORAGE"] == ran[1][1]["TECHREG_STORAGE"]


def test_a_condition_whose_files_are_missing_is_skipped_and_says_so(tmp_path: Path) -> None:
    condition = Condition("two", ("techreg x",), ("not/here",), {"a": 1.0}, 0.0, {})
    (grade,) = check([condition], lambda *_: pytest.fail("it ran"), root=tmp_path)
    assert (grade.outcome, grade.got, grade.reason) == ("skipped", None, "not/here is not here")


def test_a_command_that_fails_is_an_error(tmp_path: Path) -> None:
    condition = Condition("bad", ("techreg nonsense",), (), {"a": 1.0}, 0.0, {})
    with pytest.raises(UsageError, match="ended with 2"):
        check([condition], root=ROOT)


def test_a_file_that_holds_no_conditions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    path.write_text('{"conditions": [{"name": "x"}]}')
    with pytest.raises(UsageError, match="no expected scores"):
        read(path)


@pytest.mark.skipif(not EXPECTED.exists(), reason="no expected scores are checked in")
def test_the_checked_in_conditions_name_files_that_exist_or_are_shared() -> None:
    for condition in read():
        assert condition.scores
        assert 0 <= condition.tolerance <= 0.02
        for path in condition.needs:
            assert path.startswith("../shared/") or (ROOT / path).exists()


def test_the_samples_scores_hold() -> None:
    """The sample regulation is indexed anew and its gold questions are scored as anybody would."""
    sample = [condition for condition in read() if condition.name.startswith("sample")]
    assert len(sample) == 2
    missed = [grade for grade in check(sample) if grade.outcome != "pass"]
    assert not missed, missed
