"""/healthz, /readyz, /readyz/worker and /metrics: without authentication or prefix, and without anything that people
said.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST as OPENMETRICS

from config.postgresql.sessions import TOOK_TOO_LONG, node_went_away, sqlstate
from worker.api.metrics import ready_metric, render_metrics, unread_metric, worker_metrics
from worker.condition import QueueCondition, read_condition, read_workers
from worker.readiness import (
    Blocker,
    Readiness,
    check_readiness,
    embedder_in_use,
    limit_statements,
    provider_in_use,
)

R = TypeVar("R")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 for as long as this process answers at all."""
    return JsonResponse({"alive": True})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when this instance can serve, whatever its projects do; else 503 with the reasons."""
    readiness = check_readiness()
    return JsonResponse(_basics(readiness), status=200 if readiness.ready else 503)


@require_safe
@never_cache
def readyz_worker(request: HttpRequest) -> HttpResponse:
    """200 when turns are being read, or wait because of their own project; else 503 with the reasons."""
    work = check_readiness(work=True)
    body = {
        **_basics(work),
        "degraded": [_degraded(found) for found in work.degraded],
        **_queue(work.condition),
    }
    return JsonResponse(body, status=200 if work.ready else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """In Prometheus' text format or, with examples of traces, OpenMetrics.

    503 while the database is away, so that a scrape fails instead of reporting zero. If a node of it is away, the
    metrics of the others are reported, and which could not be read.
    """
    unread: dict[str, bool] = {}
    try:
        condition = _read("queue", read_condition, unread)
        others = list(worker_metrics(read_workers())) if condition is None else []
        for path in settings.METRICS:
            others += _read(path.rpartition(".")[2], import_string(path), unread) or ()
    except DatabaseError:
        return HttpResponse("The database does not answer.\n", status=503, content_type="text/plain")
    openmetrics = OPENMETRICS.partition(";")[0] in request.headers.get("Accept", "")
    others += [ready_metric(check_readiness(work=True).ready), unread_metric(unread)]
    text = render_metrics(condition, others, openmetrics=openmetrics)
    return HttpResponse(text, content_type=OPENMETRICS if openmetrics else CONTENT_TYPE_LATEST)


def _read(part: str, read: Callable[[], R], unread: dict[str, bool]) -> R | None:
    """Read a part of the metrics; None, recorded in `unread`, if a node that it needs is down or too slow."""
    unread[part] = False
    try:
        with transaction.atomic():
            limit_statements()
            return read()
    except DatabaseError as error:
        if not node_went_away(error) and sqlstate(error) != TOOK_TOO_LONG:
            raise
        unread[part] = True
        return None


def _basics(readiness: Readiness) -> dict[str, Any]:
    provider = provider_in_use()
    return {
        "ready": readiness.ready,
        "reasons": readiness.reasons,
        "database": readiness.database,
        "pending_migrations": readiness.pending_migrations,
        "providers": {"llm": provider, "embedder": embedder_in_use()},
        "offline": provider["alias"] == "offline",
    }


def _degraded(found: Blocker) -> dict[str, Any]:
    told = {name: value for name, value in asdict(found).items() if name != "alarming"}
    return {**told, "seconds": round(found.seconds, 3), "detail": found.sentence}


def _queue(condition: QueueCondition | None) -> dict[str, Any]:
    if condition is None:
        return {"worker": None, "turns": None, "oldest_pending_turn_seconds": None}
    age = condition.beat_age_seconds
    return {
        "worker": {
            "alive": any(worker.alive for worker in condition.workers),
            "beat_age_seconds": None if age is None else round(age, 3),
        },
        "turns": {
            "due": condition.turns.due,
            "retrying": condition.turns.retrying,
            "failed": condition.turns.failed,
        },
        "oldest_pending_turn_seconds": round(condition.oldest_seconds, 3),
    }
