"""The client side of the hand-over: commands that answer through the server which holds the storage folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from app import wire
from app.lock import ServerLock, read_lock
from pipelines.errors import IndexBusy
from pipelines.schema import Clause, Filters, Reply, SearchResult

if TYPE_CHECKING:
    from pipelines.ingest import IngestReport, ProgressCallback

TOKEN_HEADER = "X-TechReg-Token"
HEALTH_TIMEOUT_S = 5.0
CALL_TIMEOUT_S = 600.0


def find_server(storage: Path) -> RemoteBackend | None:
    """The running server that holds ``storage``; None where there is none, or only the lock file of a dead one.

    Raises:
        IndexBusy: something listens on the lock's port and does not answer in time.
    """
    lock = read_lock(storage)
    if lock is None:
        return None
    try:
        with _client(lock, HEALTH_TIMEOUT_S) as client:
            health = client.get("/api/health").json()
    except (httpx.ConnectError, httpx.RemoteProtocolError, ValueError):
        return None
    except httpx.HTTPError as error:
        raise IndexBusy(f"the server on {lock.url} (process {lock.pid}) holds {storage} and does not answer") from error
    return RemoteBackend(lock) if isinstance(health, dict) and health.get("instance") == lock.instance else None


class RemoteBackend:
    """A :class:`~app.backend.Backend` that hands each call to the server; the server's errors are raised here."""

    def __init__(self, lock: ServerLock) -> None:
        self.lock = lock
        self._http = _client(lock, CALL_TIMEOUT_S)

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        """The clauses that bear on a question, best first."""
        asked = wire.Asked(question=question, k=k, filters=filters, explain=explain, history=tuple(history))
        return wire.load(SearchResult, self._call("search", asked))

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        """The answer to one question, a refusal, or what broke."""
        asked = wire.Asked(question=question, filters=filters, history=tuple(history))
        return wire.load_reply(self._call("ask", asked))

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        """The clauses of an article and below it, in reading order; "" means every clause."""
        return wire.load(tuple[Clause, ...], self._call("clauses", wire.Asked(article=article, filters=filters)))

    def ingest(
        self,
        paths: Sequence[Path],
        progress: ProgressCallback | None = None,
        *,
        remove: Sequence[str] = (),
        rebuild: bool = False,
    ) -> IngestReport:
        """Bring the index up to date with files and folders, which the server reads; progress comes as it happens."""
        from pipelines.ingest import IngestReport, Progress

        where = tuple(str(path.resolve()) for path in paths)
        asked = wire.Asked(paths=where, remove=tuple(remove), rebuild=rebuild)
        with self._called(), self._http.stream("POST", "/internal/ingest", content=wire.dump(asked)) as response:
            if response.status_code != httpx.codes.OK:
                response.read()
                wire.raise_error(response.json())
            for line in response.iter_lines():
                kind, value = next(iter(json.loads(line).items()))
                match kind:
                    case "progress":
                        if progress is not None:
                            progress(wire.adapter(Progress).validate_python(value))
                    case "report":
                        return wire.adapter(IngestReport).validate_python(value)
                    case _:
                        wire.raise_error(value)
        raise self._gone("stopped before the end")

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _call(self, name: str, asked: wire.Asked) -> bytes:
        with self._called():
            response = self._http.post(f"/internal/{name}", content=wire.dump(asked))
        if response.status_code != httpx.codes.OK:
            wire.raise_error(response.json())
        return response.content

    @contextmanager
    def _called(self) -> Iterator[None]:
        """Translate what goes wrong on the way into the project's own error."""
        try:
            yield
        except httpx.HTTPError as error:
            raise self._gone(f"broke off: {error or type(error).__name__}") from error

    def _gone(self, what: str) -> IndexBusy:
        return IndexBusy(f"the server on {self.lock.url} (process {self.lock.pid}) {what}", "Run: techreg doctor")


def _client(lock: ServerLock, timeout_s: float) -> httpx.Client:
    # A proxy is never asked for an address of this machine.
    headers = {TOKEN_HEADER: lock.token, "Content-Type": "application/json"}
    return httpx.Client(base_url=lock.url, timeout=timeout_s, headers=headers, trust_env=False)
