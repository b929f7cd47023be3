"""``techreg eval ...``: the arguments of every score, and what each command does. The work is in the package ``eval``.

Only the standard library is imported here, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from app.backend import Backend
    from pipelines.settings import Settings


def add_scores(parser: argparse.ArgumentParser) -> None:
    """Add the scores below ``techreg eval``."""
    scores = parser.add_subparsers(title="scores", metavar="SCORE", dest="score", required=True)

    retrieval = _score(scores, "retrieval", "score search against gold questions")
    retrieval.add_argument("gold", metavar="GOLD.jsonl", help="questions with the articles, or lines, that answer them")
    retrieval.add_argument("--out", metavar="FOLDER", help="write questions.csv, report.json, report.md, report.html")
    retrieval.add_argument(
        "--results", metavar="FILE.jsonl", help="score another system's results: {id, results: [{text, ...}]} a line"
    )
    retrieval.add_argument(
        "--relevance", choices=("id", "text"), default="id", help="judge by clause id or by wording (default: id)"
    )

    check = _score(scores, "check", "run the conditions whose scores are checked in, and grade them")
    check.add_argument("names", nargs="*", metavar="CONDITION", help="only these (default: all)")
    check.add_argument("--expected", metavar="FILE.json", help="the scores (default: those of the package)")

    ragas = _score(scores, "ragas", "score answers by the metrics of ragas, with the judge that the settings name")
    _judged(ragas, "ragas-report")
    ragas.add_argument("--no-judge", action="store_true", help="only the metrics that need no judge")

    judge = _score(scores, "judge", "have answers marked for correctness, faithfulness and completeness")
    _judged(judge, "judge-report")


def run(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Carry out one score and return the exit code; expected errors are raised."""
    score = {"retrieval": retrieval, "check": check, "ragas": judged, "judge": judged}[args.score]
    return score(args, settings, backend, out)


def retrieval(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Score search, or another system's results, against gold questions."""
    from app import terminal
    from eval import retrieval_page
    from eval.retrieval import evaluate, evaluate_results
    from pipelines.schema import Filters

    count = terminal.Counter(sys.stderr, "questions")
    if args.results:
        clauses = backend.clauses("", Filters(status="all"))
        report = evaluate_results(Path(args.gold), Path(args.results), clauses, progress=count)
    else:
        report = evaluate(Path(args.gold), backend, relevance=args.relevance, progress=count)
    count.close()
    if args.out:
        _written(retrieval_page.write(report, Path(args.out), f"Retrieval: {Path(args.gold).name}"))
    shaped = report.as_dict()
    _print(out, shaped) if args.json else out.write(terminal.retrieval(shaped))
    return 0


def check(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Run the checked-in conditions again; 1 where a score is off or a condition that was named is skipped."""
    from dataclasses import asdict

    from eval import expected
    from pipelines.errors import UsageError

    conditions = expected.read(Path(args.expected) if args.expected else expected.EXPECTED)
    if unknown := set(args.names) - {condition.name for condition in conditions}:
        raise UsageError(f"there is no condition {sorted(unknown)[0]}")
    chosen = [condition for condition in conditions if not args.names or condition.name in args.names]
    grades = expected.check(chosen, tell=lambda name: print(f"running {name}", file=sys.stderr))
    if args.json:
        _print(out, {"grades": [asdict(grade) for grade in grades]})
    else:
        for grade in grades:
            got = "-" if grade.got is None else f"{grade.got:.4f}"
            told = f"expected {grade.expected:.4f}, got {got}" + (f" ({grade.reason})" if grade.reason else "")
            out.write(f"{grade.outcome.upper():<8}{grade.condition}  {grade.score}  {told}\n")
    bad = {"fail", "skipped"} if args.names else {"fail"}
    return 1 if any(grade.outcome in bad for grade in grades) else 0


def judged(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Have answers judged; 1 where a metric failed on every question it applies to."""
    from app import terminal
    from eval import judged_page
    from eval.judged import run_ragas, run_rubric

    count = terminal.Counter(sys.stderr, "")
    given: dict[str, Any] = {
        "limit": args.limit,
        "seed": args.seed,
        "workers": args.workers,
        "tell": lambda what, done, total: count.line(f"{done} of {total} {what}"),
    }
    gold, folder = Path(args.gold), Path(args.out)
    if args.score == "ragas":
        shaped = run_ragas(gold, backend, settings, folder, judged=not args.no_judge, **given)
    else:
        shaped = run_rubric(gold, backend, settings, folder, **given)
    count.close()
    print(f"wrote {folder}", file=sys.stderr)
    _print(out, shaped) if args.json else out.write(judged_page.text(shaped))
    lost = [one for one in shaped["metrics"].values() if one["failed"] and not one["scored"]]
    return 1 if lost else 0


def _judged(parser: argparse.ArgumentParser, out: str) -> None:
    parser.add_argument("gold", metavar="GOLD.jsonl", help="questions with the answers that are right")
    parser.add_argument(
        "--out", default=out, metavar="FOLDER", help="the run's folder; run again to go on (%(default)s)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="so many questions, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="judge calls at once (default: 1)")


def _written(paths: list[Path]) -> None:
    for path in paths:
        print(f"wrote {path}", file=sys.stderr)


def _print(out: TextIO, shaped: dict[str, Any]) -> None:
    out.write(json.dumps(shaped, ensure_ascii=False) + "\n")
    out.flush()


def _score(
    scores: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help_: str
) -> argparse.ArgumentParser:
    parser = scores.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.")
    parser.add_argument("--json", action="store_true", help="print JSON on stdout and nothing else there")
    return parser
