"""What ingest leaves searchable: after changes, removals, newer issues, and a crash at any step."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from index.fakes import read_json, topic_embedder, write_regulation
from pipelines.engine import Engine
from pipelines.errors import IndexMismatch, UsageError
from pipelines.index import ManifestFile
from pipelines.index.index import Index
from pipelines.index.store import Store
from pipelines.ingest import ingest
from pipelines.report import IngestReport, Progress
from pipelines.schema import Filters, ReadResult
from pipelines.settings import Settings

FEBRUARY = {"B1.1": "Fuel in the pit lane.", "B1.2": "Tyre sets.", "B1.3": "VOID", "B1.4~2028": "Fuel of 2028."}
JUNE = {"B1.1": "Fuel in the pit lane is forbidden.", "B1.2": "Tyre sets."}

Ingest = Callable[..., IngestReport]
Open = Callable[[], Engine]


def found(engine: Engine, question: str, **filters: str) -> list[tuple[str, str, str]]:
    """What a search gives: article, issue and text of each result."""
    result = engine.search(question, filters=Filters(**filters))
    return [(passage.clause.article, passage.clause.issue, passage.clause.text) for passage in result.passages]


def stored(storage: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(storage.rglob("*")) if path.is_file()}


def test_a_first_run_reports_each_file_and_answers(tmp_path: Path, run: Ingest, engine: Open) -> None:
    file = write_regulation(tmp_path / "in", "B", "05", "2026-02-27", FEBRUARY)
    told: list[Progress] = []
    report = run(file.parent, progress=told.append).as_dict()
    (document,) = report["documents"]
    assert {
        key: document[key] for key in ("file", "state", "section", "issue", "date", "season", "pages", "status")
    } == {
        "file": "section_b_05.txt",
        "state": "added",
        "section": "B",
        "issue": "05",
        "date": "2026-02-27",
        "season": "2026",
        "pages": 3,
        "status": "in_force",
    }
    # B1.3 is void: a clause, but no node.
    assert (document["clauses"], document["nodes"], document["struck_characters"]) == (4, 3, 7)
    assert document["account"]["total"] == document["account"]["clauses"] + document["account"]["struck"]
    assert document["warnings"] == ("a warning",)
    assert report["totals"]["added"] == 1
    assert next(step.stage for step in told) == "read"
    assert [step.stage for step in told][-1] == "done"
    assert (told[-1].pages, told[-1].clauses) == (3, 4)
    assert found(engine(), "fuel in the pit") == [
        ("B1.1", "05", "Fuel in the pit lane."),
        ("B1.2", "05", "Tyre sets."),
    ]


def test_void_clauses_are_kept_but_never_offered_and_later_years_only_when_asked(
    tmp_path: Path, run: Ingest, engine: Open
) -> None:
    run(write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY))
    opened = engine()
    assert [clause.article for clause in opened.clauses()] == ["B1.1", "B1.2", "B1.3"]
    assert opened.clauses("B1.3")[0].void
    assert "B1.3" not in [article for article, _, _ in found(opened, "B1.3", status="all")]
    assert found(opened, "fuel", status="future") == [("B1.4", "05", "Fuel of 2028.")]
    assert [article for article, _, _ in found(opened, "fuel", status="all")][:2] in (
        ["B1.1", "B1.4"],
        ["B1.4", "B1.1"],
    )


def test_an_unchanged_file_writes_nothing(tmp_path: Path, run: Ingest, settings: Settings) -> None:
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file)
    before = stored(settings.storage)
    report = run(file)
    assert [document.state for document in report.documents] == ["unchanged"]
    assert report.documents[0].nodes == 3
    assert stored(settings.storage) == before


def test_unchanged_is_decided_without_torch_llama_index_or_qdrant(tmp_path: Path, settings: Settings) -> None:
    from pipelines.models.embedding import Embedder, embedder_identity

    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    topics = topic_embedder()
    named_as_set = Embedder(embedder_identity(settings), topics.model, topics.dimension, topics.window, topics.count)
    ingest([file], settings, reader=read_json, embedder=named_as_set)
    code = f"""
import sys
from pathlib import Path
from pipelines.ingest import ingest
from pipelines.settings import Settings
report = ingest([Path({str(file)!r})], Settings(storage=Path({str(settings.storage)!r}), _env_file=None))
assert [document.state for document in report.documents] == ["unchanged"], report
print(sorted({{"torch", "llama_index", "qdrant_client", "transformers", "pymupdf"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_changed_file_replaces_exactly_its_own_points(tmp_path: Path, run: Ingest, engine: Open) -> None:
    other = write_regulation(
        tmp_path, "C", "13", "2025-07-31", {"C1.1": "Fuel of the car.", "C1.2": "Tyre of the car."}
    )
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file, other)
    write_regulation(tmp_path, "B", "05", "2026-02-27", {"B1.1": "Fuel reworded."})
    report = run(file, other)
    assert [document.state for document in report.documents] == ["changed", "unchanged"]
    texts = {clause.text for clause in engine().clauses("", Filters(status="all"))}
    assert texts == {"Fuel reworded.", "Fuel of the car.", "Tyre of the car."}
    assert {text for _, _, text in found(engine(), "fuel tyre", status="all")} == texts


def test_equal_wording_in_two_articles_is_two_clauses(tmp_path: Path, run: Ingest, engine: Open) -> None:
    run(write_regulation(tmp_path, "B", "05", "2026-02-27", {"B1.1": "Fuel.", "B1.2": "Fuel."}))
    assert {article for article, _, _ in found(engine(), "fuel")} == {"B1.1", "B1.2"}


@pytest.mark.parametrize("first", ["february", "june", "together"])
def test_the_latest_issue_is_in_force_whatever_came_first(
    tmp_path: Path, run: Ingest, engine: Open, settings: Settings, first: str
) -> None:
    february = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    technical = write_regulation(tmp_path, "C", "13", "2025-07-31", {"C1.1": "Fuel of the car."})
    june = write_regulation(tmp_path, "B", "07", "2026-06-25", JUNE)
    orders = {"february": [[february, technical], [june]], "june": [[june], [technical, february]]}
    for files in orders.get(first, [[february, june, technical]]):
        report = run(*files)
    assert {d.file: d.status for d in report.documents}.get("section_b_05.txt", "superseded") == "superseded"
    opened = engine()
    assert {(clause.article, clause.issue) for clause in opened.clauses()} == {
        ("B1.1", "07"),
        ("B1.2", "07"),
        ("C1.1", "13"),
    }
    assert {issue for _, issue, _ in found(opened, "fuel in the pit", section="B")} == {"07"}
    # What was in force, void or of a later year in February is superseded as a whole.
    superseded = opened.clauses("", Filters(status="superseded"))
    assert [(clause.article, clause.status) for clause in superseded] == [
        (article.partition("~")[0], "superseded") for article in FEBRUARY
    ]
    assert {issue for _, issue, _ in found(opened, "fuel", status="superseded")} == {"05"}
    assert found(opened, "fuel", status="future") == []
    manifest = ManifestFile(settings.storage).load()
    assert manifest is not None
    assert manifest.settled


def test_removing_the_newer_issue_puts_the_older_in_force_again(tmp_path: Path, run: Ingest, engine: Open) -> None:
    run(
        write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY),
        write_regulation(tmp_path, "B", "07", "2026-06-25", JUNE),
    )
    report = run(remove=["section_b_07.txt"])
    assert [(document.file, document.state) for document in report.documents] == [("section_b_07.txt", "removed")]
    opened = engine()
    assert {clause.issue for clause in opened.clauses("", Filters(status="all"))} == {"05"}
    assert found(opened, "fuel", status="future") == [("B1.4", "05", "Fuel of 2028.")]
    assert [article for article, _, _ in found(opened, "fuel")] == ["B1.1", "B1.2"]


def test_removing_what_is_not_indexed_is_a_wrong_call(tmp_path: Path, run: Ingest) -> None:
    run(write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY))
    with pytest.raises(UsageError, match=r"other\.pdf is not indexed"):
        run(remove=["other.pdf"])


def test_a_damaged_or_missing_file_gets_a_line_and_the_run_goes_on(tmp_path: Path, run: Ingest, engine: Open) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("{", encoding="utf-8")
    good = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    report = run(bad, tmp_path / "nowhere.pdf", good)
    assert report.failed == 2
    assert {document.file: (document.state, document.error) for document in report.documents} == {
        "bad.txt": ("failed", "bad.txt is damaged. Download the file again, then run: techreg ingest"),
        "nowhere.pdf": ("failed", "there is no such file or folder"),
        "section_b_05.txt": ("added", ""),
    }
    assert len(engine().clauses()) == 3


def test_a_file_that_became_damaged_keeps_its_last_good_version(tmp_path: Path, run: Ingest, engine: Open) -> None:
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file)
    file.write_text("{", encoding="utf-8")
    assert run(file).failed == 1
    assert len(engine().clauses()) == 3


def test_one_issue_from_two_files_is_told_and_left_out(tmp_path: Path, run: Ingest, engine: Open) -> None:
    first = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(first)
    copy = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY, name="copy.txt")
    assert [document.state for document in run(copy).documents] == ["unchanged"]
    other = write_regulation(tmp_path, "B", "05", "2026-02-27", JUNE, name="other.txt")
    (document,) = run(other).documents
    assert document.state == "failed"
    assert document.error == f"this issue is indexed from another file, {first.resolve()}: remove one"
    assert len(engine().clauses()) == 3


def test_another_model_or_recipe_is_refused_with_the_command_that_mends_it(
    tmp_path: Path, run: Ingest, settings: Settings, engine: Open
) -> None:
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file)
    other = topic_embedder(fingerprint="topics-2")
    with pytest.raises(IndexMismatch) as refused:
        run(file, embedder=other)
    assert refused.value.fix == "Run: techreg ingest --rebuild"
    with pytest.raises(IndexMismatch):
        Engine(settings, embedder=other)
    data = json.loads((settings.storage / "manifest.json").read_text(encoding="utf-8"))
    (settings.storage / "manifest.json").write_text(json.dumps(data | {"recipe": "0"}), encoding="utf-8")
    with pytest.raises(IndexMismatch, match="text recipe 0"):
        run(file)
    report = run(rebuild=True)
    assert [document.state for document in report.documents] == ["added"]
    assert len(engine().clauses()) == 3


class Crash(Exception):
    """The power went out."""


STEPS = {
    "manifest": (Index, "_save"),
    "write": (Store, "upsert"),
    "delete": (Store, "delete"),
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", range(4))
@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_any_step_leaves_one_version_searchable_and_the_next_run_completes(
    tmp_path: Path, run: Ingest, settings: Settings, monkeypatch: pytest.MonkeyPatch, step: str, call: int, when: str
) -> None:
    """The newer issue supersedes the older one: every kind of write happens. Each is stopped before and after it."""
    february = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    june = write_regulation(tmp_path, "B", "07", "2026-06-25", JUNE)
    run(february)
    owner, name = STEPS[step]
    original = getattr(owner, name)
    calls = 0

    def crashing(self: object, *arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call + 1 and when == "before":
            raise Crash
        result = original(self, *arguments, **options)
        if calls == call + 1:
            raise Crash
        return result

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, crashing)
        try:
            run(june)
            crashed = False
        except Crash:
            crashed = True
    # An update has three writes of the manifest, three of points and two deletions; later calls never come.
    assert crashed == (call < {"manifest": 3, "write": 3, "delete": 2}[step])

    with Engine(settings, embedder=topic_embedder()) as opened:
        issues = {clause.issue for clause in opened.clauses()}
        assert len(issues) == 1
        results = found(opened, "fuel in the pit lane, tyre")
        assert {issue for _, issue, _ in results} == issues
        assert [article for article, _, _ in results] == ["B1.1", "B1.2"]

    run(june)
    with Engine(settings, embedder=topic_embedder()) as opened:
        assert {clause.issue for clause in opened.clauses()} == {"07"}
        assert [issue for _, issue, _ in found(opened, "fuel")] == ["07", "07"]
        assert len(opened.clauses("", Filters(status="superseded"))) == 4
        assert {issue for _, issue, _ in found(opened, "fuel", status="superseded")} == {"05"}
    manifest = ManifestFile(settings.storage).load()
    assert manifest is not None
    assert manifest.settled


def test_a_crash_while_embedding_leaves_the_old_version(tmp_path: Path, run: Ingest, engine: Open) -> None:
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file)
    write_regulation(tmp_path, "B", "05", "2026-02-27", JUNE)
    broken = topic_embedder(window=1)  # no node fits: cutting fails
    with pytest.raises(ValueError, match="longer than the model's 1 tokens"):
        run(file, embedder=broken)
    assert [article for article, _, _ in found(engine(), "fuel")] == ["B1.1", "B1.2"]
    assert {clause.text for clause in engine().clauses()} >= {"Fuel in the pit lane."}


def test_a_crash_in_the_first_run_leaves_an_index_that_the_next_completes(
    tmp_path: Path, run: Ingest, engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)

    def crash(*_: object) -> int:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Store, "upsert", crash)
        with pytest.raises(Crash):
            run(file)
    run(file)
    assert len(engine().clauses()) == 3


def test_an_open_engine_sees_what_ingest_changed(tmp_path: Path, run: Ingest, engine: Open) -> None:
    run(write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY))
    opened = engine()
    assert {clause.issue for clause in opened.clauses()} == {"05"}
    run(write_regulation(tmp_path, "B", "07", "2026-06-25", JUNE))
    assert {clause.issue for clause in opened.clauses()} == {"07"}
    assert {issue for _, issue, _ in found(opened, "fuel")} == {"07"}


def test_nothing_is_left_open_when_no_file_can_be_read(tmp_path: Path, run: Ingest, settings: Settings) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("{", encoding="utf-8")
    assert run(bad).failed == 1
    assert ManifestFile(settings.storage).load() is None


def test_reading_keeps_what_the_reader_said_but_names_the_file(tmp_path: Path, run: Ingest, engine: Open) -> None:
    def renamed(path: Path) -> ReadResult:
        return read_json(path)

    file = write_regulation(tmp_path, "B", "05", "2026-02-27", FEBRUARY)
    run(file, reader=renamed)
    document = engine().clauses()[0].document
    assert (document.file, document.path, len(document.sha256)) == (file.name, str(file.resolve()), 64)
