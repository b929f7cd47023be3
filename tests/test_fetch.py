"""Fetching against a real HTTP server on this machine: found, missing, resumed, wrong and cut downloads."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from pipelines.errors import DamagedFile
from pipelines.fetch import USER_AGENT, Entry, Fetched, Manifest, fetch, load_manifest, new_client
from scripts import fetch_regulations

CONTENT = b"%PDF-1.7 " + bytes(range(256)) * 40


class Site(ThreadingHTTPServer):
    """Serves CONTENT under /good.pdf; ``cuts``: how many bytes each of the next replies sends before it breaks off."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.cuts: list[int] = []
        self.ranges = True
        self.seen: list[tuple[str, str, str]] = []  # path, Range, User-Agent

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.server.seen.append((self.path, wanted, self.headers["User-Agent"]))
        if self.path == "/page.pdf":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<p>Sorry")
            return
        if self.path != "/good.pdf":
            self.send_error(int(self.path.strip("/").removesuffix(".pdf")))
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        cut = self.server.cuts.pop(0) if self.server.cuts else len(CONTENT)
        self.wfile.write(CONTENT[start : start + cut])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def entry(site: Site, name: str = "good.pdf", *, content: bytes = CONTENT, section: str = "A") -> Entry:
    return Entry(
        file=name,
        section=section,
        issue="01",
        date="2026-01-01",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        url=f"{site.url}/{name}",
        verified=False,
    )


def run(entries: list[Entry], folder: Path) -> list[Fetched]:
    with httpx.Client(trust_env=False, timeout=5, headers={"User-Agent": USER_AGENT}) as client:
        return list(fetch(entries, folder, client, pause=lambda: None))


def test_a_file_is_fetched_once(site: Site, tmp_path: Path) -> None:
    assert [result.state for result in run([entry(site)], tmp_path / "new")] == ["fetched"]
    assert (tmp_path / "new/good.pdf").read_bytes() == CONTENT
    assert [result.state for result in run([entry(site)], tmp_path / "new")] == ["present"]
    assert site.seen == [("/good.pdf", "", USER_AGENT)]


def test_a_missing_file_does_not_stop_the_others(site: Site, tmp_path: Path) -> None:
    missing, good = run([entry(site, "404.pdf"), entry(site)], tmp_path)
    assert (missing.state, missing.detail) == ("failed", "the server answered 404 Not Found")
    assert good.state == "fetched"
    assert [path.name for path in tmp_path.iterdir()] == ["good.pdf"]


def test_a_server_error_is_tried_again_and_then_told(site: Site, tmp_path: Path) -> None:
    (result,) = run([entry(site, "503.pdf")], tmp_path)
    assert result.detail == "the server answered 503 Service Unavailable"
    assert len(site.seen) == 3


def test_a_cut_connection_resumes_where_it_broke(site: Site, tmp_path: Path) -> None:
    site.cuts = [1000, 2000]
    (result,) = run([entry(site)], tmp_path)
    assert result.state == "fetched"
    assert [wanted for _, wanted, _ in site.seen] == ["", "bytes=1000-", "bytes=3000-"]
    assert (tmp_path / "good.pdf").read_bytes() == CONTENT


def test_a_download_cut_each_time_leaves_its_part_for_the_next_run(site: Site, tmp_path: Path) -> None:
    site.cuts = [100, 100, 100]
    (result,) = run([entry(site)], tmp_path)
    assert result.state == "failed"
    assert "the connection was cut" in result.detail
    assert not (tmp_path / "good.pdf").exists()
    assert (tmp_path / "good.pdf.part").read_bytes() == CONTENT[:300]
    assert run([entry(site)], tmp_path)[0].state == "fetched"
    assert site.seen[-1][1] == "bytes=300-"


def test_a_server_without_ranges_starts_over(site: Site, tmp_path: Path) -> None:
    site.cuts, site.ranges = [500], False
    assert run([entry(site)], tmp_path)[0].state == "fetched"
    assert (tmp_path / "good.pdf").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(site: Site, tmp_path: Path) -> None:
    (tmp_path / "good.pdf.part").write_bytes(b"x" * (len(CONTENT) + 1))
    (result,) = run([entry(site)], tmp_path)
    assert (result.state, list(tmp_path.iterdir())) == ("failed", [])
    assert run([entry(site)], tmp_path)[0].state == "fetched"


def test_a_wrong_hash_is_not_kept(site: Site, tmp_path: Path) -> None:
    other = entry(site, content=CONTENT[::-1])
    (result,) = run([other], tmp_path)
    assert (result.state, "sha256 differs" in result.detail) == ("failed", True)
    assert list(tmp_path.iterdir()) == []


def test_a_changed_file_on_disk_is_fetched_again(site: Site, tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(b"damaged")
    assert run([entry(site)], tmp_path)[0].state == "fetched"
    assert (tmp_path / "good.pdf").read_bytes() == CONTENT


def test_a_web_page_is_not_taken_for_the_file(site: Site, tmp_path: Path) -> None:
    (result,) = run([entry(site, "page.pdf")], tmp_path)
    assert result.detail == "the server answered with a web page, not with the file"
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_host_is_asked_once(site: Site, tmp_path: Path) -> None:
    entries = [entry(site, "good.pdf"), entry(site, "404.pdf")]
    site.server_close()  # nothing listens there any more
    results = run(entries, tmp_path)
    assert [result.state for result in results] == ["failed", "failed"]
    assert results[0].detail == results[1].detail
    assert results[0].detail.startswith("no connection to 127.0.0.1")


def test_there_is_a_pause_between_downloads_only(site: Site, tmp_path: Path) -> None:
    pauses: list[int] = []
    (tmp_path / "good.pdf").write_bytes(CONTENT)
    entries = [entry(site), entry(site, "404.pdf"), entry(site, "410.pdf")]
    with httpx.Client(trust_env=False) as client:
        list(fetch(entries, tmp_path, client, pause=lambda: pauses.append(1)))
    assert len(pauses) == 1


def test_the_shipped_manifest_names_both_issues_of_2026() -> None:
    manifest = load_manifest()
    assert manifest.page == "https://www.fia.com/regulation/category/110"
    assert len(manifest.files) == 11
    assert [(one.section, one.issue) for one in manifest.current()] == [
        ("A", "03"), ("B", "07"), ("C", "13"), ("D", "07"), ("E", "06"), ("F", "09"),
    ]  # fmt: skip
    for one in manifest.files:
        assert one.url == "https://www.fia.com/system/files/documents/" + one.file
        assert len(one.sha256) == 64


def test_the_manifest_names_the_files_that_people_have() -> None:
    folder = Path(__file__).parents[1] / "../shared/regulations"
    if not folder.is_dir():
        pytest.skip("the FIA's documents are not in ../shared/regulations")
    have = {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*/*.pdf")}
    assert have == {one.sha256 for one in load_manifest().files}


def test_a_damaged_manifest_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text('{"files": []}')
    with pytest.raises(DamagedFile, match="is no list of regulations"):
        load_manifest(tmp_path / "list.json")


def test_the_client_says_who_it_is() -> None:
    with new_client() as client:
        assert client.headers["User-Agent"] == USER_AGENT
        assert client.follow_redirects


class TestScript:
    def test_it_says_where_a_person_finds_the_files(
        self, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        manifest = tmp_path / "list.json"
        fields = ("file", "section", "issue", "date", "bytes", "sha256", "url", "verified")
        files = [{name: getattr(one, name) for name in fields} for one in (entry(site, "404.pdf"),)]
        manifest.write_text(json.dumps({"page": "https://www.fia.com/x", "files": files}))
        assert fetch_regulations.main([str(tmp_path / "pdfs"), "--manifest", str(manifest)]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert "Download them from https://www.fia.com/x" in said.err
        assert str(tmp_path / "pdfs") in said.err

    def test_it_leaves_a_filled_folder_alone(self, tmp_path: Path) -> None:
        (tmp_path / "mine.pdf").write_bytes(b"%PDF")
        assert fetch_regulations.main([str(tmp_path), "--if-empty"]) == 0

    def test_a_folder_with_only_a_hidden_file_is_empty(self, tmp_path: Path) -> None:
        (tmp_path / ".gitkeep").touch()
        assert not fetch_regulations.has_documents(tmp_path)
        assert not fetch_regulations.has_documents(tmp_path / "absent")

    def test_all_is_found_in_place(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "good.pdf").write_bytes(CONTENT)
        assert fetch_regulations.run(Manifest("https://www.fia.com/x", (entry(site),)), tmp_path) == 0
        assert site.seen == []
