"""Every dependency is pinned, stands there once, and says what it is for."""

import re

import pytest

from tests.guards.sources import ROOT

REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*(\[[a-z,]+\])?==[^\s;]+\s+# \S.{3,}$")


def requirements(file: str = "requirements.txt") -> list[str]:
    lines = (ROOT / file).read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith(("#", "-r "))]


def pinned(file: str) -> set[str]:
    return {line.split("#")[0].strip() for line in requirements(file)}


FILES = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-local.txt",
    "requirements-bench.txt",
    "benchmarks/peers/requirements.txt",
]


@pytest.mark.parametrize("file", FILES)
def test_a_dependency_is_pinned_and_says_why_it_is_here(file: str) -> None:
    loose = [line for line in requirements(file) if not REQUIREMENT.match(line)]
    assert requirements(file)
    assert not loose, f"Write them as `name==1.2.3  # why it is here`: {loose}"


def test_the_tests_have_the_same_versions_as_those_who_use_a_local_model() -> None:
    assert pinned("requirements-local.txt") <= pinned("requirements-dev.txt")


def test_a_dependency_is_named_once() -> None:
    names = [re.split(r"[\[=]", line)[0].lower().replace("_", "-") for file in FILES[:2] for line in requirements(file)]
    assert sorted(names) == sorted(set(names))
