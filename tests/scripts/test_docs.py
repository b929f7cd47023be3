"""Documents that cannot rot: generated ones are up to date, and what the README names exists."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from pipelines.settings import Settings
from scripts import build_docs

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced code blocks of the README in one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_generated_documents_are_up_to_date(capsys):
    assert build_docs.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_document_is_told_and_mended(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build_docs, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text(f"# X\n{build_docs.BEGIN}\nstale words\n{build_docs.END}\n")
    assert build_docs.main(["--check"]) == 1
    assert "README.md is out of date" in capsys.readouterr().err
    assert build_docs.main([]) == 0
    assert build_docs.main(["--check"]) == 0
    assert "stale words" not in (tmp_path / "README.md").read_text()


def test_every_command_is_on_the_page():
    page = build_docs.cli_page()
    for name in ("ingest", "clauses", "search", "ask", "eval retrieval", "doctor", "serve"):
        assert f"### techreg {name}\n" in page
        assert f"`techreg {name}" in README


def test_the_page_is_the_same_in_any_terminal(monkeypatch):
    page = build_docs.cli_page()
    monkeypatch.setenv("COLUMNS", "40")
    assert build_docs.cli_page() == page
    assert os.environ["COLUMNS"] == "40"


def test_every_setting_is_documented():
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert f"`TECHREG_{name.upper()}`" in README


def test_the_readme_starts_with_the_two_commands():
    assert [block.strip() for block in blocks("sh")[:2]] == ["./scripts/run", "./scripts/test"]


@pytest.mark.parametrize("name", ["scripts/run", "scripts/test", "scripts/check", ".ci/run"])
def test_a_script_is_executable_sh(name):
    path = ROOT / name
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", str(path)], check=True)


def test_continuous_integration_calls_the_readmes_command_and_nothing_else():
    lines = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line and not line.startswith("#")]
    assert lines == ["set -eu", 'cd "$(dirname "$0")/.."', "exec ./scripts/test"]


def test_the_powershell_lines_name_what_exists():
    (block,) = blocks("powershell")
    for module in re.findall(r"-m (scripts\.\w+)", block):
        assert (ROOT / (module.replace(".", "/") + ".py")).is_file()


def test_what_the_readme_links_to_exists():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith(("http", "#"))]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readmes_answer_stands_in_the_regulations(february):
    (block,) = blocks("console")
    quotes = re.findall(r"“(.*?)”", block, re.DOTALL)
    (article,) = set(re.findall(r"^\[([A-F][\d.]+)\]", block, re.MULTILINE))
    (clause,) = [one for one in february["B"].clauses if one.article == article and one.status == "in_force"]
    for quote in quotes:
        assert "".join(quote.split()) in "".join(clause.text.split())
    assert f"page {clause.page_start}" in block
