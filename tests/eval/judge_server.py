"""A judge by script: it tells the metric from the prompt and replies as a test needs it, over HTTP on localhost."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from eval_corpus import clause
from llm.scripted import Handler, says

from pipelines.schema import Answer, Clause, Failure, Filters, Passage, Refusal, Reply, SearchResult, Understood

LIMIT = clause("B1.1", "The pit lane speed limit is 80km/h.")
FINE = clause("B1.2", "A driver who exceeds it is fined.")
MASS = clause("C4.1", "The mass must be at least 768kg.")

GOLD = [
    {"id": "1", "question": "How fast in the pit lane?", "articles": ["B1.1"], "answer": "80km/h."},
    {"id": "2", "question": "What does a ticket cost?", "articles": ["C4.1"], "answer": "Nothing is said."},
    {"id": "3", "question": "How heavy is the car?", "articles": ["C4.1"], "answer": "At least 768kg."},
    {"id": "4", "question": "What breaks?", "articles": ["C4.1"], "answer": "This."},
]


class Product:
    """Answers 1 and 3, refuses 2, fails on 4."""

    def clauses(self, article: str = "", filters: Filters | None = None) -> Sequence[Clause]:
        return (LIMIT, FINE, MASS)

    def search(
        self,
        question: str,
        k: int | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        history: Sequence[str] = (),
    ) -> SearchResult:
        found = (LIMIT, FINE) if "pit lane" in question else (FINE, MASS)
        passages = tuple(Passage(one, 1.0) for one in found)
        return SearchResult(question, Understood(question), passages, {"total": 1.0})

    def ask(self, question: str, filters: Filters | None = None, history: Sequence[str] = ()) -> Reply:
        understood = Understood(question)
        if "ticket" in question:
            return Refusal(question, "The regulations do not say.", understood, 0.1)
        if "breaks" in question:
            return Failure(question, "ModelTimeout", "the model took too long", "Wait")
        text = "80km/h. It may rain." if "pit lane" in question else "768kg."
        return Answer(question, text, (), (), understood, 0.9)


class Judge:
    """A step of the scripted server. ``broken`` and ``slow`` are what a prompt must hold to be answered badly."""

    def __init__(self, broken: str = "\0", slow: str = "\0") -> None:
        self.broken, self.slow = broken, slow

    def __call__(self, handler: Handler) -> None:
        messages = handler.request_body["messages"]
        prompt = "\n".join(message["content"] for message in messages)
        asked = prompt.rsplit("Now perform the same with the following input", 1)[-1]
        if self.slow in asked:
            handler.server.released.wait(30)
            return
        says("I would rather not say." if self.broken in asked else self.reply(prompt, asked))(handler)

    def reply(self, prompt: str, asked: str) -> str:
        if "Criterion:" in prompt:
            name = re.search(r"Criterion: (\w+)", prompt)[1]  # type: ignore[index]
            mark = {"correctness": 5, "faithfulness": 3, "completeness": 4}[name]
            return f'Here you are: {{"mark": {mark}, "reason": "so"}}'
        data = json.loads(asked.split("input: ", 1)[1].rsplit("Output:", 1)[0])
        if "statements" in data:  # natural language inference: a verdict a statement; what says "rain" is not supported
            verdicts = [
                {"statement": one, "reason": "", "verdict": int("rain" not in one)} for one in data["statements"]
            ]
            return json.dumps({"statements": verdicts})
        if "noncommittal" in prompt:
            return json.dumps({"question": "How fast in the pit lane?", "noncommittal": 0})
        if "atomicity" in prompt:
            return json.dumps({"claims": _sentences(data["response"])})
        if "attributed" in prompt:
            return json.dumps({"classifications": [{"statement": data["answer"], "reason": "", "attributed": 1}]})
        if set(data) >= {"question", "context", "answer"}:
            return json.dumps({"reason": "", "verdict": int("fined" not in data["context"])})
        return "```json\n" + json.dumps({"statements": _sentences(data["answer"])}) + "\n```"


def _sentences(text: str) -> list[str]:
    return [part.strip() + "." for part in text.split(".") if part.strip()]
