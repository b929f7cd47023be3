"""The server: health, the hand-over endpoints for other commands of this machine, and the chat, in one process."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from app import render, wire
from app.backend import LocalBackend
from app.handover import find_server
from app.headers import OwnSourcesOnly
from app.lock import ServerLock, new_lock, remove_lock, write_lock
from app.pages import PageImages
from app.pane import pane_router
from app.runtime import Runtime
from pipelines.errors import IndexBusy, ReadError, TechRegError, UsageError
from pipelines.schema import Clause
from pipelines.settings import Settings

STATIC = Path(__file__).parent / "static"
LOOPBACK = ("127.", "localhost", "::1")
SHUTDOWN_S = 3  # browsers keep a connection open; it does not hold up the end longer than this


def create_app(runtime: Runtime, lock: ServerLock) -> FastAPI:
    """The application around ``runtime``; it starts and closes the runtime, and owns the lock file while it lives."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        write_lock(runtime.settings.storage, lock)
        runtime.start()
        try:
            yield
        finally:
            remove_lock(runtime.settings.storage, lock)
            runtime.close()
            pages.close()

    pages = PageImages()
    app = FastAPI(title="TechReg Analyst", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/api/health")
    def health() -> Response:
        shaped = runtime.health() | {"app": "techreg", "instance": lock.instance}
        return JSONResponse(shaped, status_code=503 if shaped["status"] == "failed" else 200)

    _add_handover(app, runtime, lock)
    app.include_router(pane_router(runtime, pages))
    app.mount("/look", StaticFiles(directory=STATIC), name="look")
    app.add_middleware(OwnSourcesOnly)
    app.exception_handler(TechRegError)(_told)
    app.exception_handler(Exception)(_broken)
    return app


def _add_handover(app: FastAPI, runtime: Runtime, lock: ServerLock) -> None:
    """The endpoints that :class:`~app.handover.RemoteBackend` calls; the lock file's token opens them."""

    def checked(x_techreg_token: Annotated[str, Header()] = "") -> None:
        if not secrets.compare_digest(x_techreg_token.encode(), lock.token.encode()):
            raise HTTPException(403, "the token of the lock file is needed")

    only_us = [Depends(checked)]

    @app.post("/internal/search", dependencies=only_us)
    def search(asked: wire.Asked) -> Response:
        result = runtime.search(asked.question, asked.k, asked.filters, asked.explain, asked.history)
        return _json(wire.dump(result))

    @app.post("/internal/ask", dependencies=only_us)
    def ask(asked: wire.Asked) -> Response:
        return _json(wire.dump(runtime.ask(asked.question, asked.filters, asked.history)))

    @app.post("/internal/clauses", dependencies=only_us)
    def clauses(asked: wire.Asked) -> Response:
        return _json(wire.dump(tuple(runtime.clauses(asked.article, asked.filters)), tuple[Clause, ...]))

    @app.post("/internal/ingest", dependencies=only_us)
    def ingest(asked: wire.Asked) -> Response:
        return StreamingResponse(_ingest_events(runtime, asked), media_type="application/x-ndjson")


def _ingest_events(runtime: Runtime, asked: wire.Asked) -> Iterator[str]:
    """Run an ingest in a thread of its own and tell its progress, then its report or its error, a line each.

    The run goes on to its end when the caller goes away.
    """
    events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def work() -> None:
        try:
            paths = [Path(path) for path in asked.paths]
            report = runtime.ingest(
                paths, lambda now: events.put(("progress", asdict(now))), remove=asked.remove, rebuild=asked.rebuild
            )
            events.put(("report", asdict(report)))
        except TechRegError as error:
            events.put(("error", render.error(error)))
        except Exception as error:
            events.put(("error", _unexpected(error)))

    threading.Thread(target=work, name="techreg-ingest", daemon=True).start()
    while True:
        kind, value = events.get()
        yield json.dumps({kind: value}, ensure_ascii=False) + "\n"
        if kind != "progress":
            return


async def _told(_: Request, error: Exception) -> Response:
    assert isinstance(error, TechRegError)
    status = 404 if isinstance(error, ReadError) else 400 if isinstance(error, UsageError) else 409
    return JSONResponse(render.error(error), status_code=status)


async def _broken(_: Request, error: Exception) -> Response:
    return JSONResponse(_unexpected(error), status_code=500)


def _unexpected(error: Exception) -> render.Json:
    message = f"unexpected {type(error).__name__}: {error}"
    return {"type": "TechRegError", "message": message, "fix": "See the server's log"}


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def serve(settings: Settings, beside: Callable[[Runtime], None] | None = None) -> int:
    """Serve the app until it is stopped; the exit code. ``beside`` is called once with the runtime before it starts.

    Raises:
        IndexBusy: a server already holds the storage folder.
        TechRegError: the address cannot be bound.
    """
    import uvicorn

    running = find_server(settings.storage)
    if running is not None:
        url, pid = running.lock.url, running.lock.pid
        raise IndexBusy(f"the app already runs on {url} (process {pid})", "Open it, or stop that process")
    with _bound(settings.host, settings.port) as bound:
        port = bound.getsockname()[1]
        lock = new_lock(settings.host, port)
        if not settings.host.startswith(LOOPBACK):
            _say(f"Warning: {settings.host} is open to other machines; whoever reaches it can ask and read.")
        _say(f"TechReg Analyst on {lock.url}  (Ctrl+C stops it)")
        runtime = Runtime(settings, LocalBackend(settings))
        app = create_app(runtime, lock)
        mount_chat(app, runtime)
        if beside is not None:
            beside(runtime)
        config = uvicorn.Config(app, log_level=settings.log_level, timeout_graceful_shutdown=SHUTDOWN_S)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[bound])
    return 0


def mount_chat(app: FastAPI, runtime: Runtime) -> None:
    """Put the chat on the application; Gradio is imported only here."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read as gradio is imported
    from app.ui import mount

    mount(app, runtime)


def _bound(host: str, port: int) -> socket.socket:
    """A socket on that address, before the lock file names its port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name != "nt":  # there it would let two servers share a port
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        reason = error.strerror or str(error)
        raise TechRegError(f"cannot bind {host}:{port}: {reason}", "Choose another: techreg serve --port 0") from error
    return bound


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
