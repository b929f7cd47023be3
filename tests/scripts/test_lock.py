"""The constraints file pins everything that is asked for, and names no place to get it from."""

from __future__ import annotations

from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts import lock

LINES = [line for line in lock.TARGET.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_every_line_pins_one_public_version():
    for line in LINES:
        (specifier,) = Requirement(line).specifier
        assert specifier.operator == "=="
        assert Version(specifier.version).local is None


def test_every_direct_requirement_is_pinned_within_its_bounds():
    pinned = {canonicalize_name(Requirement(line).name): line.split("==")[1] for line in LINES}
    for requirement in lock.direct_requirements() + lock.direct_requirements("dev"):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement


def test_no_place_is_named():
    text = Path(lock.TARGET).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--" not in text


def test_locking_reaches_what_requirements_require():
    text = lock.lock()
    assert "\ntorch==" in text
    assert "\ntransformers==" in text  # through sentence-transformers
    assert "\ntechreg-analyst" not in text
