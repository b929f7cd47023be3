"""Fetching the FIA's regulations: a checked-in manifest says which files, from where, and what their bytes hash to.

One file at a time, with a pause between two; an interrupted download resumes; nothing is kept whose hash is wrong.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from pipelines.errors import DamagedFile

MANIFEST = Path(__file__).parent / "data" / "regulations.json"
USER_AGENT = "techreg-analyst/0.1 (reads the published F1 regulations)"
ATTEMPTS = 3  # connections made for one file before it is given up; each resumes where the last was cut


@dataclass(frozen=True, slots=True)
class Entry:
    """One published file. ``verified`` says that a download from ``url`` has been seen to match ``sha256``."""

    file: str
    section: str
    issue: str
    date: str  # ISO 8601
    bytes: int
    sha256: str
    url: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files known by name and the FIA's own page, where a person finds them."""

    page: str
    files: tuple[Entry, ...]

    def current(self) -> tuple[Entry, ...]:
        """The newest issue of each section, in the order of the sections."""
        newest: dict[str, Entry] = {}
        for entry in sorted(self.files, key=lambda entry: entry.date):
            newest[entry.section] = entry
        return tuple(newest[section] for section in sorted(newest))


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one file: ``state`` is "present", "fetched" or "failed"; ``detail`` says why it failed."""

    entry: Entry
    state: str
    detail: str = ""


class _Unreachable(Exception):
    """The host cannot be reached at all, so the files after this one need not be tried."""


def load_manifest(path: Path = MANIFEST) -> Manifest:
    """Read the manifest.

    Raises:
        DamagedFile: the file is no manifest.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(data["page"], tuple(Entry(**entry) for entry in data["files"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{path} is no list of regulations: {error}", "Restore it from the repository") from error


def fetch(
    entries: Sequence[Entry],
    folder: Path,
    client: httpx.Client,
    pause: Callable[[], None] = lambda: time.sleep(1.0),
) -> Iterable[Fetched]:
    """Bring each file into ``folder``, one at a time, and yield what became of it.

    A file that is there with the right bytes is not asked for. ``pause`` is called between two downloads. Once the
    host cannot be reached, the remaining files fail without being tried.
    """
    folder.mkdir(parents=True, exist_ok=True)
    unreachable, asked = "", False
    for entry in entries:
        target = folder / entry.file
        if target.is_file() and _sha256(target) == entry.sha256:
            yield Fetched(entry, "present")
            continue
        if unreachable:
            yield Fetched(entry, "failed", unreachable)
            continue
        if asked:
            pause()
        asked = True
        try:
            detail = _download(entry, target, client)
        except _Unreachable as error:
            detail = unreachable = str(error)
        yield Fetched(entry, "failed" if detail else "fetched", detail)


def new_client(timeout_s: float = 20.0) -> httpx.Client:
    """An HTTP client that says who it is and follows the FIA's redirects."""
    return httpx.Client(headers={"User-Agent": USER_AGENT}, timeout=timeout_s, follow_redirects=True)


def _download(entry: Entry, target: Path, client: httpx.Client) -> str:
    """Download one file; the reason it failed, or "" when it is in place. A cut download leaves its ``.part``."""
    part = target.with_name(target.name + ".part")
    detail = ""
    for _ in range(ATTEMPTS):
        try:
            detail, again = _attempt(entry, part, client)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise _Unreachable(f"no connection to {httpx.URL(entry.url).host}: {error}") from error
        except httpx.HTTPError as error:
            detail, again = f"the connection was cut: {error or type(error).__name__}", True
        if not detail:
            part.replace(target)
            return ""
        if not again:
            break
    return detail


def _attempt(entry: Entry, part: Path, client: httpx.Client) -> tuple[str, bool]:
    """One request, from where ``part`` ends: the reason it failed ("" for none) and whether another may succeed."""
    have = part.stat().st_size if part.exists() else 0
    if have >= entry.bytes:
        return _check(entry, part)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with client.stream("GET", entry.url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink()
            return "the server could not resume the download", True
        if response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
            return f"the server answered {response.status_code} {response.reason_phrase}", response.status_code >= 500
        if response.headers.get("Content-Type", "").startswith("text/html"):
            return "the server answered with a web page, not with the file", False
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        with part.open("ab" if resumed else "wb") as out:
            for chunk in response.iter_raw():
                out.write(chunk)
    return _check(entry, part)


def _check(entry: Entry, part: Path) -> tuple[str, bool]:
    size = part.stat().st_size
    if size < entry.bytes:
        return f"the connection was cut after {size:,} of {entry.bytes:,} bytes", True
    if _sha256(part) == entry.sha256:
        return "", False
    part.unlink()
    return "the file is not the one the manifest names (its sha256 differs)", False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
