"""What a person gets for each thing a language model's server may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from answer.law import PLAIN, FakeCorpus

from pipelines.answer.answerer import Answerer
from pipelines.llm import ChatModel
from pipelines.schema import Answer, Clause, Failure, Refusal, Reply
from pipelines.settings import Settings

from .scripted import ScriptedServer, Step, cut_stream, endless, never, raw, says, status

Serve = Callable[..., ScriptedServer]
Connect = Callable[..., ChatModel]
QUESTION = "What is the speed limit in the pit lane?"


@pytest.fixture
def ask(law: dict[str, Clause], serve: Serve, connect: Connect) -> Callable[..., tuple[Reply, list[str]]]:
    """Ask one question of an answerer whose model follows a script; the reply, and the text that was streamed."""

    def run(
        *steps: Step, stream: bool = False, timeout_s: float = 5.0, breaker: int = 3, **settings: object
    ) -> tuple[Reply, list[str]]:
        model = connect(serve(*steps), timeout_s=timeout_s, breaker=breaker)
        options = Settings(**PLAIN, **settings)
        answerer = Answerer(options, FakeCorpus([law["B1.6.3"], law["C4.1"]]), model=model)
        if not stream:
            return answerer.ask(QUESTION), []
        *pieces, reply = answerer.stream(QUESTION)
        assert not isinstance(reply, str)
        return reply, [piece for piece in pieces if isinstance(piece, str)]

    return run


Ask = Callable[..., tuple[Reply, list[str]]]


@pytest.mark.parametrize("stream", [False, True])
def test_a_good_reply_is_an_answer_with_checked_citations(ask: Ask, stream: bool) -> None:
    reply, pieces = ask(says("The limit is 80km/h [1]. The Race Director may amend it [1]."), stream=stream)
    assert isinstance(reply, Answer)
    assert reply.text == "The limit is 80km/h [B1.6.3]. The Race Director may amend it [B1.6.3]."
    assert reply.model == "scripted"
    assert not reply.fallback
    assert reply.warnings == ()
    assert {citation.article for citation in reply.citations} == {"B1.6.3"}
    assert all(citation.verified for citation in reply.citations)
    if stream:
        assert "".join(pieces) == reply.text


def test_the_stream_and_the_one_shot_answer_have_the_same_citations(ask: Ask) -> None:
    script = says("The limit is 80km/h [1].\nThe mass is 724kg [2].")
    one, _ = ask(script)
    streamed, _ = ask(script, stream=True)
    assert isinstance(one, Answer)
    assert isinstance(streamed, Answer)
    assert (one.text, one.citations) == (streamed.text, streamed.citations)


@pytest.mark.parametrize(
    "words",
    [
        "NOT_FOUND",
        "NOT_FOUND.",
        "[1] NOT_FOUND",
        "[1]\nNOT_FOUND",
        "**NOT_FOUND**",
        "The passages do not mention that.",
        "Sorry, I cannot find this.",
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_the_models_own_not_found_is_a_refusal(ask: Ask, words: str, stream: bool) -> None:
    reply, pieces = ask(says(words), stream=stream)
    assert isinstance(reply, Refusal)
    assert QUESTION in reply.text
    assert pieces == []


@pytest.mark.parametrize("stream", [False, True])
def test_a_wrong_citation_is_dropped_with_a_warning(ask: Ask, stream: bool) -> None:
    reply, _ = ask(says("The limit is 80km/h [1]. Cars are red [7]."), stream=stream)
    assert isinstance(reply, Answer)
    assert reply.text == "The limit is 80km/h [B1.6.3]."
    assert "[7] is no passage that was given" in reply.warnings[0]


@pytest.mark.parametrize("stream", [False, True])
def test_an_invented_number_is_never_shown_unmarked(ask: Ask, stream: bool) -> None:
    script = says("The limit is 80km/h [1]. The fine is 5000 euros [1].")
    dropped, pieces = ask(script, stream=stream)
    assert isinstance(dropped, Answer)
    assert "5000" not in dropped.text + "".join(pieces)
    assert "5000" in dropped.warnings[0]
    marked, pieces = ask(script, stream=stream, unverified="mark")
    assert isinstance(marked, Answer)
    assert "The fine is 5000 euros [B1.6.3]. (unverified)" in marked.text


@pytest.mark.parametrize("reply_text", ["The limit is 60km/h [1].", "Cars are fast.", "Cars are fast [9]."])
def test_a_reply_of_which_nothing_holds_is_replaced_by_the_extractive_answer(ask: Ask, reply_text: str) -> None:
    reply, _ = ask(says(reply_text))
    assert isinstance(reply, Answer)
    assert reply.fallback
    assert reply.model == "extractive"
    assert "80km/h" in reply.text
    assert "no statement of the model's passed its checks" in reply.warnings[0]
    assert len(reply.warnings) == 2


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (raw(b"{not json"), "ModelReplyError"),
        (says(""), "ModelReplyError"),
        (never, "ModelTimeout"),
        (status(400), "ModelReplyError"),
        (status(404), "ModelNotFound"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_no_reply_is_a_failure_with_the_passages_still_there(ask: Ask, step: Step, kind: str, stream: bool) -> None:
    reply, pieces = ask(step, stream=stream, timeout_s=0.2 if step is never else 5.0)
    assert isinstance(reply, Failure)
    assert reply.error_type == kind
    assert reply.fix
    assert [passage.clause.article for passage in reply.passages] == ["B1.6.3", "C4.1"]
    assert pieces == []


def test_a_cut_stream_is_a_failure_though_words_were_shown(ask: Ask) -> None:
    reply, pieces = ask(cut_stream("The limit is 80km/h [1]. And the"), stream=True)
    assert pieces == ["The limit is 80km/h [B1.6.3]."]
    assert isinstance(reply, Failure)
    assert "cut off" in reply.message
    assert reply.passages


def test_429_then_ok_is_an_answer(ask: Ask) -> None:
    reply, _ = ask(status(429, {"Retry-After": "1"}), says("The limit is 80km/h [1]."))
    assert isinstance(reply, Answer)
    assert not reply.fallback


@pytest.mark.parametrize("stream", [False, True])
def test_500_always_opens_the_breaker_and_the_extractive_answer_says_so(ask: Ask, stream: bool) -> None:
    reply, pieces = ask(status(500), stream=stream)
    assert isinstance(reply, Answer)
    assert reply.fallback
    assert "answered 500" in reply.warnings[0]
    assert "80km/h" in reply.text
    if stream:
        assert "".join(pieces) == reply.text


def test_once_the_breaker_is_open_the_model_is_not_asked(
    law: dict[str, Clause], serve: Serve, connect: Connect
) -> None:
    server = serve(says(""))
    answerer = Answerer(Settings(**PLAIN), FakeCorpus([law["B1.6.3"]]), model=connect(server, breaker=2))
    outcomes = [answerer.ask(QUESTION) for _ in range(4)]
    assert isinstance(outcomes[0], Failure)
    for reply in outcomes[1:]:
        assert isinstance(reply, Answer)
        assert reply.fallback
    assert len(server.requests) == 2


def test_stopping_the_stream_ends_the_model_call(law: dict[str, Clause], serve: Serve, connect: Connect) -> None:
    server = serve(endless)
    settings = Settings(**PLAIN, unverified="mark")
    stream = Answerer(settings, FakeCorpus([law["B1.6.3"]]), model=connect(server)).stream(QUESTION)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert server.hung_up.wait(10)


def test_the_prompt_stays_within_its_budget_and_holds_the_passages(
    law: dict[str, Clause], serve: Serve, connect: Connect
) -> None:
    server = serve(says("The limit is 80km/h [1]."))
    model = connect(server)
    settings = Settings(**PLAIN, context_tokens=700)
    Answerer(settings, FakeCorpus(list(law.values()) * 5), model=model).ask(QUESTION)
    content = [message["content"] for message in server.requests[0]["messages"]]
    assert sum(model.counter.count(text) for text in content) <= 700
    assert '<passage number="1" article="B1.6.3"' in content[1]


def test_a_passage_longer_than_the_budget_is_shortened(law: dict[str, Clause], serve: Serve, connect: Connect) -> None:
    long = replace(law["B1.6.3"], text=law["B1.6.3"].text + "\nc. More words follow here." * 200)
    server = serve(says("The limit is 80km/h [1]."))
    settings = Settings(**PLAIN, context_tokens=700)
    reply = Answerer(settings, FakeCorpus([long]), model=connect(server)).ask(QUESTION)
    assert isinstance(reply, Answer)
    assert "80km/h" in server.requests[0]["messages"][1]["content"]


def test_list_all_takes_notes_from_every_batch_and_merges_them(
    law: dict[str, Clause], serve: Serve, connect: Connect
) -> None:
    steps = [says("The limit is 80km/h [1]."), says("NOT_FOUND"), says("The mass is 724kg [3].")]
    merged = says("- The limit is 80km/h [1].\n- The mass is 724kg [3].")
    server = serve(*steps, merged)
    settings = Settings(**PLAIN, context_tokens=930)
    long = [replace(law[a], text=law[a].text + "\nMore words." * 60) for a in ("B1.6.3", "A2.2.1", "C4.1")]
    corpus = FakeCorpus(long)
    reply = Answerer(settings, corpus, model=connect(server)).ask("List all limits")
    requests = [request["messages"][1]["content"] for request in server.requests]
    assert [sum(f'number="{n}"' in request for request in requests) for n in (1, 2, 3)] == [1, 1, 1]
    assert "<notes>" in requests[-1]
    assert isinstance(reply, Answer)
    assert reply.text == "- The limit is 80km/h [B1.6.3].\n- The mass is 724kg [C4.1]."


def test_a_follow_up_is_reworded_where_the_settings_say_so(
    law: dict[str, Clause], serve: Serve, connect: Connect
) -> None:
    server = serve(says("What is the speed limit in the sprint?"), says("The limit is 80km/h [1]."))
    corpus = FakeCorpus([law["B1.6.3"]])
    settings = Settings(**PLAIN, llm_rewrite=True)
    reply = Answerer(settings, corpus, model=connect(server)).ask("and in the sprint?", history=[QUESTION])
    assert isinstance(reply, Answer)
    assert corpus.asked[0][0] == "What is the speed limit in the sprint?"
    assert reply.question == "and in the sprint?"


def test_a_rewriting_that_fails_leaves_the_topic_carried(
    law: dict[str, Clause], serve: Serve, connect: Connect
) -> None:
    server = serve(raw(b"{"), says("The limit is 80km/h [1]."))
    corpus = FakeCorpus([law["B1.6.3"]])
    settings = Settings(**PLAIN, llm_rewrite=True)
    reply = Answerer(settings, corpus, model=connect(server)).ask("and in the sprint?", history=[QUESTION])
    assert reply.understood is not None
    assert reply.understood.question == f"{QUESTION} and in the sprint?"
