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

    sweep = _score(scores, "sweep", "run named conditions over a corpus, each changing one thing, and compare them")
    sweep.add_argument("gold", metavar="GOLD.jsonl", help="questions with the articles, or lines, that answer them")
    sweep.add_argument("corpus", nargs="+", metavar="PATH", help="files and folders to search")
    sweep.add_argument(
        "--conditions", default="sweep", metavar="FILE.toml", help="`sweep`, `published`, or a file (default: sweep)"
    )
    sweep.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these and what they come from")
    sweep.add_argument("--out", default="sweep-report", metavar="FOLDER", help="the sweep's folder (%(default)s)")
    sweep.add_argument("--engine", choices=("processes", "ray"), default="processes", help="default: %(default)s")
    sweep.add_argument("--workers", type=int, default=2, help="tasks at once (default: 2)")
    sweep.add_argument("--shards", type=int, default=2, help="parts that the questions are scored in (default: 2)")
    sweep.add_argument("--seed", type=int, default=0, help="of the shards (default: 0)")

    golden = _score(scores, "golden", "write gold questions from what is indexed, or check a file of them")
    golden.add_argument("--out", default="golden.jsonl", metavar="FILE.jsonl", help="where to write (%(default)s)")
    golden.add_argument("-n", type=int, default=30, metavar="N", help="questions wanted (default: 30)")
    golden.add_argument("--seed", type=int, default=0, help="of the draw of clauses (default: 0)")
    golden.add_argument("--validate", metavar="FILE.jsonl", help="write nothing; check this file against the index")

    bench = _score(scores, "bench", "measure speed, as ratios in one run, with the machine named")
    bench.add_argument("gold", metavar="GOLD.jsonl", help="questions to search for")
    bench.add_argument("--corpus", nargs="*", default=[], metavar="PATH", help="also time reading and indexing these")
    bench.add_argument("--limit", type=int, default=40, metavar="N", help="so many questions (default: 40)")


def run(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Carry out one score and return the exit code; expected errors are raised."""
    return SCORES[args.score](args, settings, backend, out)


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


def sweep(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Run conditions and compare them; a condition that is not run is told and is no error."""
    from contextlib import closing

    from eval.sweep import conditions, table
    from eval.sweep.engines import open_engine
    from eval.sweep.runner import Sweep

    named = conditions.FOLDER / f"{args.conditions}.toml"
    found = conditions.read(named if named.exists() else Path(args.conditions))
    wanted = conditions.chosen(found, args.only)
    folder = Path(args.out)
    with (
        open_engine(args.engine, args.workers) as engine,
        closing(
            Sweep(
                [Path(path) for path in args.corpus],
                Path(args.gold),
                folder,
                settings,
                engine,
                shards=args.shards,
                workers=args.workers,
                seed=args.seed,
                tell=lambda line: print(line, file=sys.stderr, flush=True),
            )
        ) as running,
    ):
        runs = [running.run(condition) for condition in wanted]
    shaped = table.document(runs, f"Sweep: {Path(args.gold).name}")
    _written(table.write(shaped, folder))
    _print(out, shaped) if args.json else out.write(table.text(shaped))
    return 0


def golden(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Write gold questions, or check a file of them; 1 where a question is not sound."""
    from contextlib import closing
    from dataclasses import asdict

    from app import terminal
    from eval import dataset
    from eval import golden as writing
    from eval.judging import JudgeDown
    from pipelines.errors import ModelError
    from pipelines.models.embedding import load_embedder
    from pipelines.schema import Filters

    path = Path(args.validate or args.out)
    clauses = list(backend.clauses("", Filters(status="all")))
    if not args.validate:
        writer, checker = writing.open_models(settings, path.with_suffix(".replies.sqlite"))
        count = terminal.Counter(sys.stderr, "questions")
        with closing(writer), closing(checker):
            try:
                rows, report = writing.generate(
                    clauses,
                    writer,
                    checker,
                    load_embedder(settings).query,
                    count=args.n,
                    seed=args.seed,
                    progress=count,
                )
            except JudgeDown as error:
                raise ModelError(str(error), "Run the same command to go on") from error
        count.close()
        writing.write(rows, report, path)
        _written([path, path.with_suffix(".report.json")])
        if not rows:
            raise ModelError("the model wrote no question that passed", "Read the report, or set another TECHREG_LLM")
    total, problems = dataset.validate(path, clauses)
    shaped = {"questions": total, "problems": [asdict(problem) for problem in problems]}
    if args.json:
        _print(out, shaped)
    else:
        out.write("".join(f"{problem.id}: {problem.told}\n" for problem in problems))
        out.write(f"{total} questions, {len(problems)} problems\n")
    return 1 if problems else 0


def bench(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Measure speed."""
    from eval import bench as measuring

    corpus = [Path(path) for path in args.corpus]
    shaped = measuring.measure(
        backend,
        settings,
        Path(args.gold),
        corpus,
        limit=args.limit,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )
    _print(out, shaped) if args.json else out.write(measuring.text(shaped))
    return 0


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


SCORES = {
    "retrieval": retrieval,
    "check": check,
    "ragas": judged,
    "judge": judged,
    "sweep": sweep,
    "golden": golden,
    "bench": bench,
}
"""What carries out each score."""
