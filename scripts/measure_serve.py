"""Measure what ``techreg serve`` costs to start and to keep: ``python -m scripts.measure_serve [GOLD.jsonl]``.

It starts the app in a process of its own over the index that the settings name (``TECHREG_STORAGE``), asks one question
through the hand-over until it is answered, then fifty more, and prints one JSON document: wall and processor time to
the first answer, the peak resident memory then and in the end, and the machine's floating-point speed before and
after. Linux only: the peak is what /proc tells.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.bench import gflops, machine
from eval.gold import read_gold
from scripts.lock import ROOT

if TYPE_CHECKING:
    from app.handover import RemoteBackend
    from pipelines.settings import Settings

GOLD = ROOT / "eval" / "data" / "sample_gold.jsonl"
QUESTIONS = 50
PATIENCE_S = 120.0
PAUSE_S = 0.05


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 where the app did not answer."""
    from pipelines.settings import load_settings

    gold = Path(arguments[0]) if arguments else GOLD
    questions = list(islice(cycle(one.question for one in read_gold(gold)), QUESTIONS + 1))
    settings = load_settings()
    before = gflops()
    start = time.perf_counter()
    command = [sys.executable, "-m", "app", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        server = _started(settings, process.pid)
        if server is None:
            print("measure_serve: the app did not start", file=sys.stderr)
            return 1
        outcome = _answered(server, questions[0], start)
        first = time.perf_counter() - start
        told: dict[str, Any] = {
            "machine": machine(),
            "first_outcome": outcome,
            "first_answer_s": round(first, 2),
            "first_answer_cpu_s": cpu_s(process.pid),
            "first_answer_peak_gb": peak_gb(process.pid),
        }
        for question in questions[1:]:
            server.ask(question)
        told |= {"questions": QUESTIONS, "peak_gb": peak_gb(process.pid), "resident_gb": resident_gb(process.pid)}
        server.close()
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
    told["gflops"] = {"before": before, "after": gflops()}
    print(json.dumps(told, indent=2))
    return 0 if outcome != "failed" else 1


def peak_gb(pid: int) -> float:
    """The most memory that a process ever had resident, in GiB."""
    return _status_gb(pid, "VmHWM")


def resident_gb(pid: int) -> float:
    """The memory that a process has resident now, in GiB."""
    return _status_gb(pid, "VmRSS")


def cpu_s(pid: int) -> float:
    """The processor time of a process so far, in seconds: what its start costs on a machine that is busy otherwise."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return round((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 2)


def _status_gb(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
    return round(kilobytes / 2**20, 3)


def _started(settings: Settings, pid: int) -> RemoteBackend | None:
    """The server once it listens; None where it has ended or takes too long."""
    from app.handover import find_server
    from app.lock import read_lock
    from pipelines.errors import IndexBusy

    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and Path(f"/proc/{pid}").exists():
        lock = read_lock(settings.storage)
        if lock is not None and lock.pid == pid:
            try:
                if (server := find_server(settings.storage)) is not None:
                    return server
            except IndexBusy:
                pass  # it has bound its port and imports still
        time.sleep(PAUSE_S)
    return None


def _answered(server: RemoteBackend, question: str, start: float) -> str:
    """The outcome of the first question; it is asked again while the index is being opened."""
    while True:
        outcome = server.ask(question).outcome
        if outcome != "failed" or time.perf_counter() - start > PATIENCE_S:
            return outcome
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
