"""The command line: contract keys, exit codes, what goes to stdout and what to stderr."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from app.cli import main
from pipelines.schema import Reference

CLAUSE_KEYS = {
    "id", "article", "article_printed", "term", "section", "issue", "title", "text", "page_start", "page_end",
    "status", "year", "changed", "void", "replaced_by", "path",
}  # fmt: skip
RESULT_KEYS = {"id", "article", "term", "section", "issue", "page", "title", "text", "score"}
ASK_KEYS = {
    "id", "question", "answer", "outcome", "refused", "citations", "warnings", "error", "fallback", "confidence",
    "model", "ms",
}  # fmt: skip
CITATION_KEYS = {"article", "term", "section", "issue", "page", "quote", "verified"}
DOCUMENT_KEYS = {
    "file", "section", "issue", "date", "season", "pages", "clauses", "nodes", "struck_characters", "warnings",
    "error", "seconds",
}  # fmt: skip


@pytest.fixture
def run(backend, capsys, monkeypatch, tmp_path):
    """Run a command over the fake backend; its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    for name in ("TECHREG_STORAGE", "TECHREG_DOCUMENTS", "TECHREG_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: str) -> tuple[int, str, str]:
        code = main(argv, connect=lambda settings: backend)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def batch(tmp_path):
    def write(*lines: object) -> str:
        path = tmp_path / "questions.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return str(path)

    return write


class TestSearch:
    def test_one_question_is_one_json_line(self, run):
        code, out, _ = run("search", "mass car", "--json")
        (line,) = out.splitlines()
        found = json.loads(line)
        assert code == 0
        assert found["question"] == "mass car"
        assert found["ms"]["total"] == 12.0
        assert {"id", "question", "results", "ms"} <= found.keys()
        assert [result["id"] for result in found["results"]] == ["c-4-1"]
        assert found["results"][0].keys() >= RESULT_KEYS
        assert found["results"][0]["page"] == 60

    def test_options_reach_the_backend(self, run, backend):
        run("search", "mass", "--section", "c", "--issue", "13", "--status", "all", "-k", "1", "--json")
        (_, filters, history) = backend.asked[0]
        assert (filters.section, filters.issue, filters.status, history) == ("C", "13", "all", ())

    def test_k_bounds_the_results(self, run):
        _, out, _ = run("search", "the", "--status", "all", "-k", "2", "--json")
        assert len(json.loads(out)["results"]) == 2

    def test_explain_tells_the_stages(self, run):
        _, out, _ = run("search", "mass", "--explain", "--json")
        found = json.loads(out)
        assert found["results"][0]["ranks"] == {"dense": 1, "fused": 1}
        assert found["understood"]["corrections"] == [["a", "b"]]
        assert found["candidates"] == ["c-4-1"]

    def test_a_person_sees_article_page_and_words(self, run):
        code, out, err = run("search", "mass", "--explain")
        assert code == 0
        assert "C4.1  Minimum mass" in out
        assert "section C, issue 13, page 60, C4 MASS" in out
        assert "must not be less than 768kg" in out
        assert "dense 1" in out
        assert err == ""

    def test_nothing_found_is_no_failure(self, run):
        code, out, _ = run("search", "zebra")
        assert (code, "Nothing found." in out) == (0, True)

    def test_a_batch_goes_on_after_a_failed_line(self, run, batch):
        lines = batch(
            {"id": "a", "question": "mass", "history": ["what of fines?"], "style": "plain"},
            "",
            {"id": 7, "question": "break"},
            "{no json",
            {"id": "d"},
            {"id": "e", "question": "mass", "history": "none"},
            {"id": "f", "question": "fine"},
        )
        code, out, _ = run("search", "--batch", lines, "--json")
        found = [json.loads(line) for line in out.splitlines()]
        assert code == 1
        assert [one["id"] for one in found] == ["a", "7", None, "d", "e", "f"]
        assert [bool(one["results"]) for one in found] == [True, False, False, False, False, True]
        assert found[1]["error"] == {
            "type": "ModelTimeout",
            "message": "the embedding model did not answer in 5 s",
            "fix": "Raise TECHREG_LLM_TIMEOUT_S or choose a smaller model",
        }
        assert "line 4 is no JSON" in found[2]["error"]["message"]
        assert found[3]["error"]["message"] == "line 5 has no question"
        assert all(one["ms"]["total"] >= 0 for one in found)

    def test_history_of_a_batch_line_reaches_the_backend(self, run, batch, backend):
        run("search", "--batch", batch({"id": "a", "question": "mass", "history": ["one", "two"]}), "--json")
        assert backend.asked[0][2] == ("one", "two")

    def test_a_batch_from_standard_input(self, run, monkeypatch):
        import io

        monkeypatch.setattr(sys, "stdin", io.StringIO('{"id": "a", "question": "mass"}\n'))
        code, out, _ = run("search", "--batch", "-", "--json")
        assert (code, json.loads(out)["id"]) == (0, "a")


class TestAsk:
    def test_an_answer_has_every_key(self, run):
        code, out, err = run("ask", "mass of the car", "--json")
        reply = json.loads(out)
        assert (code, err) == (0, "")
        assert reply.keys() >= ASK_KEYS
        assert (reply["outcome"], reply["refused"], reply["error"]) == ("answered", False, None)
        assert reply["citations"][0].keys() >= CITATION_KEYS
        assert reply["citations"][0]["verified"] is True

    def test_a_refusal_is_no_failure(self, run):
        code, out, _ = run("ask", "zebra crossing", "--json")
        reply = json.loads(out)
        assert code == 0
        assert reply.keys() >= ASK_KEYS
        assert (reply["outcome"], reply["refused"], reply["citations"]) == ("refused", True, [])
        assert "zebra" in reply["answer"]

    def test_a_failure_is_no_refusal(self, run):
        code, out, err = run("ask", "break", "--json")
        reply = json.loads(out)
        assert code == 1
        assert reply.keys() >= ASK_KEYS
        assert (reply["outcome"], reply["refused"], reply["answer"]) == ("failed", False, "")
        assert reply["error"]["type"] == "ModelTimeout"
        assert len(err.splitlines()) == 1

    def test_a_batch_goes_on_after_a_failed_line(self, run, batch):
        lines = batch({"id": "a", "question": "break"}, "[]", {"id": "c", "question": "fine"})
        code, out, err = run("ask", "--batch", lines, "--json")
        outcomes = [json.loads(line)["outcome"] for line in out.splitlines()]
        assert (code, outcomes) == (1, ["failed", "failed", "answered"])
        assert "line 2 is no object" in err

    def test_a_document_is_cited_by_file_and_lines(self, run):
        _, out, _ = run("ask", "stop", "--json")
        assert (
            json.loads(out)["citations"][0] | {"file": "notes.md", "lines": [3, 4]} == json.loads(out)["citations"][0]
        )

    def test_a_person_sees_answer_citation_and_disclaimer(self, run):
        _, out, _ = run("ask", "fine")
        assert "A fine may not exceed $215 million." in out
        assert "[B1.6.3]  section B, issue 05, page 12" in out
        assert "Unofficial, not legal advice" in out

    def test_a_person_sees_a_refusal_as_one(self, run):
        _, out, _ = run("ask", "zebra")
        assert out.strip() == "The regulations say nothing of zebra."


class TestClauses:
    def test_one_line_a_clause(self, run):
        code, out, _ = run("clauses", "--json")
        found = [json.loads(line) for line in out.splitlines()]
        assert code == 0
        assert [one["id"] for one in found] == ["b-1-6-3", "b-2-2", "c-4-1", "app-c1-car", "notes-1"]
        assert all(one.keys() >= CLAUSE_KEYS for one in found)
        assert found[1]["article_printed"] == "B.2.2"
        assert found[0]["path"] == ["B1 GENERAL", "B1.6 Penalties"]
        assert (found[4]["file"], found[4]["lines"]) == ("notes.md", [3, 4])
        assert "lines" not in found[0]

    def test_status_and_article_limit_the_list(self, run):
        _, out, _ = run("clauses", "C4", "--status", "future", "--json")
        assert [json.loads(line)["year"] for line in out.splitlines()] == ["2027"]

    def test_a_person_sees_a_line_a_clause(self, run):
        _, out, _ = run("clauses", "--status", "all")
        assert "C4.1         issue 13  p. 250  [future 2027] Minimum mass · The mass" in out
        assert max(len(line) for line in out.splitlines()) <= 100


class TestDeadReferences:
    @pytest.fixture
    def linked(self, backend):
        """The first clause refers to one that is there and to one that is not."""
        first = backend.indexed[0]
        made = tuple(Reference("article", target, target, 0, len(target)) for target in ("B2.2", "B9.9"))
        backend.indexed = (replace(first, references=made), *backend.indexed[1:])

    def test_one_json_line_a_reference_that_leads_nowhere(self, run, linked):
        code, out, _ = run("clauses", "--dead-references", "--json")
        (line,) = out.splitlines()
        found = json.loads(line)
        assert code == 0
        assert (found["id"], found["article"], found["page"], found["target"]) == ("b-1-6-3", "B1.6.3", 12, "B9.9")

    def test_a_person_sees_them_and_how_many_resolve(self, run, linked):
        _, out, _ = run("clauses", "--dead-references")
        assert "B1.6.3       issue 05  p. 12   B9.9 -> no B9.9" in out
        assert "1 of 2 references to articles and appendices resolve, 50.0%" in out

    def test_none_are_made(self, run):
        _, out, _ = run("clauses", "--dead-references")
        assert out == "0 of 0 references to articles and appendices resolve\n"


class TestIngest:
    def test_the_report_has_every_key(self, run):
        code, out, _ = run("ingest", "b.pdf", "--json")
        report = json.loads(out)
        assert code == 0
        assert report["documents"][0].keys() >= DOCUMENT_KEYS
        assert report["totals"]["struck_characters"] == 7123

    def test_a_failed_file_does_not_stop_the_others(self, run):
        code, out, _ = run("ingest", "bad.pdf", "b.pdf", "--json")
        assert code == 1
        assert [one["state"] for one in json.loads(out)["documents"]] == ["failed", "added"]

    def test_progress_goes_to_stderr_a_line_a_file(self, run):
        _, out, err = run("ingest", "b.pdf")
        assert err == "read b.pdf\nindex b.pdf\n"
        assert "added      Section B, issue 05: 96 pages, 600 clauses" in out

    def test_rebuild_needs_no_path(self, run, backend):
        assert run("ingest", "--rebuild")[0] == 0
        assert backend.ingested == [((), (), True)]

    def test_remove_needs_no_path(self, run, backend):
        assert run("ingest", "--remove", "a.pdf")[0] == 0
        assert backend.ingested[0][1] == ("a.pdf",)


class TestErrors:
    @pytest.mark.parametrize(
        "argv",
        [
            (), ("frobnicate",), ("search",), ("search", "x", "--batch", "y"), ("ask", "  "), ("ingest",),
            ("search", "x", "-k", "0"), ("search", "x", "--status", "old"), ("ask", "--batch", "absent.jsonl"),
            ("eval",),
        ],
    )  # fmt: skip
    def test_wrong_usage_is_2_and_prints_nothing_on_stdout(self, run, argv):
        code, out, err = run(*argv)
        assert (code, out) == (2, "")
        assert err

    def test_an_expected_error_is_one_line_with_its_fix(self, run, backend):
        backend.indexed = ()
        code, out, err = run("search", "x", "--json")
        assert (code, out) == (1, "")
        assert err == "techreg: nothing is indexed yet. Run: techreg ingest data/regulations\n"

    def test_an_unexpected_error_is_one_line_with_a_hint(self, run):
        code, out, err = run("search", "crash", "--json")
        assert (code, out) == (1, "")
        assert err == (
            "techreg: unexpected ValueError: a surprise. Set TECHREG_LOG_LEVEL=debug to see where it happened\n"
        )

    def test_a_wrong_setting_is_told(self, run, monkeypatch):
        monkeypatch.setenv("TECHREG_STORRAGE", "x")
        code, _, err = run("search", "x")
        assert (code, "unknown setting TECHREG_STORRAGE" in err) == (1, True)

    def test_what_a_library_prints_stays_off_stdout(self, run, backend):
        found = backend.search

        def chatty(*args):
            print("loading weights")
            return found(*args)

        backend.search = chatty
        _, out, err = run("search", "mass", "--json")
        assert json.loads(out)
        assert err == "loading weights\n"

    def test_the_backend_is_closed(self, run, backend):
        run("search", "crash")
        assert backend.closed


class TestHelp:
    def test_help_is_quick_and_imports_little(self):
        code = "import sys; from app.cli import main; main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert time.perf_counter() - started < 3  # measured 0.1 s; the bound only catches an import of torch or gradio
        heavy = {"torch", "gradio", "llama_index", "qdrant_client", "pydantic", "fastapi", "pymupdf"}
        assert not heavy & {name.strip("'[],") for name in done.stderr.split()}

    def test_commands_that_do_not_exist_are_absent(self, run):
        code, out, _ = run("--help")
        assert code == 0
        assert "compare" not in out
        for name in ("ingest", "clauses", "search", "ask", "eval", "doctor", "serve"):
            assert f"\n    {name} " in out

    def test_version(self, run):
        code, out, _ = run("--version")
        assert (code, out.split()[0]) == (0, "techreg")

    def test_python_m_app_is_the_same_command(self):
        done = subprocess.run([sys.executable, "-m", "app", "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("techreg ")
