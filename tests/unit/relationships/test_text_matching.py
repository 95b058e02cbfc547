import difflib
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from relationships.text_matching import Effort, lines_of, matching_lines, unified_diff

TEXTS = st.lists(st.sampled_from(["one", "two", "", "\x0c", "drei\r"]), max_size=30).map("\n".join)


@given(TEXTS, TEXTS)
def test_a_diff_is_written_as_difflib_does(before: str, after: str) -> None:
    told = difflib.unified_diff(lines_of(before), lines_of(after), "a/p", "b/p")
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told)

    assert unified_diff(before, after, path="p") == "".join(ended)


@given(TEXTS, TEXTS, st.integers(0, 60))
@example("one\ntwo\none", "one\none\none", 0)
def test_out_of_effort_a_diff_still_makes_one_out_of_the_other(before: str, after: str, effort: int) -> None:
    patch = unified_diff(before, after, path="p", effort=Effort(effort))

    assert applied(before, patch) == after


@given(TEXTS, TEXTS, st.integers(0, 2000))
def test_pieces_of_two_texts_are_the_same_in_both_and_in_order(before: str, after: str, effort: int) -> None:
    old, new = lines_of(before), lines_of(after)

    pieces = [piece for piece in matching_lines(old, new, effort=Effort(effort)) if piece[2]]

    assert all(old[at : at + size] == new[to : to + size] for at, to, size in pieces)
    assert all(at + size <= later[0] and to + size <= later[1] for (at, to, size), later in pairwise(pieces))


def test_only_what_lies_between_the_differences_takes_effort() -> None:
    old = [f"line {number}" for number in range(10_000)]
    new = [*old[:4000], "another", *old[4001:4010], "one more", *old[4011:]]
    effort = Effort(100_000)

    pieces = list(matching_lines(old, new, effort=effort))

    assert [piece for piece in pieces if piece[2]] == [(0, 0, 4000), (4001, 4001, 9), (4011, 4011, 5989)]
    assert effort.left > 99_000


def test_without_effort_nothing_is_compared_but_both_ends() -> None:
    old, new = ["a", "b", "c", "d", "e"], ["a", "x", "c", "y", "e"]

    assert list(matching_lines(old, new, effort=Effort(10))) == [(0, 0, 1), (4, 4, 1)]


def applied(before: str, patch: str) -> str:
    """The text that a unified diff makes."""
    old, made, at, is_made = lines_of(before), list[str](), 0, False
    for line in lines_of(patch)[2:]:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            until = int(start) - (length != "0")
            made, at = made + old[at:until], until
        elif line.startswith("\\"):
            made[-1:] = [line.removesuffix("\n") for line in made[-1:]] if is_made else made[-1:]
        elif line[0] in " +":
            made.append(line[1:])
        at += line[0] in " -"
        is_made = line[0] in " +"
    return "".join(made + old[at:])
