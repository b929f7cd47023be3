"""Download the FIA's regulations into the documents folder: ``python -m scripts.fetch_regulations``.

Exit 0 when every file is in place, 1 when one is not; then it says where a person finds them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pipelines.errors import TechRegError
from pipelines.fetch import Manifest, fetch, load_manifest, new_client
from pipelines.settings import load_settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.fetch_regulations", description=main.__doc__)
    parser.description = "Download the FIA's regulations, one file at a time, each checked by its sha256."
    parser.add_argument("folder", nargs="?", type=Path, help="where to put them (default: TECHREG_DOCUMENTS)")
    parser.add_argument(
        "--all", action="store_true", help="also the earlier issues, not only the newest of each section"
    )
    parser.add_argument("--if-empty", action="store_true", help="do nothing where the folder already holds a document")
    parser.add_argument("--manifest", type=Path, help="another list of files")
    args = parser.parse_args(argv)
    try:
        folder = args.folder or load_settings().documents
        if args.if_empty and has_documents(folder):
            return 0
        manifest = load_manifest(args.manifest) if args.manifest else load_manifest()
        return run(manifest, folder, everything=args.all)
    except TechRegError as error:
        print(f"fetch: {error.message}. {error.fix}", file=sys.stderr)
        return 1


def run(manifest: Manifest, folder: Path, *, everything: bool = False) -> int:
    """Fetch into ``folder``, tell each file's fate on stderr, and return the exit code."""
    wanted = manifest.files if everything else manifest.current()
    failed = 0
    with new_client() as client:
        for result in fetch(wanted, folder, client):
            failed += result.state == "failed"
            detail = f": {result.detail}" if result.detail else ""
            print(f"{result.state:8} {result.entry.file}{detail}", file=sys.stderr, flush=True)
    if failed:
        print(
            f"{failed} of {len(wanted)} files are missing. Download them from {manifest.page}\n"
            f"and put the PDFs into {folder.resolve()}",
            file=sys.stderr,
        )
    return 1 if failed else 0


def has_documents(folder: Path) -> bool:
    """Whether the folder holds any file that could be read."""
    return folder.is_dir() and any(path.is_file() and not path.name.startswith(".") for path in folder.rglob("*"))


if __name__ == "__main__":
    sys.exit(main())
