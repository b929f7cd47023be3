"""``techreg doctor``: every state of an installation is OK, WARN or FAIL, and what to do about it."""

from __future__ import annotations

import json

import pytest

from app import doctor
from app.cli import main
from app.lock import new_lock, write_lock
from pipelines.errors import SettingsError


@pytest.fixture
def quick(settings, tmp_path):
    """Settings whose embedding model is not there, so that none is loaded."""
    return settings.model_copy(update={"embed_model": str(tmp_path / "no-model")})


def found(settings) -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.diagnose(lambda: settings)}


def test_a_fresh_installation_has_warnings_with_their_fix(quick):
    checks = found(quick)
    assert [
        checks[name].status for name in ("python", "packages", "settings", "storage", "server", "language model")
    ] == ["OK"] * 6
    assert (checks["documents"].status, checks["documents"].fix) == (
        "WARN",
        "Run: python -m scripts.fetch_regulations",
    )
    assert (checks["index"].status, checks["index"].detail) == ("WARN", "nothing is indexed yet")
    assert "qdrant server" not in checks


def test_looking_writes_nothing(quick):
    found(quick)
    assert not quick.storage.exists()


def test_a_missing_model_fails_with_the_setting_to_mend(quick):
    check = found(quick)["embedding model"]
    assert check.status == "FAIL"
    assert "TECHREG_EMBED_MODEL" in check.fix


def test_wrong_settings_fail_and_the_installation_is_still_checked():
    def broken():
        raise SettingsError("unknown setting TECHREG_STORRAGE")

    checks = {check.name: check for check in doctor.diagnose(broken)}
    assert checks["settings"].status == "FAIL"
    assert checks["settings"].detail == "unknown setting TECHREG_STORRAGE"
    assert checks["python"].status == "OK"
    assert "index" not in checks


def test_documents_are_counted(quick):
    quick.documents.mkdir()
    (quick.documents / "a.pdf").touch()
    (quick.documents / ".gitkeep").touch()
    assert found(quick)["documents"].detail == f"1 files in {quick.documents}"


def test_a_storage_that_is_a_file_fails(quick):
    quick.storage.touch()
    assert found(quick)["storage"].status == "FAIL"


def test_a_lock_file_left_behind_is_a_warning(quick):
    write_lock(quick.storage, new_lock("127.0.0.1", 1))  # nothing listens on port 1
    assert found(quick)["server"].status == "WARN"


def test_a_qdrant_server_that_does_not_answer_fails(quick):
    checks = found(quick.model_copy(update={"qdrant_url": "http://127.0.0.1:1"}))
    assert checks["qdrant server"].status == "FAIL"
    assert "TECHREG_QDRANT_URL" in checks["qdrant server"].fix


def test_a_missing_reranker_fails(quick):
    assert found(quick.model_copy(update={"reranker": "/no/such/folder"}))["reranker"].status == "FAIL"


def test_a_language_model_that_does_not_answer_fails(quick):
    changes = {"llm": "custom", "llm_url": "http://127.0.0.1:1/v1", "llm_model": "small", "llm_retries": 0}
    check = found(quick.model_copy(update=changes))["language model"]
    assert check.status == "FAIL"
    assert check.fix


def test_a_language_model_that_is_not_used_is_not_asked(quick):
    changes = {"llm": "custom", "llm_url": "http://127.0.0.1:1/v1", "llm_model": "small", "answer_mode": "extractive"}
    assert found(quick.model_copy(update=changes))["language model"].status == "OK"


def test_an_old_python_fails(monkeypatch):
    monkeypatch.setattr(doctor, "PYTHON", (9, 9))
    assert doctor._python().status == "FAIL"


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "requires", lambda _: ["no-such-package>=1", "pydantic<1", "ruff; extra == 'dev'"])
    check = doctor._packages()
    assert check.status == "FAIL"
    assert check.detail.startswith("no-such-package is missing; pydantic ")


def test_an_unexpected_error_is_a_finding(settings):
    def broken(_):
        raise ZeroDivisionError("no")

    check = doctor._guarded("x", broken, settings)
    assert (check.status, check.detail) == ("FAIL", "unexpected ZeroDivisionError: no")


@pytest.mark.parametrize(("status", "code"), [("OK", 0), ("WARN", 0), ("FAIL", 1)])
def test_only_a_failure_is_exit_1(status, code, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "diagnose", lambda: [doctor.Check("x", status, "so it is", "Do this")])
    assert main(["doctor", "--json"]) == code
    assert json.loads(capsys.readouterr().out) == {
        "checks": [{"name": "x", "status": status, "detail": "so it is", "fix": "Do this"}]
    }
    main(["doctor"])
    out = capsys.readouterr().out
    assert out.startswith(f"{status:<4}  x: so it is\n")
    assert ("fix: Do this" in out) == (status != "OK")
