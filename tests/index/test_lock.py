import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.errors import IndexBusy
from pipelines.index.lock import FolderLock, OwnerInfo, owner

_HOLD = """
import sys
from pathlib import Path
from pipelines.index.lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
lock.announce("127.0.0.1", 7860)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_free_folder_has_no_owner(tmp_path: Path) -> None:
    assert owner(tmp_path / "new") is None
    lock = FolderLock(tmp_path)
    assert owner(tmp_path) == OwnerInfo(os.getpid())
    lock.release()
    lock.release()
    assert owner(tmp_path) is None


def test_another_process_is_told_who_holds_the_folder_until_it_ends(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert owner(tmp_path) == OwnerInfo(process.pid, "127.0.0.1", 7860)
        with pytest.raises(IndexBusy, match=f"process {process.pid} holds the storage folder"):
            FolderLock(tmp_path)
        process.kill()
    assert owner(tmp_path) is None
    FolderLock(tmp_path).release()
