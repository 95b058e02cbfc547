from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from relationships.models import IdempotencyKey, Relationship
from relationships.services.idempotency import Idempotency, drop_old_keys, earlier_resource, remember_key

FIRST, SECOND = b"a" * 32, b"b" * 32


def remember(relationship: Relationship, *, key: str = "k", made: UUID) -> None:
    remember_key(relationship, Idempotency(key, FIRST), made)


def earlier(relationship: Relationship, *, key: str = "k", request: bytes = FIRST) -> UUID | None:
    return earlier_resource(relationship.id, Idempotency(key, request))


def test_a_key_counts_for_a_day_and_is_taken_over_after(relationship: Relationship) -> None:
    remember(relationship, made=uuid4())
    IdempotencyKey.objects.update(created_at=datetime.now(UTC) - timedelta(hours=25))

    assert earlier(relationship) is None
    assert earlier(relationship, request=SECOND) is None
    again = uuid4()
    remember(relationship, made=again)
    assert earlier(relationship) == again
    assert IdempotencyKey.objects.count() == 1


def test_old_keys_are_dropped_and_young_ones_stay(relationship: Relationship) -> None:
    remember(relationship, key="old", made=uuid4())
    IdempotencyKey.objects.update(created_at=datetime.now(UTC) - timedelta(hours=25))
    remember(relationship, key="young", made=uuid4())

    assert drop_old_keys(datetime.now(UTC)) == 1
    assert earlier(relationship, key="young") is not None


def test_neither_the_key_nor_an_answer_is_kept(relationship: Relationship) -> None:
    remember(relationship, key="maya's turn", made=uuid4())

    assert "maya" not in str(IdempotencyKey.objects.values().get())
