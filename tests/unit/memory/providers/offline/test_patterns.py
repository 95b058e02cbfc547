from memory.providers.offline.patterns import pattern


def test_case_does_not_matter_to_a_pattern() -> None:
    assert pattern(r"^i live\b").match("I Live in Faro")
