"""Entry of the Hugging Face Space: serve the app at once, and fetch the FIA's regulations beside it.

Until they are there, or where they cannot be had, the sample regulation is indexed, and the page says so. Settings of
the Space (``TECHREG_...``) win over what stands here.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path

from app.runtime import Runtime
from app.server import serve
from pipelines.errors import TechRegError
from pipelines.fetch import fetch, load_manifest, new_client
from pipelines.settings import Settings, load_settings

PERSISTENT = Path("/data")


def settings() -> Settings:
    """Storage in ``/data`` where the Space has one; else in a temporary folder, and then no question is logged."""
    lasting = PERSISTENT.is_dir() and os.access(PERSISTENT, os.W_OK)
    folder = PERSISTENT / "techreg" if lasting else Path(tempfile.mkdtemp(prefix="techreg-"))
    ours = {
        "storage": folder / "index",
        "documents": folder / "regulations",
        "question_log": str(folder / "questions.jsonl") if lasting else "",
        "host": "0.0.0.0",
        "port": int(os.environ.get("GRADIO_SERVER_PORT", "7860")),
    }
    return load_settings(**{name: value for name, value in ours.items() if f"TECHREG_{name.upper()}" not in os.environ})


def fetch_beside(runtime: Runtime) -> None:
    """Fetch what is missing of the regulations in the background, then index it in place of the sample."""

    runtime.advice = "The FIA’s documents are fetched as this Space starts, where their site can be reached."

    def work() -> None:
        with new_client() as client:
            for result in fetch(load_manifest().current(), runtime.settings.documents, client):
                print(f"{result.state} {result.entry.file} {result.detail}".rstrip(), file=sys.stderr, flush=True)
        runtime.wait()
        try:
            runtime.fill()
        except TechRegError as error:
            print(f"{error.message}. {error.fix}", file=sys.stderr, flush=True)

    threading.Thread(target=work, name="techreg-fetch", daemon=True).start()


if __name__ == "__main__":
    sys.exit(serve(settings(), fetch_beside))
