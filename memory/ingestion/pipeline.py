"""Drain a relationship: claim its due turns in order, read them, and write what is worth remembering."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, InternalError, transaction
from django.utils import timezone

from config import tracing
from config.postgresql.migrations import is_other_schema
from config.postgresql.sessions import database_went_away
from memory.errors import ErasedMeanwhile, IngestionError, InvalidTemplate, LeaseLost, StaleAnswer
from memory.ingestion.apply import apply_operations
from memory.ingestion.batch_query import input_of, read_batch, read_facts
from memory.ingestion.calls import CallLog
from memory.ingestion.claim import Claim, claim_turns, keep_lease
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.proposals import Proposed, propose_all
from memory.ingestion.settle import fail_turns, hand_back, keep_calls, release_turns
from memory.mending.spoken_wishes import hear_wishes
from providers.errors import ModelNotFound, ProviderError
from providers.llm.registry import get_provider
from web.errors import BudgetSpent, InvalidConfiguration, NotFound
from worker.enqueue import enqueue
from worker.failures import OTHER_SCHEMA_SECONDS
from worker.fairness import gives_way
from worker.leases import error_place, renewing, retry_delay
from worker.worker_stats import count_turn, stop_requested

log = structlog.get_logger(__name__)

ASK_AGAIN = 2  # times, if a person edited an entry while the model answered
INTERNAL_TRIES = 3  # of a batch with an internal error, before it is divided


@dataclass(slots=True)
class Drained:
    """What one task did: turns applied, failed for good, and released for another attempt."""

    applied: int = 0
    failed: int = 0
    released: int = 0
    began: float = field(default_factory=monotonic)
    owed: bool = True  # there are more due turns, as of the last settling
    gives_way: bool = False  # the rest is left to another task, behind those that wait


def drain_relationship(*, relationship_id: UUID, worker: str) -> Drained:
    """Read what is due in one relationship, batch by batch, until nothing is left, it must wait, or others wait."""
    drained = Drained()
    while True:
        claim = claim_turns(relationship_id=relationship_id, worker=worker)
        if claim is None:
            return drained
        if not ingest_claim(claim, drained) or stop_requested() or not drained.owed:
            return drained
        if _gives_way(drained):
            break
    with transaction.atomic():
        enqueue(relationship_id, project_id=claim.turns[0].project_id)
    return drained


def _gives_way(drained: Drained) -> bool:
    """Return whether the task's time is over or others wait. Once true, it stays true."""
    drained.gives_way = drained.gives_way or gives_way(drained.began)
    return drained.gives_way


def ingest_claim(claim: Claim, drained: Drained) -> bool:
    """Read one claimed batch to its end. False: it must wait, or is not held any more."""
    try:
        with renewing(lambda: keep_lease(claim)), _traced(claim):
            return _ingest(claim, drained)
    except LeaseLost:
        log.warning("lost the lease of a batch", event_name="ingestion.lease.lost", **_ids(claim))
        return False
    except BaseException:
        hand_back(claim)  # as the process lives on, nothing else would release it
        raise


def _traced(claim: Claim) -> AbstractContextManager[None]:
    first = claim.turns[0]
    told = {
        "rapport.relationship_id": claim.relationship_id,
        "rapport.project_id": first.project_id,
        "rapport.turn_ids": [str(turn.id) for turn in claim.turns],
        "rapport.attempts": first.attempts,
        "rapport.waited_for": first.error_code or None,
    }
    owed = [turn.traceparent for turn in claim.turns]
    return tracing.received("read turns", owed, since=first.due_at, attributes=told)


def _ingest(claim: Claim, drained: Drained) -> bool:
    """Read a batch or a part of one. If it fails for good, read it half by half, so that one bad turn fails alone."""
    call_log = CallLog(None)
    alias = ""
    try:
        facts = claim.facts or read_facts(claim.turns)
        given = input_of(claim.turns, facts)
        if _has_words(given):
            if facts.budget is not None:
                facts.budget.require(now=timezone.now())
            alias = given.ingestion.provider or settings.DEFAULT_LLM_PROVIDER
            call_log = CallLog(get_provider(alias))
        drained.owed = _read_and_apply(claim, given, call_log)
    except NotFound:
        raise LeaseLost("The relationship was erased.") from None
    except BudgetSpent as spent:
        delay = spent.extra["retry_after"]
        return _give_back(claim, drained, code=spent.code, error=spent.detail, delay=delay)
    except ProviderError as error:
        if not error.permanent:
            return _wait(claim, error, call_log, drained, alias=alias)
        return _refused(claim, error.code, str(error), call_log, drained)
    except LeaseLost:
        raise
    except (IngestionError, InvalidTemplate, InvalidConfiguration) as error:
        return _refused(claim, error.code, str(error), call_log, drained)
    except Exception as error:
        if database_went_away(error):
            raise  # the turns are due again when the lease ends
        return _handle_internal_error(claim, error, call_log, drained)
    drained.applied += len(claim.turns)
    now = timezone.now()
    for turn in claim.turns:
        count_turn((now - turn.recorded_at).total_seconds(), trace_id=tracing.trace_id(turn.traceparent))
    tracing.note({"rapport.outcome": "applied"})
    log.info("applied turns", event_name="ingestion.turn.applied", turns=len(claim.turns), **_ids(claim))
    return True


def _read_and_apply(claim: Claim, given: IngestionInput, call_log: CallLog) -> bool:
    """Ask the strategies and apply what they propose; return whether another turn is owed. No model is called if there
    is nothing to read: only injected memory, or erased text."""
    purpose, edits = "ingestion", 0
    while True:
        has_words = _has_words(given)
        proposed = propose_all(given, call_log, purpose=purpose) if has_words else Proposed(given, [])
        said = {message.id: message.content for message in given.messages if message.role == "user"}
        heard = hear_wishes(given.relationship_id, said, proposed.wishes)
        try:
            with tracing.span("apply operations"):
                return apply_operations(
                    claim=claim, proposed=proposed, log=call_log, last_try=edits == ASK_AGAIN, heard=heard
                )
        except StaleAnswer as stale:
            log.info(
                "the answer was stale, so the model is asked again",
                event_name="ingestion.answer.stale",
                why=str(stale),
                **_ids(claim),
            )
            edits += not isinstance(stale, ErasedMeanwhile)  # after an erasure it must always be asked again
            given, purpose = read_batch(claim.turns), "ask_again"


def _has_words(given: IngestionInput) -> bool:
    return any(message.content.strip() for message in given.messages)


def _wait(claim: Claim, error: ProviderError, call_log: CallLog, drained: Drained, *, alias: str) -> bool:
    """After a transient failure, let the relationship wait. What an operator must fix never counts against a turn."""
    attempts = max(turn.attempts for turn in claim.turns)
    counted = error.counts
    if counted and attempts + 1 >= settings.MAX_ATTEMPTS:
        reason = f"{error} (given up after {attempts + 1} tries)"
        return _refused(claim, error.code, reason, call_log, drained)
    own = isinstance(error, ModelNotFound) and call_log.asked_for_a_model
    return _give_back(
        claim,
        drained,
        code=error.code,
        error=str(error),
        delay=retry_delay(attempts, error.retry_after),
        counted=counted,
        waits_on="" if own else alias,
        log=call_log,
    )


def _give_back(claim: Claim, drained: Drained, *, code: str, delay: float, **more: Any) -> bool:
    """Release the turns for a later attempt. `more`: arguments of release_turns."""
    release_turns(claim, code=code, delay=delay, **more)
    drained.released += len(claim.turns)
    tracing.note({"error.type": code, "rapport.outcome": "waits"})
    log.warning(
        "turns wait", event_name="ingestion.turn.waiting", code=code, seconds=round(delay, 2), **_ids(claim)
    )
    return False


def _refused(claim: Claim, code: str, reason: str, call_log: CallLog, drained: Drained) -> bool:
    """After a permanent failure, fail a single turn; of a batch, read each half by itself, the second perhaps later."""
    if len(claim.turns) > 1:
        keep_calls(claim, call_log)
        half = len(claim.turns) // 2
        first, second = (
            replace(claim, turns=turns, facts=None) for turns in (claim.turns[:half], claim.turns[half:])
        )
        done = _ingest(first, drained)
        if done and not _gives_way(drained):
            return _ingest(second, drained)
        release_turns(second)  # they wait behind the first half, or for another task
        drained.released += len(second.turns)
        drained.owed = True
        return done
    drained.owed = fail_turns(claim, code=code, error=reason, log=call_log)
    drained.failed += 1
    tracing.note({"error.type": code, "rapport.outcome": "failed"})
    log.warning("a turn failed", event_name="ingestion.turn.failed", code=code, **_ids(claim))
    return True


def _handle_internal_error(claim: Claim, error: Exception, call_log: CallLog, drained: Drained) -> bool:
    """After an internal error, retry the batch a few times; then isolate the turn that causes it, and fail it. Errors
    inside the database, such as a shard that is being moved, are retried like a provider's failure.

    Only the kind and place of the error are stored, as its text may quote a person.
    """
    where = error_place(error)
    log.error("unexpected error", event_name="ingestion.internal_error", where=where, **_ids(claim))
    try:
        keep_calls(claim, call_log)
    except (DataError, IntegrityError, ValueError):  # storing them is what failed
        log.error("model calls could not be stored", event_name="ingestion.calls.not_kept", **_ids(claim))
    attempts = max(turn.attempts for turn in claim.turns)
    counted = not is_other_schema()
    most = settings.MAX_ATTEMPTS if isinstance(error, InternalError) else INTERNAL_TRIES
    if counted and attempts + 1 >= most:
        return _refused(claim, "internal_error", where, CallLog(None), drained)
    delay = retry_delay(attempts, None) if counted else OTHER_SCHEMA_SECONDS
    release_turns(claim, code="internal_error", error=where, delay=delay, counted=counted)
    drained.released += len(claim.turns)
    return False


def _ids(claim: Claim) -> dict[str, str]:
    return {"relationship_id": str(claim.relationship_id), "first_turn_id": str(claim.turns[0].id)}
