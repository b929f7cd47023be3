"""OpenTelemetry spans by LlamaIndex's instrumentation (the extra ``otel``); nothing is done while it is off.

LlamaIndex opens spans of its own for retrieval and reranking; those here stand around them, one a stage of an answer.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from pipelines.errors import SettingsError

OFF = "off"
CONSOLE = "console"
SERVICE = "techreg"

_started = False


def start(exporter: str) -> None:
    """Send spans from now on: to ``console`` (standard error), or by ``otlp`` to OTEL_EXPORTER_OTLP_ENDPOINT.

    Raises:
        SettingsError: the extra is not installed.
    """
    global _started
    if exporter == OFF or _started:
        return
    try:
        from llama_index.observability.otel import LlamaIndexOpenTelemetry
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SpanExporter

        sink: SpanExporter
        if exporter == CONSOLE:
            sink = ConsoleSpanExporter(out=sys.stderr)
        else:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            sink = OTLPSpanExporter()
    except ImportError as error:
        raise SettingsError("tracing wants the extra otel", "Run: pip install 'techreg-analyst[otel]'") from error
    LlamaIndexOpenTelemetry(span_exporter=sink, service_name_or_resource=SERVICE).start_registering()
    _started = True


@contextmanager
def span(name: str, *, enabled: bool = True) -> Iterator[None]:
    """A span around a stage. It must not be left open over a ``yield`` to another thread."""
    if not enabled:
        yield
        return
    from llama_index_instrumentation import get_dispatcher
    from llama_index_instrumentation.span import active_span_id

    dispatcher = get_dispatcher(SERVICE)
    arguments = inspect.signature(lambda: None).bind()
    identity = f"{name}-{uuid4()}"
    parent = active_span_id.get()
    token = active_span_id.set(identity)
    dispatcher.span_enter(id_=identity, bound_args=arguments, parent_id=parent)
    try:
        yield
    except BaseException as error:
        dispatcher.span_drop(id_=identity, bound_args=arguments, err=error)
        raise
    else:
        dispatcher.span_exit(id_=identity, bound_args=arguments)
    finally:
        active_span_id.reset(token)
