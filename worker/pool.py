"""The pool: django-q2's cluster, alone in a process group of its own, reporting to the statistics page."""

import os
import signal
from functools import partial
from multiprocessing import util

from django.conf import settings
from django.db import connections
from django_q import signals
from django_q.cluster import Cluster

from config import tracing
from config.database import use_pool
from config.supervision import die_with_parent, kill_group, name_process
from worker import worker_stats
from worker.readers import start_readers

_NICE = 10  # of the processes that read turns, as no context or reply waits for them
_CHECK_SECONDS = 1.0
_CONNECTION_SECONDS = 30.0  # how long a reader waits for one of the process's connections


def run_pool(shared: worker_stats.WorkerStats, *, supervisor: int) -> None:
    """Run the cluster until it is stopped by SIGTERM; with the supervisor gone, end at once."""
    worker_stats.use(shared)
    # Not a weak reference, as nothing else references it.
    signals.post_spawn.connect(lambda **_: _enter(shared), weak=False)
    # Its processes would wait for each other for ever if this one and the supervisor were killed at once.
    os.register_at_fork(after_in_child=partial(die_with_parent, signal.SIGKILL))
    cluster = Cluster()
    cluster.start()
    while cluster.sentinel.is_alive():
        cluster.sentinel.join(_CHECK_SECONDS)
        if os.getppid() != supervisor:
            # Nothing would notice if this pool got stuck. Its turns are due again when their leases end.
            kill_group(os.getpid())


def _enter(shared: worker_stats.WorkerStats) -> None:
    """In a new process of the pool, take a slot, and release it after all its tasks have ended regularly."""
    os.nice(_NICE)
    connections.close_all()
    name_process("rapport-reader")
    use_pool(connections.settings["default"], size=settings.DATABASE_POOL, timeout=_CONNECTION_SECONDS)
    tracing.begin("worker")
    shared.take_slot()
    signals.pre_execute.connect(lambda **_: shared.note_taken(), weak=False)
    readers = start_readers(settings.READERS, shared)
    util.Finalize(None, shared.leave_slot, exitpriority=100)
    util.Finalize(None, readers.close, exitpriority=200)
