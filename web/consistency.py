"""Reads for which the caller chooses how fresh they must be, and is told where they were read."""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeVar

from django.db import Error as DatabaseFailure
from prometheus_client import Counter
from prometheus_client.core import GaugeMetricFamily, Metric

from config.postgresql.replica import REPLICA, Unfit, reading_replica, replica
from web.errors import RapportError
from web.fields import Answer, Body
from web.meters import OWN

R = TypeVar("R")
Consistency = Literal["strong", "eventual"]
Database = Literal["primary", "replica"]

_READS = Counter(
    "rapport_eventual_reads",
    "Reads that might be a moment old.",
    ["database", "reason"],
    registry=OWN,
)


class ConsistencyBody(Body):
    consistency: Consistency = "strong"
    """`eventual`: may be read from a replica that is behind by no more than the service allows (one second by
    default); everything written longer ago is seen. `strong`: everything written before the call is seen.
    """


class Read(NamedTuple):
    """Where an answer was read. `age_ms`: its age at most, when the call began; `reason`: why not the replica."""

    database: Database = "primary"
    age_ms: float = 0.0
    reason: str | None = None


class ReadAnswer(Answer):
    database: Database
    """Where it was read."""
    age_ms: float
    """The greatest possible age of the data, in milliseconds, when the call began; 0 for the primary."""
    reason: str | None
    """Why it was read from the primary although a replica was allowed. `none`: there is no replica; `away`: it does
    not answer; `foreign`: it follows another server or none; `behind`: it is behind by more than the service allows;
    `failed`: it could not answer this, and the primary was asked instead.
    """


class ReadFromAnswer(Answer):
    read: ReadAnswer
    """Where the data was read, and how old it is."""


def read_by(consistency: Consistency, read: Callable[[], R]) -> tuple[R, Read]:
    """Call `read`, on the replica if that is allowed and it is fit.

    If it fails there it is called again on the primary, as the replica may lack something. Raises what it then raises.
    """
    if consistency == "strong":
        return read(), Read()
    try:
        age = replica.age()
        with reading_replica():
            found = read()
        _READS.labels(REPLICA, "").inc()
        return found, Read("replica", round(age * 1000, 1))
    except Unfit as why:
        reason = why.reason
    except RapportError:
        reason = "failed"
    except DatabaseFailure as error:
        replica.failed(error)
        reason = "failed"
    _READS.labels("primary", reason).inc()
    return read(), Read("primary", reason=reason)


def replica_metrics() -> Iterable[Metric]:
    """The replica's state as this process sees it now; nothing without a replica."""
    try:
        return metrics_of(True, replica.age())
    except Unfit as why:
        return [] if why.reason == "none" else metrics_of(False, why.age)


def metrics_of(fit: bool, age: float | None) -> Iterable[Metric]:
    """The metrics. `age` is in seconds; None if it is unknown."""
    yield GaugeMetricFamily("rapport_replica_fit", "Whether eventual reads go to the replica.", value=fit)
    if age is not None:
        told = "How old what is read from the replica is, at most."
        yield GaugeMetricFamily("rapport_replica_age_seconds", told, value=age)
