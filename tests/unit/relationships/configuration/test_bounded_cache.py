import pytest

from relationships.configuration.bounded_cache import LEAST_BYTES, KeptByText


def made_of(kept: KeptByText[str], *texts: str) -> bool:
    """Whether it had to be made, rather than found."""
    made: list[bool] = []

    def make(found: tuple[str, ...]) -> str:
        made.append(True)
        return "".join(found)

    assert kept.get(texts, make) == "".join(texts)
    return bool(made)


def test_the_same_texts_are_worked_out_once() -> None:
    kept: KeptByText[str] = KeptByText()

    assert [made_of(kept, "{}", "a"), made_of(kept, "{}", "a"), made_of(kept, "{}a", "")] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("length", [0, 1, 100_000, 1_000_000])
def test_however_long_they_are_what_is_kept_of_them_stays_within_its_bound(length: int) -> None:
    kept: KeptByText[str] = KeptByText(most=2_000_000)

    for number in range(300):
        made_of(kept, f"{number:03}".rjust(length, " "))

    assert len(kept) == min(300, 2_000_000 // (LEAST_BYTES + max(3, length)))


def test_the_one_asked_for_least_lately_goes_first() -> None:
    kept: KeptByText[str] = KeptByText(most=2 * (LEAST_BYTES + 1))
    for text in "abac":
        made_of(kept, text)

    assert [made_of(kept, text) for text in "ac"] == [False, False]
    assert made_of(kept, "b")


def test_what_can_not_be_made_is_not_kept() -> None:
    kept: KeptByText[str] = KeptByText()

    def refuse(texts: tuple[str]) -> str:
        raise ValueError

    with pytest.raises(ValueError):
        kept.get(("x",), refuse)

    assert len(kept) == 0
