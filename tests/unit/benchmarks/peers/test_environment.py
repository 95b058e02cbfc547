from benchmarks.peers.environment import REQUIREMENTS, requirements


def test_each_requirement_is_read_without_its_comment() -> None:
    assert requirements("# why\nmem0ai==2.2.1  # a peer\n\n") == ["mem0ai==2.2.1"]


def test_what_is_pinned_for_the_peers_is_read() -> None:
    assert any(line.startswith("mem0ai==") for line in requirements(REQUIREMENTS.read_text()))
