"""Merging and comparing take time that grows with the files, whatever stands in them."""

from collections.abc import Callable

import pytest

from relationships.text_matching import Effort, unified_diff
from tests.growth import MOST, growth
from workspace.merging import Merged, merge_lines, merge_trees
from workspace.paths import Names, twin_fault
from workspace.trees import Files, entry_of


def over_and_over(size: int) -> str:
    """Few lines, each below the hundredth of all at which difflib leaves a line out."""
    return "".join(f"{at % 120}\n" for at in range(size))


def turned(text: str) -> str:
    return "".join(reversed(text.splitlines(keepends=True)))


WORK: dict[str, Callable[[str], object]] = {
    "diff": lambda text: unified_diff(text, turned(text), path="a"),
    "merge": lambda text: merge_lines(text, turned(text), f"{turned(text)}more\n", Effort()),
    "two lists": lambda text: merge_lines(
        "", text.replace("\n", ".\n"), turned(text).replace("\n", ".\n"), Effort()
    ),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_few_lines_over_and_over_are_compared_in_time_that_grows_with_them(
    work: Callable[[str], object],
) -> None:
    assert growth(work, over_and_over, size=6_000) < MOST


def tree(size: int, prefix: str) -> Files:
    folders = "/".join("d" * 9 for _ in range(20))
    return {f"{folders}/{prefix}{at}": entry_of(b"x") for at in range(size)}


def test_many_new_files_are_merged_in_time_that_grows_with_them() -> None:
    def merge(files: Files) -> Merged:
        return merge_trees({}, tree(100, "o"), files, read=lambda entry: b"", label="s")

    assert growth(merge, lambda size: tree(size, "t"), size=400) < MOST


def test_a_new_path_that_clashes_with_one_of_ours_is_kept_beside_it() -> None:
    ours, theirs = entry_of(b"ours"), entry_of(b"theirs")
    merged = merge_trees({}, {"Plan.md": ours}, {"plan.md": theirs}, read=lambda entry: b"", label="s")

    assert merged.files == {"Plan.md": ours, "plan.md.conflict-s": theirs}
    assert [(one.path, one.kept_as) for one in merged.held] == [("plan.md", "plan.md.conflict-s")]


@pytest.mark.parametrize("taken", ["plan.md.conflict-s", "Plan.md.Conflict-s", "plan.md.conflict-s/x"])
@pytest.mark.parametrize("folder", ["", "conflicts", "Conflicts", "conflicts/s"])
def test_an_existing_file_beside_a_conflict_is_not_overwritten(taken: str, folder: str) -> None:
    before, ours, theirs, there = map(entry_of, (b"0", b"1", b"2", b"there"))
    texts = {before: b"0", ours: b"1", theirs: b"2"}
    others = dict.fromkeys(filter(None, (taken, folder)), there)
    trees = ({"plan.md": one, **others} for one in (before, ours, theirs))

    merged = merge_trees(*trees, read=texts.__getitem__, label="s")

    [held] = merged.held
    assert merged.files == {"plan.md": ours, **others, held.kept_as: theirs}
    assert len(merged.files) == len(others) + 2 and twin_fault(merged.files) == ""


@pytest.mark.parametrize(("old", "new"), [("plan.md", "Plan.md"), ("Plan.md", "plan.md"), ("a", "a/b")])
def test_a_path_that_was_moved_to_its_twin_is_no_conflict(old: str, new: str) -> None:
    entry = entry_of(b"x")
    merged = merge_trees({old: entry}, {old: entry}, {new: entry}, read=lambda entry: b"", label="s")

    assert merged.files == {new: entry} and not merged.held


def test_a_refused_name_is_not_taken() -> None:
    names = Names()

    assert names.add("a/b") == "" and "file and a folder" in names.add("a/b/c") and names.add("a/c") == ""
    assert "only by case" in names.add("A/d") and names.add("a/d") == ""


def test_conflicts_find_a_folder_in_time_that_grows_with_them_whatever_stands_in_their_way() -> None:
    def made(size: int) -> list[Files]:
        paths = [f"{'x' * 240}{number:04}.md" for number in range(size)]  # too long to be kept beside
        ways = {f"conflicts-{number}": ours for number in range(2, size)} | {"conflicts": ours}
        return [dict.fromkeys(paths, base), dict.fromkeys(paths, ours) | ways, dict.fromkeys(paths, theirs)]

    base, ours, theirs = (entry_of(text) for text in (b"base", b"ours", b"theirs"))
    texts = {base: b"base", ours: b"ours", theirs: b"theirs"}

    def merged(sides: list[Files]) -> list[str]:
        held = merge_trees(*sides, read=texts.__getitem__, label="a").held
        return [one.kept_as.partition("/")[0] for one in held]

    assert merged(made(3)) == ["conflicts-3"] * 3
    assert growth(merged, made, size=100) < MOST
