from pathlib import Path

import pytest

from benchmarks.peers import environment
from benchmarks.peers.environment import REQUIREMENTS, libraries, requirements


def test_each_requirement_is_read_without_its_comment() -> None:
    assert requirements("# why\nmem0ai==2.2.1  # a peer\n\n") == ["mem0ai==2.2.1"]


def test_what_is_pinned_for_the_peers_is_read() -> None:
    assert any(line.startswith("mem0ai==") for line in requirements(REQUIREMENTS.read_text()))


def test_without_the_peers_environment_our_own_libraries_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environment, "PEERS_PYTHON", tmp_path / "python")

    told = libraries()

    assert told.startswith("the peers': none; ours: Django==")
