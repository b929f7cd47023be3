"""Generated documents: ``docs/cli.md`` from the commands, the README's table from the settings.

``python -m scripts.build_docs`` writes them, ``--check`` fails where one is out of date.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from app.cli import build_parser
from pipelines.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]
BEGIN = "<!-- settings: written by python -m scripts.build_docs -->"
END = "<!-- /settings -->"


def cli_page() -> str:
    """The help of every command, as one Markdown page."""
    with _columns(100):
        parts = ["# Commands", "Written by `python -m scripts.build_docs`.", _section(2, build_parser())]
        parts += [_section(3, parser) for parser in _subparsers(build_parser())]
    return "\n\n".join(parts) + "\n"


def settings_table() -> str:
    """Every setting with its default and meaning, as a Markdown table."""
    rows = ["| setting | default | what it does |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        rows.append(f"| `{PREFIX}{name.upper()}` | {_default(field)} | {_meaning(field)} |")
    return "\n".join(rows)


def with_table(readme: str) -> str:
    """A README with the settings' table between its two marks.

    Raises:
        ValueError: a mark is missing.
    """
    start, end = readme.index(BEGIN) + len(BEGIN), readme.index(END)
    return f"{readme[:start]}\n{settings_table()}\n{readme[end:]}"


def documents() -> dict[Path, str]:
    """Each generated file with what it should hold."""
    readme = ROOT / "README.md"
    return {ROOT / "docs" / "cli.md": cli_page(), readme: with_table(readme.read_text(encoding="utf-8"))}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the documents, or check them; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.build_docs", description="Write the generated documents.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where one is out of date")
    args = parser.parse_args(argv)
    stale = [path for path, text in documents().items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        if args.check:
            print(f"{path.relative_to(ROOT)} is out of date. Run: python -m scripts.build_docs", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(documents()[path], encoding="utf-8")
    return 1 if stale and args.check else 0


def _section(level: int, parser: argparse.ArgumentParser) -> str:
    return f"{'#' * level} {parser.prog}\n\n```text\n{parser.format_help().rstrip()}\n```"


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                yield child
                yield from _subparsers(child)


def _default(field: FieldInfo) -> str:
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return f"`{value}`" if value not in ("", None) else ""


def _meaning(field: FieldInfo) -> str:
    text = (field.description or "").replace("|", "\\|")
    choices = [one for one in get_args(field.annotation) if isinstance(one, str)]
    return f"{text} ({', '.join(f'`{one}`' for one in choices)})" if choices else text


@contextmanager
def _columns(count: int) -> Iterator[None]:
    """Argparse wraps its help to the terminal; here to one width, so that the page is the same everywhere."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(count)
    try:
        yield
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)


if __name__ == "__main__":
    sys.exit(main())
