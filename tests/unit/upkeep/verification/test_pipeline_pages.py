from itertools import pairwise
from uuid import UUID

import pytest

from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Project, Relationship
from upkeep.verification import pipeline
from upkeep.verification.pipeline import (
    FIRST,
    LAST,
    companion_pages,
    count_relationships,
    relationship_pages,
)


@pytest.fixture
def relationships(companion: Companion) -> list[UUID]:
    made = []
    for number in range(7):
        user = EndUser.objects.create(project=companion.project, external_id=f"user {number}")
        own_id = relationship_id(companion.id, user.id)
        Relationship.objects.create(
            id=own_id, project=companion.project, companion=companion, user=user, last_seq=10
        )
        made.append(own_id)
    return sorted(made, key=str)


@pytest.mark.parametrize(
    ("owners", "rows", "sizes"),
    [
        (1000, 50_000, [7]),
        (3, 50_000, [3, 3, 1]),
        (7, 50_000, [7, 0]),
        (1000, 20, [2, 2, 2, 1]),
        (1000, 1, [1] * 7),
    ],
)
def test_pages_hold_everyone_once_in_order_and_leave_no_gap(
    relationships: list[UUID], monkeypatch: pytest.MonkeyPatch, owners: int, rows: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(pipeline, "OWNERS_A_PAGE", owners)
    monkeypatch.setattr(pipeline, "ROWS_A_PAGE", rows)

    found = list(relationship_pages())

    assert [len(page.ids) for page in found] == sizes
    assert [own_id for page in found for own_id in page.ids] == relationships
    assert (found[0].first, found[-1].last) == (FIRST, LAST)
    assert all(later.first.int == page.last.int + 1 for page, later in pairwise(found))


def test_nobody_is_one_empty_page(db: None) -> None:
    (page,) = relationship_pages()

    assert (page.ids, page.first, page.last) == ((), FIRST, LAST)


def test_a_project_has_pages_of_its_own(relationships: list[UUID], project: Project) -> None:
    other = Project.objects.create(name="Another")

    assert [page.ids for page in relationship_pages(other.id)] == [()]
    assert [len(page.ids) for page in relationship_pages(project.id)] == [7]
    assert (count_relationships(), count_relationships(other.id)) == (7, 0)


def test_companions_come_in_pages_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "OWNERS_A_PAGE", 2)
    for number in range(3):
        Companion.objects.create(project=project, slug=f"c{number}", name="C")

    assert [len(page.ids) for page in companion_pages(project.id)] == [2, 1]
    assert [len(page.ids) for page in companion_pages()] == [2, 1]
    assert [len(page.ids) for page in companion_pages(UUID(int=5))] == [0]
