from __future__ import annotations

import ast
import json
from pathlib import Path

import pymupdf
import pytest

import eval.check_citations as checker
from eval.check_citations import Documents, check, fault_of, main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A PDF of one page with a struck word, a wrong ligature and a table."""
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(
        [
            "SECTION B: SPORTING    Issue 05",
            "A limit of 60km/h 80km/h will be imposed",
            "in the whole Pit Lane with egect at once.",
        ]
    ):
        page.insert_text((60, 60 + 20 * number), line, fontsize=11)
    for x, y, cell in ((60, 140, "1st"), (200, 140, "25"), (60, 160, "2nd"), (200, 160, "18")):
        page.insert_text((x, y), cell, fontsize=11)
    box = page.search_for("60km/h")[0]
    page.draw_line((box.x0, (box.y0 + box.y1) / 2), (box.x1, (box.y0 + box.y1) / 2), width=0.6)
    document.save(tmp_path / "rules.pdf")
    return tmp_path


def citation(quote: str, **fields: object) -> dict[str, object]:
    return {"article": "B1", "section": "B", "issue": "05", "page": 1, "quote": quote, **fields}


@pytest.mark.parametrize(
    "quote",
    [
        "A limit of 80km/h will be\nimposed in the whole Pit Lane",
        "Pit Lane with effect at once.",
        "| 1st | 25 |\n| --- | --- |\n| 2nd | 18 |",
        "| 1st |  |",
    ],
)
def test_quotes_that_hold(folder: Path, quote: str) -> None:
    assert fault_of(citation(quote), Documents([folder])) == ""


@pytest.mark.parametrize(
    ("quote", "fault"),
    [
        ("A limit of 60km/h 80km/h will be imposed", "not on the page"),
        ("A limit of 90km/h will be imposed", "not on the page"),
        ("Pit Lane with effort at once.", "not on the page"),
        ("| 1st | 26 |", "not on the page: '26'"),
        ("  ", "an empty quote"),
    ],
)
def test_quotes_that_do_not(folder: Path, quote: str, fault: str) -> None:
    assert fault in fault_of(citation(quote), Documents([folder]))


def test_documents_are_found_by_name_or_by_what_their_pages_print(folder: Path) -> None:
    documents = Documents([folder])
    quote = "in the whole Pit Lane"
    assert fault_of(citation(quote, file="rules.pdf", section="X"), documents) == ""
    assert fault_of(citation(quote, issue="06"), documents) == "no such document"
    assert fault_of(citation(quote, page=2), documents) == "no such page"


def test_the_tally_and_the_exit_code(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = citation("in the whole Pit Lane"), citation("in the half Pit Lane")
    answers = [
        {"id": 1, "outcome": "answered", "citations": [good, bad]},
        {"id": 2, "outcome": "answered", "citations": []},
        {"id": 3, "outcome": "refused", "citations": []},
        {"id": 4, "outcome": "refused", "citations": [good]},
    ]
    tally = check(answers, Documents([folder]))
    assert (tally.answers, tally.without_citation, tally.citations, tally.hold) == (2, 1, 2, 1)
    assert len(tally.faults) == 2  # the wrong quote, and a refusal that shows a source
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    assert main([str(path), str(folder)]) == 1
    assert json.loads(capsys.readouterr().out)["hold"] == 1
    path.write_text(json.dumps(answers[2]), encoding="utf-8")
    assert main([str(path), str(folder)]) == 0
    assert main([]) == 2


def test_it_imports_nothing_of_the_product() -> None:
    tree = ast.parse(Path(checker.__file__).read_text(encoding="utf-8"))
    modules = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not any(module.split(".")[0] in ("pipelines", "app", "eval", "scripts") for module in modules)
