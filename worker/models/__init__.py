from worker.models.periodic_run import PeriodicRun
from worker.models.queued import WORKER_DIED, QueuedQuerySet, QueuedRow, lease_end
from worker.models.worker_heartbeat import WorkerHeartbeat

__all__ = [
    "WORKER_DIED",
    "PeriodicRun",
    "QueuedQuerySet",
    "QueuedRow",
    "WorkerHeartbeat",
    "lease_end",
]
