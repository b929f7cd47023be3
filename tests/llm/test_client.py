"""The HTTP client against a scripted OpenAI-compatible server."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from pipelines.errors import ModelNotFound, ModelReplyError, ModelTimeout
from pipelines.llm import ChatModel, CircuitBreaker

from .scripted import ScriptedServer, cut_stream, endless, never, raw, says, status

Serve = Callable[..., ScriptedServer]
Connect = Callable[..., ChatModel]
ASKED = [{"role": "user", "content": "Pit lane speed?"}]


def test_a_whole_reply_and_what_was_sent(serve: Serve, connect: Connect) -> None:
    server = serve(says("80km/h [1]."))
    assert connect(server).complete(ASKED, 50) == "80km/h [1]."
    request = server.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("scripted", 0, 50)
    assert request["messages"] == ASKED
    assert request["authorization"] == "Bearer sk-secret"


def test_a_streamed_reply_is_the_whole_one_in_pieces(serve: Serve, connect: Connect) -> None:
    pieces = list(connect(serve(says("The limit is 80km/h [1]."))).stream(ASKED, 50))
    assert len(pieces) > 1
    assert "".join(pieces) == "The limit is 80km/h [1]."


def test_429_then_ok_waits_as_long_as_the_server_asks(serve: Serve, connect: Connect) -> None:
    model = connect(serve(status(429, {"Retry-After": "3"}), says("Yes [1].")))
    assert model.complete(ASKED, 50) == "Yes [1]."
    assert model.slept == [3.0]  # type: ignore[attr-defined]
    assert not model.breaker.open


def test_pauses_grow_and_500_always_is_an_error(serve: Serve, connect: Connect) -> None:
    server = serve(status(500))
    model = connect(server)
    with pytest.raises(ModelReplyError, match="answered 500"):
        model.complete(ASKED, 50)
    assert model.slept == [0.5, 1.0]  # type: ignore[attr-defined]
    assert len(server.requests) == 3
    assert model.breaker.open  # three failed tries in a row


def test_a_stream_is_tried_again_before_its_first_piece(serve: Serve, connect: Connect) -> None:
    assert "".join(connect(serve(status(503), says("Yes [1]."))).stream(ASKED, 50)) == "Yes [1]."


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (says(""), "empty"),
        (says("  \n"), "empty"),
        (raw(b"{not json"), "cannot be read"),
        (raw(b"[]"), "an error"),
        (raw(b'{"choices": "none"}'), "cannot be read"),
        (raw(b'{"choices": [{"message": {"content": 7}}]}'), "cannot be read"),
        (raw(b'{"error": {"message": "overloaded"}}'), "an error"),
        (status(400), "answered 400"),
        (status(401), "refuses the key"),
    ],
)
def test_replies_that_are_none(serve: Serve, connect: Connect, step: object, message: str) -> None:
    server = serve(step)
    with pytest.raises(ModelReplyError, match=message):
        connect(server).complete(ASKED, 50)
    assert len(server.requests) == 1  # trying again would not help


def test_an_unknown_model_says_which_setting_to_correct(serve: Serve, connect: Connect) -> None:
    with pytest.raises(ModelNotFound) as caught:
        connect(serve(status(404))).complete(ASKED, 50)
    assert "TECHREG_LLM_MODEL" in caught.value.fix


def test_an_empty_stream_is_an_error(serve: Serve, connect: Connect) -> None:
    with pytest.raises(ModelReplyError, match="empty"):
        list(connect(serve(says(""))).stream(ASKED, 50))


def test_a_cut_stream_gives_its_pieces_and_then_an_error(serve: Serve, connect: Connect) -> None:
    model = connect(serve(cut_stream("The limit is ")), breaker=1)
    pieces = model.stream(ASKED, 50)
    assert next(pieces) == "The limit is "
    with pytest.raises(ModelReplyError, match="cut off"):
        next(pieces)
    assert model.breaker.open


@pytest.mark.parametrize("stream", [False, True])
def test_a_slow_model_is_a_time_out(serve: Serve, connect: Connect, stream: bool) -> None:
    model = connect(serve(never), timeout_s=0.1)
    with pytest.raises(ModelTimeout, match=r"0\.1 s"):
        list(model.stream(ASKED, 50)) if stream else model.complete(ASKED, 50)


def test_a_stream_that_never_ends_is_a_time_out(serve: Serve) -> None:
    ticks = iter(range(1000))
    server = serve(endless)
    from pipelines.tokens import TokenCounter, estimate

    model = ChatModel(
        url=server.url,
        model="scripted",
        timeout_s=10,
        retries=0,
        counter=TokenCounter("estimate", estimate),
        breaker=CircuitBreaker(3, 60.0),
        clock=lambda: float(next(ticks)),
    )
    with pytest.raises(ModelTimeout, match="more than 10 s"):
        list(model.stream(ASKED, 50))
    model.close()


def test_closing_the_stream_ends_the_call(serve: Serve, connect: Connect) -> None:
    server = serve(endless)
    pieces = connect(server).stream(ASKED, 50)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert server.hung_up.wait(10)


def test_no_server_is_tried_again_and_then_an_error(serve: Serve, connect: Connect) -> None:
    server = serve(says("never"))
    model = connect(server)
    server.stop()
    with pytest.raises(ModelReplyError, match="cannot be reached"):
        model.complete(ASKED, 50)
    assert len(model.slept) == 2  # type: ignore[attr-defined]


def test_the_key_is_in_no_log_and_no_message(serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = connect(serve(status(401)))
    with pytest.raises(ModelReplyError) as caught:
        model.complete(ASKED, 50)
    assert "sk-secret" not in caplog.text + str(caught.value) + repr(caught.value.__context__)


def test_the_breaker_opens_lets_one_call_through_after_its_pause_and_closes_on_success() -> None:
    now = [0.0]
    breaker = CircuitBreaker(2, 60.0, clock=lambda: now[0])
    breaker.failed()
    assert not breaker.open
    breaker.failed()
    assert breaker.open
    now[0] = 61.0
    assert not breaker.open
    breaker.failed()
    assert breaker.open
    now[0] = 122.0
    breaker.succeeded()
    breaker.failed()
    assert not breaker.open
