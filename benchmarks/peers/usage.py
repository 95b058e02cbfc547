"""CPU time of processes that come and go."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil


def cpu_of(processes: Iterable[psutil.Process]) -> float:
    """Seconds used so far by these."""
    total = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def database_cpu(data_dir: Path) -> float:
    """Seconds of the whole server, of connections that were closed too."""
    postmaster = psutil.Process(int((data_dir / "postmaster.pid").read_text().splitlines()[0]))
    times = postmaster.cpu_times()
    ended = times.children_user + times.children_system
    return ended + cpu_of([postmaster, *postmaster.children(recursive=True)])
