"""Imports go one way: the library never imports the app, and a package is imported by the modules that may."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("pipelines", "app", "eval", "scripts")
FORBIDDEN = {
    "pipelines": {"app", "eval", "scripts", "gradio", "ragas", "fastapi", "uvicorn"},
    "eval": {"app", "scripts", "gradio"},
    "app": {"scripts", "ragas"},
}
# Who may import a heavy or leaky package; everybody else goes through them.
BORDERS = {
    "qdrant_client": ("pipelines/index/",),
    "gradio": ("app/ui",),
    "ragas": ("eval/",),
    "sentence_transformers": (
        "pipelines/models/",
        "pipelines/late_interaction.py",
        "scripts/train",
        "scripts/training/",
    ),
    "onnxruntime": ("pipelines/models/", "pipelines/late_interaction.py", "scripts/train", "scripts/training/"),
    "llama_cpp": ("pipelines/gguf.py",),
}
# Within pipelines, from the bottom up: a module imports its own layer and those below it.
LAYERS = (
    ("schema", "errors"),
    ("settings",),
    ("reading", "models", "nodes"),
    ("index",),
    ("ingest",),
    ("engine",),
)


def modules() -> list[Path]:
    return [path for name in OURS for path in sorted((ROOT / name).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports anywhere, in functions and for types too, by its full name."""
    package = path.relative_to(ROOT).parent.as_posix().replace("/", ".")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = [package.rsplit(".", node.level - 1)[0]] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    where = path.relative_to(ROOT).as_posix()
    package = where.split("/")[0]
    for name in set(imported(path)):
        top = name.split(".")[0]
        assert top not in FORBIDDEN.get(package, set()), f"{where} imports {name}"
        if top in BORDERS:
            assert where.startswith(BORDERS[top]), f"{where} imports {name}; only {BORDERS[top]} may"


def test_a_layer_imports_only_its_own_and_those_below() -> None:
    level = {name: number for number, names in enumerate(LAYERS) for name in names}
    for path in sorted((ROOT / "pipelines").rglob("*.py")):
        own = path.relative_to(ROOT / "pipelines").parts[0].removesuffix(".py")
        for name in imported(path):
            parts = name.split(".")
            if own in level and parts[0] == "pipelines" and len(parts) > 1 and parts[1] in level:
                assert level[parts[1]] <= level[own], f"pipelines/{own} imports {name}, which is above it"


def test_the_walk_sees_every_form_of_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import a.b\nfrom c import d\nfrom . import e\nfrom ..f import g\ndef h():\n    import i\n"
    module = tmp_path / "pipelines" / "reading" / "x.py"
    module.parent.mkdir(parents=True)
    module.write_text(source)
    monkeypatch.setattr("test_imports.ROOT", tmp_path)
    assert {"a.b", "c", "c.d", "pipelines.reading.e", "pipelines.f.g", "i"} <= set(imported(module))


def test_modules_stay_short() -> None:
    long = [path.relative_to(ROOT).as_posix() for path in modules() if len(path.read_text().splitlines()) > 400]
    assert long == []
