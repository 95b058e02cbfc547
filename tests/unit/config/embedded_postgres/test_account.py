import os
import pwd
from pathlib import Path

import pytest

from config.embedded_postgres.account import CANDIDATES, account_for, can_enter, first_account, run_as
from config.embedded_postgres.errors import NoAccountError

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root can step down to another account.")


def test_the_first_account_that_exists_is_taken() -> None:
    me = pwd.getpwuid(os.getuid())

    assert first_account(["no-such-account", me.pw_name]).uid == me.pw_uid


def test_no_account_is_ever_made() -> None:
    with pytest.raises(NoAccountError, match="there is no account named no-such-account") as caught:
        first_account(["no-such-account"])

    assert "Run Rapport as an ordinary user." in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="This is about everyone but root.")
def test_an_ordinary_user_runs_the_server_itself(tmp_path: Path) -> None:
    assert account_for(tmp_path) is None


@as_root
def test_root_hands_new_files_to_an_existing_account(tmp_path: Path) -> None:
    account = account_for(tmp_path / "not yet there")

    assert account and account.uid != 0
    assert account.name in CANDIDATES


@as_root
def test_root_runs_the_server_as_the_owner_of_its_files(tmp_path: Path) -> None:
    os.chown(tmp_path, 4242, 4343)

    account = account_for(tmp_path)

    assert account and (account.uid, account.gid) == (4242, 4343)


@as_root
def test_a_folder_is_entered_before_stepping_down(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    inside = tmp_path / "inside"
    inside.mkdir()
    inside.chmod(0o777)
    nobody = first_account(["nobody"])

    done = run_as(nobody, ["/bin/sh", "-c", "id -u; id -G; echo here > file"], cwd=inside)

    assert done.output.split() == [str(nobody.uid), str(nobody.gid)]
    assert (inside / "file").read_text() == "here\n"
    assert not can_enter(nobody, inside)


def test_a_program_sees_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a secret")
    monkeypatch.setenv("PGPORT", "6000")

    seen = run_as(None, ["/usr/bin/env"]).output

    assert {line.split("=")[0] for line in seen.splitlines()} == {"PATH", "LC_ALL"}


def test_both_outputs_and_the_exit_status_come_back() -> None:
    done = run_as(None, ["/bin/sh", "-c", "echo good; echo bad >&2; exit 3"])

    assert (done.status, done.output, done.succeeded) == (3, "good\nbad", False)


@pytest.mark.parametrize(
    ("command", "timeout", "said"),
    [
        (["/no/such/program"], 5, "No such file"),
        (["/etc/passwd"], 5, "Permission denied"),
        (["/bin/sleep", "30"], 0.05, "took longer than 0.05 s"),
    ],
    ids=["missing", "not a program", "too slow"],
)
def test_a_program_that_cannot_be_run_is_an_outcome(command: list[str], timeout: float, said: str) -> None:
    done = run_as(None, command, timeout=timeout)

    assert not done.succeeded
    assert said in done.output
