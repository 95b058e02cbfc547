from worker.models.periodic_run import PeriodicRun
from worker.models.queued import WORKER_DIED, QueuedQuerySet, QueuedRow
from worker.models.worker_heartbeat import WorkerHeartbeat

__all__ = [
    "WORKER_DIED",
    "PeriodicRun",
    "QueuedQuerySet",
    "QueuedRow",
    "WorkerHeartbeat",
]
