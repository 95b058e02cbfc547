"""What the guards look at is the project, whatever somebody keeps beside it."""

from pathlib import Path

from tests.guards.sources import is_ours


def test_an_environment_made_by_the_readme_and_a_worktrees_own_file_are_no_part_of_the_project(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyvenv.cfg").touch()
    (tmp_path / "memory").mkdir()
    (tmp_path / ".git").touch()

    assert not is_ours(tmp_path / ".git")
    assert not is_ours(tmp_path / "mine") and is_ours(tmp_path / "memory")
