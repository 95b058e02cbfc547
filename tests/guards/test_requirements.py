"""Every dependency is pinned, stands there once, and says what it is for."""

import re

from tests.guards.sources import ROOT

REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*(\[[a-z,]+\])?==[^\s;]+\s+# \S.{3,}$")


def requirements() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def test_a_dependency_is_pinned_and_says_why_it_is_here() -> None:
    loose = [line for line in requirements() if not REQUIREMENT.match(line)]
    assert requirements()
    assert not loose, f"Write them as `name==1.2.3  # why it is here`: {loose}"


def test_a_dependency_is_named_once() -> None:
    names = [re.split(r"[\[=]", line)[0].lower().replace("_", "-") for line in requirements()]
    assert sorted(names) == sorted(set(names))
