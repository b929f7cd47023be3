"""Asking the chat as its page does, without a browser: join the queue, read the events until the answer is whole."""

from __future__ import annotations

import json
from typing import Any

import httpx

OPENING, ASKING = 1, 3  # how many inputs the page's own calls have


def called(url: str, inputs: int, data: list[Any], session: str) -> list[Any]:
    """What the page's call with so many inputs brings in the end, one entry an output; the steps before are merged."""
    with httpx.Client(base_url=url, timeout=120, trust_env=False) as client:
        config = client.get("/config").json()
        call = next(one for one in config["dependencies"] if len(one["inputs"]) == inputs)
        joined = {"data": data, "fn_index": call["id"], "session_hash": session}
        client.post("/gradio_api/queue/join", json=joined).raise_for_status()
        with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as events:
            for line in events.iter_lines():
                event = json.loads(line.removeprefix("data: ") or "{}") if line.startswith("data: ") else {}
                if event.get("msg") == "process_completed":
                    assert event["success"], event
                    return event["output"]["data"]
    raise AssertionError("the answer broke off")


def opened(url: str, session: str) -> str:
    """Everything that the page shows as it opens, as HTML."""
    return json.dumps(called(url, OPENING, [None], session), ensure_ascii=False)


def asked(url: str, question: str, section: str, session: str) -> dict[str, Any]:
    """The turn that a question ends in: its question, reply and cards."""
    outputs = called(url, ASKING, [question, {"section": section}, []], session)
    return outputs[-1][-1]
