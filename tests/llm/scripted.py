"""An OpenAI-compatible server on localhost that answers by a script, one step a request; the last step repeats."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Carries out one step of the script for each request and keeps what was asked."""

    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.request_body: dict[str, Any] = json.loads(body)
        server = self.server
        with server.lock:
            step = server.steps[min(len(server.requests), len(server.steps) - 1)]
            server.requests.append(
                {"path": self.path, "authorization": self.headers.get("Authorization"), **self.request_body}
            )
        step(self)

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


class ScriptedServer(ThreadingHTTPServer):
    """The server; ``requests`` are the requests so far, ``released`` ends the steps that wait."""

    daemon_threads = True

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.hung_up = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: object) -> None:
        return

    def stop(self) -> None:
        self.released.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


def says(text: str) -> Step:
    """A whole reply, or a streamed one where the request asks for that."""

    def step(handler: Handler) -> None:
        if handler.request_body.get("stream"):
            _stream(handler, [text[i : i + 7] for i in range(0, len(text), 7)], finish=True)
        else:
            message = {"role": "assistant", "content": text}
            reply = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
            handler.send(200, json.dumps(reply).encode())

    return step


def status(code: int, headers: dict[str, str] | None = None) -> Step:
    """An HTTP error."""
    return lambda handler: handler.send(code, b'{"error": {"message": "no"}}', headers)


def raw(body: bytes) -> Step:
    """A body as it is, with status 200."""
    return lambda handler: handler.send(200, body)


def cut_stream(text: str) -> Step:
    """A stream that ends in the middle: no finish reason, no [DONE]."""
    return lambda handler: _stream(handler, [text], finish=False)


def never(handler: Handler) -> None:
    """No reply until the test is over."""
    handler.server.released.wait(30)


def endless(handler: Handler) -> None:
    """A stream that goes on until the client hangs up."""
    _head(handler)
    try:
        for _ in range(100_000):
            _event(handler, "The car must stop [1]. ")
    except OSError:
        handler.server.hung_up.set()


def _head(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True


def _event(handler: Handler, text: str) -> None:
    event = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.flush()


def _stream(handler: Handler, pieces: Sequence[str], *, finish: bool) -> None:
    _head(handler)
    for piece in pieces:
        _event(handler, piece)
    if finish:
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        handler.wfile.write(f"data: {json.dumps(last)}\n\ndata: [DONE]\n\n".encode())
