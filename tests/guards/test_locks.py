"""The image's lock files hold what requirements.txt pins, all that it needs in turn, and a hash of each."""

import re
from importlib.metadata import requires

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.guards.sources import ROOT
from tests.guards.test_requirements import pinned

WAY_OUT = "Run `make lock` and commit what it wrote."
LINUX: dict[str, str] = {
    **{name: str(value) for name, value in default_environment().items()},
    "implementation_name": "cpython",
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


def service_pins() -> list[Requirement]:
    """requirements.txt above its embedded database."""
    text = (ROOT / "requirements.txt").read_text().partition("\n# the embedded database")[0]
    return [Requirement(line.split("#")[0]) for line in text.splitlines() if "==" in line]


def local_pins() -> list[Requirement]:
    return [Requirement(line) for line in pinned("requirements-local.txt")]


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
            extras = wanted.extras or {""}
            waiting += [
                one
                for one in map(Requirement, requires(wanted.name) or [])
                if one.marker is None
                or any(one.marker.evaluate({**LINUX, "extra": extra}) for extra in extras)
            ]
    return asked


@pytest.mark.parametrize("file", ["requirements.lock", "requirements-local.lock"])
def test_a_lock_is_names_versions_and_hashes_and_nothing_else(file: str) -> None:
    text = (ROOT / file).read_text()
    rest = LOCKED.sub("", text)

    assert locked(file)
    assert not [line for line in rest.splitlines() if line and not line.startswith("#")], WAY_OUT
    assert "://" not in text and "--index" not in text, (
        "A lock names no place: everybody has an index of their own."
    )


@pytest.mark.parametrize(
    ("files", "pins"),
    [
        (["requirements.lock"], service_pins()),
        (["requirements.lock", "requirements-local.lock"], [*service_pins(), *local_pins()]),
    ],
    ids=["the service", "with a local model"],
)
def test_all_that_is_needed_is_locked_at_a_version_that_is_asked_for(
    files: list[str], pins: list[Requirement]
) -> None:
    versions = {name: version for file in files for name, version in locked(file).items()}
    wrong = [
        f"{name} {versions.get(name)}: {wanted}"
        for name, all_wanted in needed_by(pins).items()
        for wanted in all_wanted
        if name not in versions or not wanted.specifier.contains(versions[name], prereleases=True)
    ]
    assert not wrong, f"{WAY_OUT} {wrong}"


def test_what_both_locks_hold_has_one_version() -> None:
    service, local = locked("requirements.lock"), locked("requirements-local.lock")
    assert {name: version for name, version in local.items() if name in service} == {
        name: version for name, version in service.items() if name in local
    }, WAY_OUT
