"""What each command does: ask the backend, then print JSON on stdout or text for a person. Progress goes to stderr."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from app import render, terminal
from app.backend import Backend, connect
from app.batch import Line, read_batch
from pipelines.errors import TechRegError, UsageError
from pipelines.schema import Failure, Filters, SearchResult
from pipelines.settings import Settings

T = TypeVar("T")


def run(args: argparse.Namespace, settings: Settings, open_backend: Callable[[Settings], Backend] | None = None) -> int:
    """Run the command of ``args`` and return its exit code; expected errors are raised."""
    if args.command == "serve":
        from app.server import serve

        return serve(_overridden(settings, host=args.host, port=args.port))
    with _own_stdout() as out:
        command = {"ingest": ingest, "clauses": clauses, "search": search, "ask": ask, "eval": evaluate}[args.command]
        backend = (open_backend or connect)(settings)
        with contextlib.closing(backend):
            return command(args, settings, backend, out)


def ingest(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Read files or folders into the index."""
    paths = [Path(path) for path in args.paths]
    if not paths and not args.remove and not args.rebuild:
        raise UsageError("give a file or folder to read", "Run: techreg ingest data/regulations")
    meter = terminal.ProgressMeter(sys.stderr)
    report = backend.ingest(paths, meter.show, remove=args.remove, rebuild=args.rebuild)
    meter.close()
    shaped = report.as_dict()
    _print(out, shaped) if args.json else out.write(terminal.ingest(shaped))
    return 1 if report.failed else 0


def clauses(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """List what is indexed, or the references in it that lead nowhere."""
    if args.dead_references:
        return _dead_references(args, settings, backend, out)
    found = backend.clauses(args.article, _filters(args))
    if args.json:
        for record in found:
            _print(out, render.clause(record))
    else:
        out.write(terminal.clauses([render.clause(record) for record in found]))
    return 0


def _dead_references(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    from app.backend import held_headings
    from pipelines.library import ALL, Library
    from pipelines.links import Links

    links = Links(Library(backend.clauses("", Filters(status=ALL))), held_headings(settings))
    chosen = backend.clauses(args.article, _filters(args))
    dead = links.dead(chosen)
    if args.json:
        for one in dead:
            _print(out, render.dead_reference(one))
    else:
        made = sum(1 for record in chosen for one in record.references if one.kind != "document")
        out.write(terminal.dead_references([render.dead_reference(one) for one in dead], made))
    return 0


def search(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Find the clauses that bear on each question."""
    filters = _filters(args)

    def one(line: Line) -> SearchResult:
        return backend.search(line.question, args.k, filters, args.explain, line.history)

    failed = 0
    for line, result in _each(_lines(args), one):
        if isinstance(result, SearchResult):
            shaped = render.search(result, line.id, explain=args.explain)
        elif args.batch is None:
            raise result
        else:
            failed += 1
            shaped = render.search_error(line.id, line.question, render.error(result))
        _print(out, shaped) if args.json else out.write(terminal.search(shaped))
    return 1 if failed else 0


def ask(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Answer each question with its citations, or refuse."""
    filters = _filters(args)
    failed = 0
    for line, reply in _each(_lines(args), lambda line: backend.ask(line.question, filters, line.history)):
        if isinstance(reply, TechRegError):
            reply = Failure(line.question, type(reply).__name__, reply.message, reply.fix)
        shaped = render.reply(reply, line.id)
        if shaped["error"] is not None:
            failed += 1
            sys.stderr.write(f"techreg: {shaped['error']['message'].rstrip('.')}. {shaped['error']['fix']}\n")
        if args.json:
            _print(out, shaped)
        elif shaped["error"] is None:
            out.write(terminal.reply(shaped))
    return 1 if failed else 0


def evaluate(args: argparse.Namespace, settings: Settings, backend: Backend, out: TextIO) -> int:
    """Score the product."""
    from app import evaluation

    return evaluation.run(args, settings, backend, out)


def doctor(args: argparse.Namespace) -> int:
    """Check the installation, the settings first; a warning is no failure."""
    from app.doctor import diagnose

    with _own_stdout() as out:
        checks = diagnose()
        shaped = {"checks": [check.as_dict() for check in checks]}
        _print(out, shaped) if args.json else out.write(terminal.doctor(shaped))
    return 1 if any(check.status == "FAIL" for check in checks) else 0


def _lines(args: argparse.Namespace) -> Iterable[Line]:
    if args.batch is not None:
        return read_batch(args.batch)
    if not args.question.strip():
        raise UsageError("the question is empty", 'Run: techreg ask "How much must a car weigh?"')
    return [Line(None, args.question)]


def _each(lines: Iterable[Line], call: Callable[[Line], T]) -> Iterator[tuple[Line, T | TechRegError]]:
    """Call for each line; an expected error is that line's result and does not stop the others."""
    for line in lines:
        try:
            if line.problem:
                raise UsageError(line.problem, "Correct the line of the batch")
            result: T | TechRegError = call(line)
        except TechRegError as error:
            result = error
        yield line, result


def _filters(args: argparse.Namespace) -> Filters:
    section = args.section.strip()
    return Filters(section.upper() if len(section) == 1 else section, args.issue.strip(), args.status)


def _overridden(settings: Settings, **given: Any) -> Settings:
    """The settings with what the command line gave; checked as the settings are."""
    from pipelines.settings import load_settings

    changes = {name: value for name, value in given.items() if value is not None}
    return load_settings(**changes) if changes else settings


@contextlib.contextmanager
def _own_stdout() -> Iterator[TextIO]:
    """Standard output for this command alone: what a library prints meanwhile goes to stderr."""
    out = sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(encoding="utf-8")
    with contextlib.redirect_stdout(sys.stderr):
        yield out
    out.flush()


def _print(out: TextIO, shaped: render.Json) -> None:
    out.write(json.dumps(shaped, ensure_ascii=False) + "\n")
    out.flush()
