"""A server over a backend of a few clauses, for states that a real one passes too quickly: indexing, slow, down.

Nothing is indexed until a line comes in on stdin.
"""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path

import uvicorn

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "app"))

from conftest import FakeBackend  # noqa: E402

from app.lock import new_lock  # noqa: E402
from app.runtime import Runtime  # noqa: E402
from app.server import create_app, mount_chat  # noqa: E402
from pipelines.ingest import Progress  # noqa: E402
from pipelines.schema import Answer  # noqa: E402
from pipelines.settings import load_settings  # noqa: E402


class States(FakeBackend):
    """Indexing waits for :attr:`go`; "slow" takes a minute; "down" is answered without its language model."""

    def __init__(self) -> None:
        super().__init__(())
        self.go = threading.Event()

    def ingest(self, paths, progress=None, *, remove=(), rebuild=False):
        progress(Progress("index", "b.pdf", 96, 96, 300, 600))
        self.go.wait()
        return super().ingest(paths, remove=remove, rebuild=rebuild)

    def stream(self, question, filters=None, history=()):
        if "slow" in question:
            yield "The first words. "
            threading.Event().wait(60)
        for piece in super().stream(question, filters, history):
            if isinstance(piece, Answer) and "down" in question:
                yield replace(piece, fallback=True, warnings=("the language model failed too often",))
            else:
                yield piece


def main(port: int) -> None:
    backend = States()

    def wait() -> None:
        sys.stdin.readline()
        backend.go.set()

    threading.Thread(target=wait, daemon=True).start()
    settings = load_settings()
    settings.documents.mkdir(exist_ok=True)
    (settings.documents / "b.pdf").touch()
    runtime = Runtime(settings, backend, sample=settings.storage / "none")
    app = create_app(runtime, new_lock("127.0.0.1", port))
    mount_chat(app, runtime)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
