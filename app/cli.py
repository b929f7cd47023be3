"""The console command ``techreg``: its arguments, and what an error looks like. The work is in ``commands``.

Only the standard library is imported here, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.evaluation import add_scores

if TYPE_CHECKING:
    from app.backend import Backend
    from pipelines.settings import Settings

STATUSES = ("in_force", "future", "superseded", "all")
EPILOG = (
    "Settings are read from the environment (TECHREG_...) and .env; exit 0: done, 1: told in one line, 2: wrong usage."
)


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command that exists."""
    parser = argparse.ArgumentParser(
        prog="techreg",
        description="Ask the FIA Formula 1 regulations and get the rule itself: article, page and words in force.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")

    ingest = _command(commands, "ingest", "read files or folders into the index; unchanged files cost nothing")
    ingest.add_argument("paths", nargs="*", metavar="PATH", help="file or folder")
    ingest.add_argument("--remove", action="append", default=[], metavar="FILE", help="take a file out of the index")
    ingest.add_argument("--rebuild", action="store_true", help="drop the index first; alone: read again what it held")

    clauses = _command(commands, "clauses", "list what is indexed, clause by clause")
    clauses.add_argument("article", nargs="?", default="", metavar="ARTICLE", help="only this article and below it")
    clauses.add_argument(
        "--dead-references", action="store_true", help="instead list the references that lead nowhere in their issue"
    )
    _filters(clauses)

    search = _command(commands, "search", "find the clauses that bear on a question")
    _question(search)
    search.add_argument("-k", type=_count, metavar="N", help="results of a question (default: TECHREG_RESULTS)")
    search.add_argument("--explain", action="store_true", help="what was understood, and each stage's rank")
    _filters(search)

    ask = _command(commands, "ask", "answer a question with checked citations, or refuse")
    _question(ask)
    _filters(ask)

    evaluate = commands.add_parser("eval", help="score the product", description="Score the product.")
    add_scores(evaluate)

    _command(commands, "doctor", "check the installation, the index and the models")

    serve = _command(commands, "serve", "open the app in the browser", json=False)
    serve.add_argument("--host", help="address to bind (default: TECHREG_HOST, 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to bind, 0 for a free one (default: TECHREG_PORT, 7860)")
    return parser


def main(argv: Sequence[str] | None = None, connect: Callable[[Settings], Backend] | None = None) -> int:
    """Run one command and return its exit code. ``connect`` gives the backend, the product's own by default."""
    parser = build_parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:  # argparse has said what is wrong, or printed the help
        return int(stop.code or 0)
    if args.version:
        from importlib.metadata import version

        print(f"techreg {version('techreg-analyst')}")
        return 0
    if args.command is None:
        parser.print_usage(sys.stderr)
        return 2
    return _run(args, connect)


def _run(args: argparse.Namespace, connect: Callable[[Settings], Backend] | None) -> int:
    from app import commands
    from pipelines.errors import TechRegError, UsageError
    from pipelines.settings import load_settings

    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # a bar for every load of a model is noise
    try:
        if args.command == "doctor":
            return commands.doctor(args)
        settings = load_settings()
        logging.basicConfig(
            stream=sys.stderr, level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
        )
        return commands.run(args, settings, connect)
    except TechRegError as error:
        _tell(f"{error.message.rstrip('.')}. {error.fix}")
        return 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:  # the reader of our output has closed it: `techreg clauses | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _tell("stopped")
        return 130
    except Exception as error:
        logging.getLogger("techreg").debug("unexpected error", exc_info=True)
        _tell(f"unexpected {type(error).__name__}: {error}. Set TECHREG_LOG_LEVEL=debug to see where it happened")
        return 1


def _tell(message: str) -> None:
    print("techreg: " + " ".join(message.split()), file=sys.stderr)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help_: str, *, json: bool = True
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.")
    if json:
        parser.add_argument("--json", action="store_true", help="print JSON on stdout and nothing else there")
    return parser


def _question(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("question", nargs="?", metavar="QUESTION", help="in your own words")
    what.add_argument("--batch", metavar="FILE.jsonl", help="one {id, question} a line; - reads standard input")


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--section", default="", metavar="LETTER", help="only this section, A to F")
    parser.add_argument("--issue", default="", metavar="NN", help="only this issue")
    parser.add_argument("--status", choices=STATUSES, default=STATUSES[0], help="default: %(default)s")


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{number} is not between 1 and 100")
    return number
