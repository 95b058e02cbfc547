import json
import threading
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.models import ScratchpadEntry
from relationships.models import Companion, Project, Relationship, Snapshot
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_whole, problems, run
from upkeep.verification import pipeline, verify
from upkeep.verification.invariant import Invariant, Level, Page
from upkeep.verification.pipeline import FIRST, LAST, invariants, pages_of


def test_what_the_services_wrote_holds_whole(lived: Conversation) -> None:
    report = verify()

    assert report.holds
    assert problems(report) == {}
    assert (report.relationships, report.companions, report.invariants) == (1, 1, len(invariants()))


def test_an_empty_database_holds_whole(db: None) -> None:
    check_whole()


def test_only_what_is_asked_for_is_looked_at(lived: Conversation, companion: Companion) -> None:
    elsewhere = Project.objects.create(name="Another")
    stranger = Conversation(meet(Companion.objects.create(project=elsewhere, slug="b", name="B")))
    stranger.remember("Likes tea")
    Snapshot.objects.update(scratchpad=[])

    assert problems(verify()) == {"snapshots/differs": 2}
    assert problems(verify(project_id=elsewhere.id)) == {"snapshots/differs": 1}
    assert problems(verify(relationship_id=lived.relationship.id)) == {"snapshots/differs": 1}
    assert problems(verify(relationship_id=uuid4())) == {}


def test_one_relationship_after_the_other_is_mended(lived: Conversation, companion: Companion) -> None:
    other = Conversation(meet(companion))
    other.remember("Likes tea")
    Snapshot.objects.update(scratchpad=[])
    heard: list[int] = []

    report = verify(repair=True, told=heard.append)

    assert (report.found, report.left, sum(heard)) == (2, 0, 2)
    check_whole()


def test_a_report_names_the_first_rows_and_counts_them_all(lived: Conversation) -> None:
    lived.remember(*(f"Knows {number} songs" for number in range(20)))
    run("DELETE FROM memory_searchtext WHERE kind = 'entry'")

    first, everything = verify(examples=3), verify(examples=None)

    assert len(first.tallies["index", "missing"].examples) == 3
    assert "and 22 more" in "\n".join(first.lines())
    assert len(everything.tallies["index", "missing"].examples) == 25
    assert json.loads(json.dumps(first.as_json()))["problems"][0]["found"] == 25


@pytest.mark.parametrize("invariant", invariants(), ids=lambda invariant: invariant.slug)
def test_the_number_of_statements_does_not_follow_the_rows(
    invariant: Invariant, lived: Conversation, project: Project, companion: Companion
) -> None:
    def statements(ids: tuple[UUID, ...]) -> int:
        with CaptureQueriesContext(connection) as captured:
            list(invariant.check(Page(ids, min(ids), max(ids)), now=timezone.now()))
        return len(captured)

    owners = (Companion if invariant.level == Level.COMPANION else Relationship)._base_manager
    few = statements(tuple(owners.values_list("id", flat=True)))
    for number in range(6):
        Conversation(meet(companion)).remember("Likes tea", "Has a cat", "Runs")
        Companion.objects.create(project=project, slug=f"c{number}", name="C")

    assert statements(tuple(owners.values_list("id", flat=True))) == few <= 6


@pytest.mark.django_db(transaction=True)
def test_what_others_write_meanwhile_is_no_alarm(lived: Conversation, companion: Companion) -> None:
    people = [Conversation(meet(companion)) for _ in range(4)]
    stop = threading.Event()
    errors: list[BaseException] = []

    def write(conversation: Conversation) -> None:
        try:
            for number in range(400):
                if stop.is_set():
                    break
                conversation.remember(f"Knows {number} songs")
                conversation.say(f"I know {number} songs")
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(person,)) for person in people]
    for writer in writers:
        writer.start()
    found = [problems(verify(repair=repair)) for repair in (False, False, True, False)]
    stop.set()
    for writer in writers:
        writer.join()

    assert not errors
    assert found == [{}, {}, {}, {}]
    assert ScratchpadEntry.objects.filter(content__startswith="Knows").count() > 4
    check_whole()


def test_every_invariant_has_a_slug_and_a_promise_of_its_own_and_what_is_made_of_the_rest_comes_last() -> (
    None
):
    slugs = [invariant.slug for invariant in invariants()]

    assert len(set(slugs)) == len(slugs)
    assert all(invariant.promise.endswith(".") for invariant in invariants())
    assert slugs[-1] == "snapshots"
    assert (
        slugs.index("fingerprints") < slugs.index("histories") < slugs.index("index") < slugs.index("vectors")
    )


@pytest.mark.parametrize(
    ("most", "there", "sizes"), [(1000, 7, [7]), (3, 7, [3, 3, 1]), (7, 7, [7, 0]), (5, 0, [0])]
)
def test_pages_hold_everyone_once_in_order_and_leave_no_gap(
    project: Project, monkeypatch: pytest.MonkeyPatch, most: int, there: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(pipeline, "OWNERS_A_PAGE", most)
    made = [Companion.objects.create(project=project, slug=f"c{number}", name="C") for number in range(there)]
    other = Project.objects.create(name="Another")

    found = list(pages_of(Companion, project.id))

    assert [len(page.ids) for page in found] == sizes
    assert [own_id for page in found for own_id in page.ids] == sorted(one.id for one in made)
    assert (found[0].first, found[-1].last) == (FIRST, LAST)
    assert all(later.first.int == page.last.int + 1 for page, later in pairwise(found))
    assert [page.ids for page in pages_of(Companion, other.id)] == [()]
    assert [page.ids for page in pages_of(Relationship)] == [()]
