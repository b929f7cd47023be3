"""Make the folder of a Hugging Face Space: ``python -m scripts.build_space OUT``. Push its contents to the Space.

It holds the app and the pipelines with their data, the pinned requirements, the entry file and the front matter.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path

from scripts.lock import ROOT, direct_requirements

SPACE = ROOT / "hosting" / "space"
PACKAGES = ("app", "pipelines")
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"  # PyPI's torch for Linux is a CUDA build of gigabytes
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def build(out: Path) -> None:
    """Write the Space into ``out``, which must be empty or not there yet.

    Raises:
        FileExistsError: something stands in ``out``.
    """
    if out.exists() and any(out.iterdir()):
        raise FileExistsError(f"{out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, out / package, ignore=LEFT_OUT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = (SPACE / "README.md").read_text(encoding="utf-8")
    readme = readme.replace("{gradio}", pinned()["gradio"]).replace("{source}", project["urls"]["Documentation"])
    (out / "README.md").write_text(readme, encoding="utf-8")
    (out / "requirements.txt").write_text(requirements(), encoding="utf-8")
    shutil.copy(SPACE / "space.py", out)
    shutil.copy(ROOT / "LICENSE", out)
    # The packages are not installed there: their name and version are told as an installation would.
    told = out / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    told.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (told / "METADATA").write_text(metadata, encoding="utf-8")


def requirements() -> str:
    """Everything the product needs, in the versions it is tested with; Gradio comes with the Space."""
    versions = pinned()
    lines = [f"{one.name}=={versions[one.name.lower()]}" for one in direct_requirements() if one.name != "gradio"]
    return "\n".join([f"--extra-index-url {TORCH_INDEX}", *sorted(lines)]) + "\n"


def pinned() -> dict[str, str]:
    """The versions of ``constraints.txt`` by name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m scripts.build_space OUT")
    build(Path(sys.argv[1]))
    print(f"wrote {sys.argv[1]}", file=sys.stderr)
