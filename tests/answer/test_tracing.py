from __future__ import annotations

import sys

import pytest

from pipelines.errors import SettingsError
from pipelines.tracing import SERVICE, span, start


@pytest.fixture
def spans() -> object:
    """LlamaIndex's own in-memory span handler, on our dispatcher for one test."""
    from llama_index_instrumentation import get_dispatcher
    from llama_index_instrumentation.span_handlers import SimpleSpanHandler

    dispatcher, handler = get_dispatcher(SERVICE), SimpleSpanHandler()
    before = list(dispatcher.span_handlers)
    dispatcher.add_span_handler(handler)
    yield handler
    dispatcher.span_handlers = before


def test_spans_nest_and_a_failed_one_is_dropped(spans: object) -> None:
    with span("ask"):
        with span("search"):
            pass
        with pytest.raises(ValueError, match="broken"), span("extract"):
            raise ValueError("broken")
    done = {one.id_.partition("-")[0]: one for one in spans.completed_spans}  # type: ignore[attr-defined]
    assert set(done) == {"ask", "search"}
    assert done["search"].parent_id == done["ask"].id_
    assert done["ask"].parent_id is None
    assert [one.id_.partition("-")[0] for one in spans.dropped_spans] == ["extract"]  # type: ignore[attr-defined]


def test_off_does_nothing(spans: object) -> None:
    start("off")
    with span("ask", enabled=False):
        pass
    assert spans.completed_spans == []  # type: ignore[attr-defined]


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_index.observability.otel", None)
    with pytest.raises(SettingsError) as caught:
        start("console")
    assert "otel" in caught.value.fix
