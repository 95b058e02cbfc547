import difflib

from hypothesis import example, given
from hypothesis import strategies as st

from relationships.text_matching import Effort, lines_of, unified_diff

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
