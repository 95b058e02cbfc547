"""An erasure and another transaction wait for each other. The other one is patient, so the server ends the erasure's."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction
from django.db.models import Model

from config.postgresql.sessions import execute
from knowledge.models import Document
from relationships.models import ApiKey, AuditEvent, Companion, Project, Relationship
from relationships.services.api_keys import create_api_key
from tests.fixtures.documents import upload
from tests.waiting import wait_until
from upkeep.erasure.counts import Counts
from upkeep.erasure.relationships import erase_companion, erase_project
from web.actor import Actor

BY = Actor.policy("test")
WAITING = """
SELECT count(*) FROM pg_locks WHERE NOT granted
   AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())
"""


def erase_the_project(companion: Companion) -> Counts:
    return erase_project(project_id=companion.project_id, by=BY)


def erase_the_companion(companion: Companion) -> Counts:
    return erase_companion(project_id=companion.project_id, companion_id=companion.id, by=BY)


# What another transaction has changed, before it refers to what is being erased.
CROSSED: dict[str, tuple[Callable[[Companion], Counts], type[Model], type[Model]]] = {
    "project": (erase_the_project, ApiKey, Project),
    "companion, at the end of a project": (erase_the_project, Document, Companion),
    "companion": (erase_the_companion, Document, Companion),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("erase", "changed", "erased"), CROSSED.values(), ids=CROSSED)
def test_an_erasure_that_the_server_ends_is_done_after_all(
    erase: Callable[[Companion], Counts],
    changed: type[Model],
    erased: type[Model],
    relationship: Relationship,
    companion: Companion,
) -> None:
    create_api_key(project_id=companion.project_id, name="Key of the kitchen", scopes=["read"], by=BY)
    upload(companion, "Words.")
    locked = Event()

    def cross() -> None:
        try:
            with transaction.atomic():
                execute("SET LOCAL deadlock_timeout = '1min'")
                list(changed._base_manager.select_for_update())
                locked.set()
                wait_until(lambda: execute(WAITING) == [(1,)], what="the erasure to wait")
                execute(f"SELECT 1 FROM {erased._meta.db_table} FOR KEY SHARE")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(cross)
        locked.wait(10)
        counts = erase(companion)
        other.result()

    assert counts.items() >= {"relationship": 1, "companion": 1, "document": 1}.items()
    assert not erased._base_manager.exists() and not Relationship.objects.exists()
    told = AuditEvent.objects.filter(action__endswith=".erased").exclude(target_kind="relationship")
    assert [event.detail["erased"] for event in told] == [counts]
