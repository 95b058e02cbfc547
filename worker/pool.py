"""The pool: django-q2's cluster, alone in a process group of its own, reporting to the statistics page."""

import os
from collections.abc import Callable
from multiprocessing import util
from typing import Any

from django.db import connections
from django_q import signals
from django_q.cluster import Cluster

from config.supervision import kill_group, name_process
from worker import worker_stats

_CHECK_SECONDS = 0.5


def run_pool(shared: worker_stats.WorkerStats, *, supervisor: int) -> None:
    """Run the cluster until it is stopped by SIGTERM; with the supervisor gone, end at once."""
    worker_stats.use(shared)
    _report_to(shared)
    cluster = Cluster()
    cluster.start()
    while cluster.sentinel.is_alive():
        cluster.sentinel.join(_CHECK_SECONDS)
        if os.getppid() != supervisor:
            # Nobody would notice if this pool got stuck. Its turns come back by their leases.
            kill_group(os.getpid())


def _report_to(shared: worker_stats.WorkerStats) -> None:
    """Have django-q2's signals keep the statistics page. Not weakly: nobody else holds these functions."""
    listeners: list[tuple[Any, Callable[..., None]]] = [
        (signals.post_spawn, lambda **_: _enter(shared)),
        (signals.pre_execute, lambda **_: shared.begin_task()),
        (signals.post_execute_in_worker, lambda **_: shared.end_task()),
    ]
    for signal, listener in listeners:
        signal.connect(listener, weak=False)


def _enter(shared: worker_stats.WorkerStats) -> None:
    """In a new pool process: take a slot, and give it back when the process ends in good order."""
    connections.close_all()
    name_process("rapport-reader")
    shared.take_slot()
    util.Finalize(None, shared.leave_slot, exitpriority=100)
