import pytest

from memory.providers.offline.occupations import is_job


@pytest.mark.parametrize(
    "phrase",
    ["nurse", "high school teacher", "nurse in a hospice", "team lead", "social worker", "PhD student"],
)
def test_an_occupation_is_a_job(phrase: str) -> None:
    assert is_job(phrase)


@pytest.mark.parametrize(
    "phrase", ["mess", "morning person", "friend of a nurse", "teacher's pet", "", "bit tired"]
)
def test_other_nouns_are_no_job(phrase: str) -> None:
    assert not is_job(phrase)
