import os
from pathlib import Path

import psutil

from benchmarks.peers.usage import cpu_of, database_cpu


def test_the_processor_time_of_processes_is_added_up() -> None:
    this = psutil.Process()

    assert 0 < cpu_of([this]) < cpu_of([this, this])


def test_a_database_is_found_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text(f"{os.getpid()}\n{tmp_path}\n")

    assert database_cpu(tmp_path) > 0
