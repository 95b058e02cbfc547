import os
from pathlib import Path

import pytest

from config.embedded_postgres.data_directory import SETTINGS, prepare, spelled_for
from config.embedded_postgres.errors import DataDirectoryUnusableError, WrongMajorVersionError
from config.embedded_postgres.layout import socket_dir

PROGRAMS = Path("/opt/programs")


def _files_of(data_dir: Path, *, version: str = "18") -> Path:
    """The few files of a database that are looked at before it starts."""
    data_dir.mkdir(parents=True)
    (data_dir / "PG_VERSION").write_text(f"{version}\n")
    (data_dir / "postgresql.conf").write_text("datestyle = 'iso, mdy'\n")
    return data_dir


def test_files_of_another_major_version_are_refused_and_left_as_they_were(tmp_path: Path) -> None:
    data_dir = _files_of(tmp_path / "postgres", version="17")

    with pytest.raises(WrongMajorVersionError, match=r"made by PostgreSQL 17\.") as caught:
        prepare(data_dir, None, programs=PROGRAMS)

    assert "pg_dump and pg_restore are in /opt/programs" in str(caught.value)
    assert sorted(file.name for file in data_dir.iterdir()) == ["PG_VERSION", "postgresql.conf"]


def test_a_folder_with_other_files_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()

    with pytest.raises(DataDirectoryUnusableError, match="Move them away"):
        prepare(tmp_path, None, programs=PROGRAMS)

    assert [file.name for file in tmp_path.iterdir()] == ["holiday.jpg"]


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can give files to somebody else.")
def test_somebody_elses_files_are_refused_with_the_command_that_hands_them_over(tmp_path: Path) -> None:
    data_dir = _files_of(tmp_path / "postgres")
    os.chown(data_dir, 4242, 4242)

    with pytest.raises(DataDirectoryUnusableError, match=f"chown -R 0 {data_dir}"):
        prepare(data_dir, None, programs=PROGRAMS)


def test_a_socket_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    data_dir = _files_of(tmp_path / ("x" * 100) / "postgres")
    socket_dir(data_dir).symlink_to(tmp_path)

    try:
        with pytest.raises(DataDirectoryUnusableError, match="belongs to somebody else"):
            prepare(data_dir, None, programs=PROGRAMS)
    finally:
        socket_dir(data_dir).unlink()


def test_settings_are_written_anew_at_each_start_and_included_once(tmp_path: Path) -> None:
    data_dir = _files_of(tmp_path / "postgres")

    prepare(data_dir, None, programs=PROGRAMS)
    (data_dir / "rapport.conf").write_text("max_connections = 1")
    prepare(data_dir, None, programs=PROGRAMS)

    main = (data_dir / "postgresql.conf").read_text()
    assert main == "datestyle = 'iso, mdy'\ninclude 'rapport.conf'\n"
    ours = (data_dir / "rapport.conf").read_text()
    assert "max_connections = '100'" in ours
    assert "unix_socket_directories = '.'" in ours


def test_no_setting_trades_durability_for_speed() -> None:
    assert not {"fsync", "synchronous_commit", "full_page_writes"} & set(SETTINGS)


def test_a_folder_within_reach_is_called_by_its_path(tmp_path: Path) -> None:
    assert spelled_for(None, tmp_path) == str(tmp_path)
