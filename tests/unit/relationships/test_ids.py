from uuid import UUID

from relationships.ids import relationship_id, uuid7

ADA, MAYA = UUID(int=1), UUID(int=2)


def test_a_pair_has_one_id_wherever_it_is_worked_out() -> None:
    assert relationship_id(ADA, MAYA) == UUID("c5a6ec03-0d8c-5433-bc30-3cc81f82a5b5")


def test_ids_of_rows_follow_each_other_in_time() -> None:
    ids = [uuid7() for _ in range(1000)]
    assert ids == sorted(ids)
    assert {made.version for made in ids} == {7}
