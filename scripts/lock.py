"""Write ``constraints.txt``: the exact version of everything the project installs, from this environment.

Run in an environment with ``pip install -e .[dev]``: ``python -m scripts.lock``. A local version label ("+cpu") is left
out, so that the same line fits every build of that release.
"""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "constraints.txt"
HEADER = "# The versions this project is tested with. Written by: python -m scripts.lock\n"


def direct_requirements(extra: str = "") -> list[Requirement]:
    """What ``pyproject.toml`` asks for: the dependencies, or those of an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        Requirement(line) for line in (project["optional-dependencies"][extra] if extra else project["dependencies"])
    ]


def extras() -> list[str]:
    """The names of the extras; of ``dev`` everything must be installed to lock, of the others what is there."""
    return list(
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    )


def lock() -> str:
    """The text of the constraints file: one pinned line for each package reached from the direct requirements.

    Raises:
        PackageNotFoundError: a dependency, or one of the ``dev`` extra, is not installed here.
    """
    needed = direct_requirements() + direct_requirements("dev")
    waiting = [*needed, *(one for extra in extras() for one in direct_requirements(extra))]
    pinned: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name, wanted = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, wanted) in seen or not _applies(requirement):
            continue
        seen.add((name, wanted))
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:
            if requirement in needed:
                raise
            continue  # wanted by an extra that is not installed
        pinned[name] = found.version.split("+")[0]
        for line in found.requires or []:
            child = Requirement(line)
            if child.marker is None or any(child.marker.evaluate({"extra": extra}) for extra in (wanted or {""})):
                waiting.append(child)
    return HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pinned.items()))


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or "extra" in str(requirement.marker) or requirement.marker.evaluate()


if __name__ == "__main__":
    TARGET.write_text(lock(), encoding="utf-8")
    print(f"wrote {TARGET}", file=sys.stderr)
