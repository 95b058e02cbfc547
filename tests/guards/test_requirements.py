"""The locks hold all that is needed in turn, with its hashes."""

import re
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.guards.sources import ROOT

LOCKS = ("requirements.lock", "requirements-local.lock")
WAY_OUT = "Run `make lock` and commit what it wrote."
LINUX = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.9",
    "python_version": "3.11",
    "sys_platform": "linux",
}
# A lock's lines: name==version, perhaps a marker, and the hashes of its files below it.
LOCKED = re.compile(
    r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==(\S+)(?: ; [^\\\n]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
    re.MULTILINE,
)


def lines(file: str) -> list[str]:
    return [line for line in (ROOT / file).read_text().splitlines() if "==" in line]


def pinned(file: str) -> set[str]:
    return {line.split("#")[0].strip() for line in lines(file)}


def service_pins() -> list[Requirement]:
    """requirements.txt above its embedded database, which no image needs."""
    text = (ROOT / "requirements.txt").read_text().partition("\n# the embedded database")[0]
    return [Requirement(line.split("#")[0]) for line in text.splitlines() if "==" in line]


def locked(file: str) -> dict[str, str]:
    return {found[0]: found[1] for found in LOCKED.findall((ROOT / file).read_text())}


def needed_by(pins: list[Requirement]) -> dict[str, list[Requirement]]:
    """Who is needed on Linux, directly or in turn, with all that is asked of them; read from what is installed."""
    asked: dict[str, list[Requirement]] = {}
    waiting = list(pins)
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        asked.setdefault(name, []).append(wanted)
        if len(asked[name]) == 1 or wanted.extras:
            waiting += [
                one
                for one in map(Requirement, requires(wanted.name) or [])
                if one.marker is None
                or any(one.marker.evaluate({**LINUX, "extra": extra}) for extra in wanted.extras or {""})
            ]
    return asked


@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_is_names_versions_and_hashes_and_nothing_else(file: str) -> None:
    text = (ROOT / file).read_text()
    rest = LOCKED.sub("", text)
    assert locked(file)
    assert not [line for line in rest.splitlines() if line and not line.startswith("#")], WAY_OUT
    assert "://" not in text and "--index" not in text, (
        "A lock names no place: everybody has one of their own."
    )


@pytest.mark.parametrize("with_local", [False, True], ids=["the service", "with a local model"])
def test_all_that_is_needed_is_locked_at_a_version_that_is_asked_for(with_local: bool) -> None:
    local = [Requirement(line) for line in pinned("requirements-local.txt")]
    pins = [*service_pins(), *(local if with_local else [])]
    versions = locked(LOCKS[0]) | (locked(LOCKS[1]) if with_local else {})
    wrong = [
        f"{name} {versions.get(name)}: {wanted}"
        for name, all_wanted in needed_by(pins).items()
        for wanted in all_wanted
        if name not in versions or not wanted.specifier.contains(versions[name], prereleases=True)
    ]
    assert not wrong, f"{WAY_OUT} {wrong}"


def test_what_both_locks_hold_has_one_version() -> None:
    service, local = locked(LOCKS[0]), locked(LOCKS[1])
    assert [name for name in service.keys() & local.keys() if service[name] != local[name]] == [], WAY_OUT
