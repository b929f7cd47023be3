"""Measure the app as a person waits for it: ``python -m scripts.measure_app [GOLD.jsonl]``.

It serves the index that the settings name (``TECHREG_STORAGE``), the sample where there is none, asks in a real
Chromium, and prints one JSON document: from Enter to the whole answer on screen, ten people asking at once, pages
rendered and pages kept, the machine's floating-point speed before and after. Needs the dev extra and a Chromium.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from eval.bench import gflops, machine
from eval.gold import read_gold
from scripts.lock import ROOT
from scripts.screenshots import find_chromium, launched, opened, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GOLD = ROOT / "eval" / "data" / "sample_gold.jsonl"
QUESTIONS, PEOPLE, PAGES = 30, 10, 50
SIZE = (1440, 900)

# Ask at a time of the clock; the milliseconds from Enter until the answer is whole and painted.
ASK = """async ([question, at]) => {
  const box = document.querySelector("#question textarea");
  box.value = question;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  const turns = document.querySelectorAll(".turn").length;
  await new Promise((done) => setTimeout(done, Math.max(50, at - Date.now())));
  const whole = () =>
    document.querySelectorAll(".turn").length > turns && document.querySelector("#current .turn:last-child .turn-foot");
  const start = performance.now();
  box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  box.dispatchEvent(new KeyboardEvent("keypress", { key: "Enter", bubbles: true, cancelable: true }));
  await new Promise((done) => {
    const look = () => whole() && (watch.disconnect(), done());
    const watch = new MutationObserver(look);
    watch.observe(document.querySelector("#talk"), { childList: true, subtree: true });
  });
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.measured = {
    ms: performance.now() - start,
    server_ms: parseFloat(document.querySelector("#current .timing").textContent),
    failed: document.querySelector("#current .answer.failed") !== null,
    question: document.querySelector("#current .question").textContent,
  };
}"""


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code."""
    from playwright.sync_api import sync_playwright

    if not find_chromium():
        print("measure_app: no Chromium; install it or set TECHREG_CHROMIUM", file=sys.stderr)
        return 1
    gold = Path(arguments[0]) if arguments else GOLD
    questions = list(islice(cycle(one.question for one in read_gold(gold)), QUESTIONS + PEOPLE))
    before = gflops()
    with served(own_settings=True) as url, sync_playwright() as play:
        told: dict[str, Any] = {"machine": machine(), "gflops": {"before": before}}
        told |= pages(url)
        browser = launched(play)
        told["enter_to_answer_ms"] = one_person(browser, url, questions[:QUESTIONS])
        told["ten_at_once_ms"] = together(browser, url, questions[QUESTIONS:])
        browser.close()
    told["gflops"]["after"] = gflops()
    print(json.dumps(told, indent=2))
    return 0


def one_person(browser: Browser, url: str, questions: list[str]) -> dict[str, float]:
    """One conversation, warm: a first question does not count."""
    page = opened(browser, url, SIZE, "light")
    page.evaluate(ASK, [questions[-1], 0])
    times, at_server = [], []
    for question in questions:
        page.evaluate(ASK, [question, 0])
        measured = page.evaluate("window.measured")
        times.append(measured["ms"])
        at_server.append(measured["server_ms"])
    page.context.close()
    return spread(times) | {"server_median": statistics.median(at_server)}


def together(browser: Browser, url: str, questions: list[str]) -> dict[str, float]:
    """As many people as questions, each in a browser of their own, all pressing Enter at the same moment."""
    people = [opened(browser, url, SIZE, "light") for _ in questions]
    at = (time.time() + 3) * 1000
    for page, question in zip(people, questions, strict=True):
        page.evaluate("([source, asked]) => void eval(source)(asked)", [ASK, [question, at]])
    times, failed = [], 0
    for page, question in zip(people, questions, strict=True):
        page.wait_for_function("window.measured")
        measured = page.evaluate("window.measured")
        times.append(measured["ms"])
        failed += measured["failed"] or measured["question"] != question
        page.context.close()
    return spread(times) | {"failed": failed}


def pages(url: str) -> dict[str, dict[str, float]]:
    """Pages of all documents in turn, each asked for the first time, then again."""
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        documents = client.get("/api/start").json()["documents"]
        addresses = [
            f"/api/page/{one['sha256']}/{number}.png"
            for number in range(1, PAGES + 1)
            for one in documents
            if number <= one["pages"] and one["file"].endswith(".pdf")
        ][:PAGES]

        def fetch(address: str) -> None:
            client.get(address).raise_for_status()

        return {
            "page_uncached_ms": spread([timed(fetch, one) for one in addresses]),
            "page_cached_ms": spread([timed(fetch, one) for one in addresses]),
        }


def timed(work: Callable[[str], None], argument: str) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    work(argument)
    return (time.perf_counter() - start) * 1000


def spread(times: list[float]) -> dict[str, float]:
    """How many, their median and the slowest."""
    return {"n": len(times), "median": round(statistics.median(times), 1), "slowest": round(max(times), 1)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
