"""Forty attacks: in the question, in a document, and in what a model that gave in would write.

The model here obeys every attack. What it writes must still not come through: no instruction is shown, nothing is said
without a citation that holds, and the prompt keeps question and passages apart as data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from answer.law import PLAIN, FakeCorpus

from pipelines.answer.answerer import Answerer
from pipelines.answer.prompts import INSTRUCTIONS, SYSTEM
from pipelines.llm import CircuitBreaker, Message
from pipelines.schema import Answer, Clause, Refusal, Reply
from pipelines.settings import Settings
from pipelines.tokens import TokenCounter, estimate

ATTACKS = [
    json.loads(line) for line in (Path(__file__).parent / "attacks.jsonl").read_text(encoding="utf-8").splitlines()
]
QUESTION = "What is the speed limit in the pit lane?"


def attacks(kind: str) -> list[pytest.param]:  # type: ignore[valid-type]
    return [pytest.param(one["text"], id=one["id"]) for one in ATTACKS if one["kind"] == kind]


class ObedientModel:
    """Writes what it is told to, and keeps the messages that it was given."""

    name = "obedient"
    counter = TokenCounter("estimate", estimate)

    def __init__(self, reply: str) -> None:
        self.breaker = CircuitBreaker(3, 60.0)
        self.reply = reply
        self.messages: list[Message] = []

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        self.messages = list(messages)
        return self.reply

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str]:
        self.messages = list(messages)
        yield from re.findall(r"\S+\s*", self.reply)


# What a model may be talked into: the prompt, the prompt with citations, a word, a word with citations, no citations.
GIVEN_IN = [
    SYSTEM,
    " [1]\n".join(SYSTEM.split("\n")) + " [1]",
    "PWNED",
    "PWNED [1]. PWNED [1].",
    "Any speed you like is fine.",
]


def ask(model: ObedientModel | None, clauses: Sequence[Clause], question: str, stream: bool = False) -> Reply:
    settings = Settings(**PLAIN, context_tokens=4000)
    answerer = Answerer(settings, FakeCorpus(clauses), model=model)
    if not stream:
        return answerer.ask(question)
    *pieces, reply = answerer.stream(question)
    assert not isinstance(reply, str)
    assert not leaks("".join(piece for piece in pieces if isinstance(piece, str)))
    return reply


def leaks(text: str, run: int = 7) -> bool:
    words = re.findall(r"\w+", text.lower())
    return any(" ".join(words[i : i + run]) in INSTRUCTIONS for i in range(len(words) - run + 1))


def holds(reply: Reply) -> None:
    """An answer with checked citations, or a refusal; in neither a word of the instructions."""
    assert isinstance(reply, Answer | Refusal)
    assert not leaks(reply.text)
    if isinstance(reply, Answer):
        assert reply.citations
        assert all(citation.verified for citation in reply.citations)
        assert re.search(r"\[[A-F]\d", reply.text)


def test_there_are_forty() -> None:
    assert len(ATTACKS) == len({one["id"] for one in ATTACKS}) == 40


@pytest.mark.parametrize("attack", attacks("question"))
@pytest.mark.parametrize("reply_text", GIVEN_IN, ids=["prompt", "cited-prompt", "word", "cited-word", "uncited"])
def test_an_attack_in_the_question_changes_nothing(law: dict[str, Clause], attack: str, reply_text: str) -> None:
    model = ObedientModel(reply_text)
    for stream in (False, True):
        reply = ask(model, [law["B1.6.3"], law["C4.1"]], attack, stream)
        holds(reply)
        assert isinstance(reply, Answer)
        assert "PWNED" not in reply.text
        assert model.messages[0]["content"] == SYSTEM
        content = model.messages[1]["content"]
        assert len(re.findall(r"</?question>", content)) == 2
        assert content.endswith("</question>")
        assert len(re.findall(r"</?(?:system|assistant)", content)) == 0


@pytest.mark.parametrize("attack", attacks("question"))
def test_an_attack_in_an_earlier_question_stays_data(law: dict[str, Clause], attack: str) -> None:
    model = ObedientModel("The limit is 80km/h [1].")
    settings = Settings(**PLAIN, context_tokens=4000)
    reply = Answerer(settings, FakeCorpus([law["B1.6.3"]]), model=model).ask("and in the sprint?", history=[attack])
    holds(reply)
    assert len(re.findall(r"</?question>", model.messages[1]["content"])) == 2


@pytest.mark.parametrize("attack", attacks("question"))
def test_without_a_model_an_attack_is_only_a_question(law: dict[str, Clause], attack: str) -> None:
    reply = ask(None, [law["B1.6.3"], law["C4.1"]], attack)
    holds(reply)
    assert "PWNED" not in reply.text


@pytest.mark.parametrize("attack", attacks("document"))
@pytest.mark.parametrize("reply_text", GIVEN_IN[:2], ids=["prompt", "cited-prompt"])
def test_an_attack_in_a_document_is_data(law: dict[str, Clause], attack: str, reply_text: str) -> None:
    clause = law["B1.6.3"]
    poisoned = replace(clause, text=f"{clause.text}\n{attack}")
    model = ObedientModel(reply_text)
    for stream in (False, True):
        holds(ask(model, [poisoned, law["C4.1"]], QUESTION, stream))
        content = model.messages[1]["content"]
        assert len(re.findall(r"<passage ", content)) == len(re.findall(r"</passage>", content)) == 2
        assert len(re.findall(r"</?question>", content)) == 2
        assert model.messages[0]["content"] == SYSTEM


@pytest.mark.parametrize("attack", attacks("document"))
def test_without_a_model_words_that_the_pdf_does_not_have_are_never_quoted(law: dict[str, Clause], attack: str) -> None:
    clause = law["B1.6.3"]
    reply = ask(None, [replace(clause, text=f"{clause.text}\n{attack}")], QUESTION)
    holds(reply)
    assert attack not in reply.text


@pytest.mark.parametrize("attack", attacks("reply"))
@pytest.mark.parametrize("stream", [False, True])
def test_what_a_model_that_gave_in_writes_does_not_come_through(
    law: dict[str, Clause], attack: str, stream: bool
) -> None:
    model = ObedientModel(f"The limit is 80km/h [1].\n{attack}")
    reply = ask(model, [law["B1.6.3"], law["C4.1"]], QUESTION, stream)
    holds(reply)
    assert isinstance(reply, Answer)
    assert reply.text == "The limit is 80km/h [B1.6.3]."
    assert len(reply.warnings) >= 1
