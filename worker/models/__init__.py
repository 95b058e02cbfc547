from worker.models.periodic_run import PeriodicRun
from worker.models.queued import WORKER_DIED, Lease, QueuedQuerySet, QueuedRow, lease_end
from worker.models.worker_heartbeat import WorkerHeartbeat

__all__ = [
    "WORKER_DIED",
    "Lease",
    "PeriodicRun",
    "QueuedQuerySet",
    "QueuedRow",
    "WorkerHeartbeat",
    "lease_end",
]
