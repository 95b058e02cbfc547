"""Whoever writes entries keeps to their limits: it refuses and names the field, or the entry stays within them; and
nothing is half-written. What stood before may be brought back, by whatever limits it was written."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.held_deletions import confirm_deletions
from memory.entries.history import change_entries, changed
from memory.entries.restoring import restore_entry
from memory.forgetting.configuration import Forgetting
from memory.forgetting.expiry import expire_entries
from memory.forgetting.forget import forget_entries
from memory.ingestion.configuration import Ingestion
from memory.ingestion.overflow import overflow_scratchpad
from memory.mending.execution import carry_out, undo_plan
from memory.mending.plans import plan_of
from memory.models import EntryRevision, EntrySource, RevisionEvent, ScratchpadEntry
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.behaviours import behave, runs_of, work
from tests.fixtures.turns import PERSON, Conversation, add, answer, hold_deletions, operations_of
from tests.fixtures.workspaces import whole
from tests.guards.sources import DOMAIN, calls, named, python_files, tree_of
from upkeep.erasure.entries import erase_entry
from upkeep.verification.pipeline import verify
from web.errors import InvalidInput
from workspace.checkpoints import restore_checkpoint, take_checkpoint

LONG = "x" * 100
LIMIT = 64  # bytes, since the long one was written


class World:
    """A relationship with one entry that is longer than one may be by now."""

    def __init__(
        self, talk: Conversation, api: Api, editor: Client, provider: ScriptedProvider, settings: Settings
    ) -> None:
        self.talk, self.api, self.editor, self.provider, self.settings = talk, api, editor, provider, settings
        [self.entry] = talk.remember(LONG)
        self.ids: dict[str, Any] = {"relationship_id": self.entry.relationship_id, "entry_id": self.entry.id}
        self.owner: dict[str, Any] = {
            "relationship_id": self.entry.relationship_id,
            "project_id": self.entry.project_id,
        }

    def lower(self) -> None:
        self.settings.MAX_ENTRY_BYTES = LIMIT


@pytest.fixture
def world(
    conversation: Conversation,
    api: Api,
    editor: Client,
    scripted_provider: ScriptedProvider,
    settings: Settings,
) -> World:
    return World(conversation, api, editor, scripted_provider, settings)


def verified(*, repair: bool = False) -> set[str]:
    """The invariants that something is found by."""
    return {tally.invariant for tally in verify(repair=repair).tallies.values()}


def adds(world: World) -> None:
    world.lower()
    values = {"type": "other", "content": f"{LONG}."}
    add_entry(relationship=world.talk.relationship, values=values, by=PERSON, source=EntrySource.API)


def revises(world: World) -> None:
    world.lower()
    revise_entry(**world.ids, values={"content": f"{LONG}."}, by=PERSON)


def merges(world: World) -> None:
    """By a person's hand, who is told."""
    [other] = world.talk.remember("Has a cat")
    world.lower()
    page = f"/admin-ui/relationships/{world.entry.relationship_id}/bulk/"
    entries = [str(world.entry.id), str(other.id)]
    raise_unless(
        "exceed the limit", world.editor.post(page, {"do": "merge", "entry": entries}).content.decode()
    )


def proposes(world: World) -> None:
    """A model, whose operation is refused."""
    world.lower()
    world.provider.answer_with(answer(add(f"{LONG}.")))
    raise_unless("is longer", operations_of(world.talk.hear("Something long."))[0]["reason"])


def behaves(world: World) -> None:
    behave(world.talk.relationship, note={"prompt": {"prompt": "Note {{ message }}", "into": "entry"}})
    world.lower()
    world.provider.answer_with(f"{LONG}.")
    world.talk.say("Hello", ingestion={"trigger": {"mode": "explicit"}})
    work(world.talk)
    raise_unless("is longer", runs_of(world.talk)[0].outcome)


def corrects(world: World) -> None:
    world.provider.wishes_answer = {"says": [{"number": 1, "now": f"{LONG}."}], "unsure": []}
    path = f"/relationships/{world.entry.relationship_id}"
    plan = world.api.post(f"{path}/correct", {"what": "x", "to": f"{LONG}.", "dry_run": True}).body
    world.lower()
    carry_out(plan_of(world.entry.relationship_id, UUID(plan["id"])), by=PERSON)


def raise_unless(said: str, told: str) -> None:
    assert said in told
    raise InvalidInput.of("content", told)


REFUSE: dict[str, Callable[[World], None]] = {
    "admin_ui/views/scratchpad.py": merges,
    "memory/entries/adding.py": adds,
    "memory/entries/editing.py": revises,
    "memory/ingestion/apply.py": proposes,
    "behaviours/actions.py": behaves,
    "memory/mending/execution.py": corrects,
}


@pytest.mark.parametrize("write", REFUSE.values(), ids=REFUSE)
def test_what_is_too_long_is_refused_by_its_field_and_nothing_is_written(
    write: Callable[[World], None], world: World
) -> None:
    with pytest.raises(InvalidInput) as refused:
        write(world)

    assert [problem.field for problem in refused.value.problems] == ["content"]
    longest = ScratchpadEntry.objects.for_relationship(world.entry.relationship_id).get(content=LONG)
    assert (longest.version, longest.state) == (1, "active")
    revisions = EntryRevision.objects.for_relationship(world.entry.relationship_id)
    assert not revisions.filter(after__content=f"{LONG}.").exists()
    assert "histories" not in verified()


def expires(world: World) -> None:
    revise_entry(**world.ids, values={"expires_at": timezone.now() + timedelta(days=1)}, by=PERSON)
    world.lower()
    assert expire_entries(timezone.now() + timedelta(days=2)) == 1


def leaves(world: World) -> None:
    world.lower()
    forgetting = Forgetting(policy="retention", retention_days=1)
    now, owner = timezone.now() + timedelta(days=9), world.owner
    assert forget_entries(**owner, forgetting=forgetting, now=now) == 1


def overflows(world: World) -> None:
    world.lower()
    ingestion = Ingestion(soft_budget=1)
    assert overflow_scratchpad(**world.owner, ingestion=ingestion, written=[], now=timezone.now())


def is_confirmed(world: World) -> None:
    world.lower()
    held = hold_deletions(world.talk.say("Forget it."), world.entry.id)
    confirm_deletions(relationship_id=world.entry.relationship_id, held_id=held.id, by=PERSON)


def is_erased(world: World) -> None:
    world.lower()
    erase_entry(**world.ids, by=PERSON)


def comes_back(world: World) -> None:
    """To what it said by the limits of then."""
    here = whole(world.talk.relationship)
    checkpoint = take_checkpoint(relationship=here, name="then", by=PERSON)
    revise_entry(**world.ids, values={"content": "Short"}, by=PERSON)
    world.lower()
    restore_checkpoint(relationship=here, checkpoint_id=checkpoint.id, by=PERSON, memory=True)
    assert world.talk.contents == [LONG]


def is_undone(world: World) -> None:
    world.provider.wishes_answer = {"says": [{"number": 1, "rest": "Short"}], "unsure": []}
    path = f"/relationships/{world.entry.relationship_id}"
    plan = world.api.post(f"{path}/forget", {"what": "x"}).body
    assert world.talk.contents == ["Short"]
    world.lower()
    undo_plan(plan_of(world.entry.relationship_id, UUID(plan["id"])), by=PERSON)
    assert world.talk.contents == [LONG]


def is_restored(world: World) -> None:
    delete_entry(**world.ids, by=PERSON)
    world.lower()
    restore_entry(**world.ids, by=PERSON)
    assert world.talk.contents == [LONG]


def is_mended(world: World) -> None:
    """`verify` writes down what it finds, whatever that is."""
    ScratchpadEntry.objects.for_relationship(world.entry.relationship_id).update(content=LONG + LONG)
    world.lower()
    assert "histories" in verified(repair=True)
    assert "histories" not in verified()


GO_ON: dict[str, Callable[[World], None]] = {
    "memory/forgetting/expiry.py": expires,
    "memory/forgetting/forget.py": leaves,
    "memory/ingestion/overflow.py": overflows,
    "memory/entries/held_deletions.py": is_confirmed,
    "memory/entries/restoring.py": is_restored,
    "upkeep/erasure/entries.py": is_erased,
    "workspace/checkpoints.py": comes_back,
    "memory/mending/execution.py": is_undone,
    "upkeep/verification/invariants/histories.py": is_mended,
}


@pytest.mark.parametrize("write", GO_ON.values(), ids=GO_ON)
def test_who_makes_nothing_longer_goes_on_with_what_is_there(
    write: Callable[[World], None], world: World
) -> None:
    before = EntryRevision.objects.for_relationship(world.entry.relationship_id).count()

    write(world)

    assert EntryRevision.objects.for_relationship(world.entry.relationship_id).count() > before


def test_every_writer_of_entries_stands_above() -> None:
    writers = {
        named(path)
        for path in python_files(*DOMAIN)
        if any(name.rpartition(".")[2] == "change_entries" for name, _ in calls(tree_of(path)))
    }

    through_others = {"admin_ui/views/scratchpad.py", "behaviours/actions.py"}
    assert writers - {"memory/entries/history.py"} == {*REFUSE, *GO_ON} - through_others


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", "a\x00b"), ("content", " "), ("type", "other\n"), ("subject", "a\nb"), ("key", "k" * 81),
        ("category", "No name"), ("modality", "Voice"), ("tags", {"a b": "c"}), ("tags", {"a": "b" * 201}),
        ("metadata", {"a": "b" * 20_000}), ("weight", 100.5), ("importance", 1.5), ("confidence", float("nan")),
    ],
)  # fmt: skip
def test_the_unit_of_work_itself_refuses_what_no_import_would_take(
    world: World, field: str, value: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    change = changed(world.entry, RevisionEvent.UPDATE, at=now, **{field: value})

    with pytest.raises(InvalidInput) as refused, django_assert_num_queries(0):
        change_entries(**world.owner, changes=[change], by=PERSON, now=now)

    assert [problem.field for problem in refused.value.problems] == [field]
