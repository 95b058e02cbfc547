"""What hot context says of an entry leaves it when the entry is deleted, by whichever door, and comes back with it."""

from collections.abc import Callable, Sequence

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from context.pipeline import build_context
from memory.entries.adding import add_entry
from memory.entries.held_deletions import confirm_deletions
from memory.models import EntrySource, ScratchpadEntry
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import PERSON, Conversation, answer, delete, hold_deletions
from tests.fixtures.workspaces import begin
from tests.wire import statements_sent
from workspace.checkpoints import take_checkpoint
from workspace.deleted_entries import withhold
from workspace.files import change_files, read_file
from workspace.forgettable import bring_back
from workspace.hot_context import PATH, read_hot_context
from workspace.models import MAIN, Worker

HOT = "# Maya\n\n- Maya lives in beautiful Klosterneuburg. Sings in a choir.\n- Likes tea\n- Works in Klosterneuburg\n"
LEFT = HOT.replace("Maya lives in beautiful Klosterneuburg. ", "")
HOME, WORK = "Lives in Klosterneuburg", "Works in Klosterneuburg"


@pytest.fixture
def entries(pair: Relationship, conversation: Conversation) -> list[ScratchpadEntry]:
    """Where Maya lives and works, and an agent that has it in hot context, on main and in its session."""
    change_files(relationship=pair, changes={PATH: HOT.encode()}, by=TESTER)
    return conversation.remember(HOME, WORK)


def hot(pair: Relationship) -> str:
    """What contexts show, and main's file says."""
    text = read_hot_context(pair.id)[0]
    assert read_file(pair, PATH).content.decode() == text
    return text


def test_deleted_over_rest_an_entry_leaves_hot_context_until_it_is_restored(
    api: Api, pair: Relationship, entries: list[ScratchpadEntry]
) -> None:
    session = begin(pair, worker=Worker.EXTERNAL)
    path = f"/relationships/{pair.id}/entries/{entries[0].id}"

    assert api.delete(path).status == 200

    context = build_context(project_id=pair.project_id, relationship_id=pair.id, message="Hi")
    assert hot(pair) == LEFT and HOME not in context.system and WORK in context.system
    assert read_file(pair, PATH, session.branch).content.decode() == LEFT

    change_files(relationship=pair, changes={PATH: f"{LEFT}- Reads a lot\n".encode()}, by=TESTER)
    assert api.post(f"{path}/restore").status == 200

    assert hot(pair) == f"{HOT}- Reads a lot\n"
    assert read_file(pair, PATH, session.branch).content.decode() == HOT


def test_each_deletion_is_undone_by_itself(
    api: Api, pair: Relationship, entries: list[ScratchpadEntry]
) -> None:
    home, job = (f"/relationships/{pair.id}/entries/{entry.id}" for entry in entries)

    for ask, path, suffix in [(api.delete, home, ""), (api.delete, job, ""), (api.post, home, "/restore")]:
        assert ask(f"{path}{suffix}").status == 200
    assert hot(pair) == HOT.replace("- Works in Klosterneuburg\n", "")

    for ask, path, suffix in [
        (api.delete, home, ""),
        (api.post, home, "/restore"),
        (api.post, job, "/restore"),
    ]:
        assert ask(f"{path}{suffix}").status == 200
    assert hot(pair) == HOT


@pytest.mark.parametrize("mark", ["- ", ""], ids=["a list", "lines"])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_lines_that_stood_together_come_back_in_any_order(
    api: Api, pair: Relationship, conversation: Conversation, order: tuple[int, ...], mark: str
) -> None:
    said = ["Sings in a choir", "Keeps three bees", "Works in Klosterneuburg"]
    text = "# Maya\n\n" + "".join(f"{mark}{line}\n" for line in said) + f"{mark}Reads a lot\n"
    change_files(relationship=pair, changes={PATH: text.encode()}, by=TESTER)
    paths = [f"/relationships/{pair.id}/entries/{entry.id}" for entry in conversation.remember(*said)]
    for path in paths:
        assert api.delete(path).status == 200
    assert hot(pair) == f"# Maya\n\n{mark}Reads a lot\n"

    for number in order:
        assert api.post(f"{paths[number]}/restore").status == 200

    assert sorted(hot(pair).splitlines()) == sorted(text.splitlines())


def test_lines_that_stood_together_come_back_by_plans(api: Api, pair: Relationship) -> None:
    text = "# Maya\n\n- Sings in a choir\n- Keeps three bees\n- Reads a lot\n"
    change_files(relationship=pair, changes={PATH: text.encode()}, by=TESTER)
    path = f"/relationships/{pair.id}"
    wishes = ["that I sing in a choir", "that I keep three bees"]
    plans = [api.post(f"{path}/forget", {"what": what}).body["id"] for what in wishes]
    assert hot(pair) == "# Maya\n\n- Reads a lot\n"

    assert api.post(f"{path}/plans/{plans[0]}/undo").status == 200
    assert hot(pair) == text.replace("- Keeps three bees\n", "")
    assert api.post(f"{path}/plans/{plans[1]}/undo").status == 200
    assert hot(pair) == text


def test_a_replacement_by_somebody_stays(
    api: Api, pair: Relationship, entries: list[ScratchpadEntry]
) -> None:
    path = f"/relationships/{pair.id}/entries/{entries[0].id}"
    assert api.delete(path).status == 200
    anew = LEFT.replace("Sings in a choir", "Sings in two choirs")
    change_files(relationship=pair, changes={PATH: anew.encode()}, by=TESTER)

    assert api.post(f"{path}/restore").status == 200
    assert hot(pair) == anew


@pytest.mark.parametrize("door", ["admin_ui", "held", "tool", "reading", "erased"])
def test_so_it_does_by_every_door(
    door: str,
    api: Api,
    editor: Client,
    pair: Relationship,
    conversation: Conversation,
    entries: list[ScratchpadEntry],
    scripted_provider: ScriptedProvider,
) -> None:
    entry, args = entries[0], [pair.id, entries[0].id]
    doors: dict[str, Callable[[], object]] = {
        "admin_ui": lambda: editor.post(reverse("admin_ui:relationship_delete_entry", args=args)),
        "held": lambda: confirm_deletions(
            relationship_id=pair.id, held_id=hold_deletions(conversation.say("No."), entry.id).id, by=PERSON
        ),
        "tool": lambda: api.post(
            f"/relationships/{pair.id}/tools/core_memory_replace",
            {"label": "human", "old_content": HOME, "new_content": ""},
        ),
        "erased": lambda: api.delete(f"/relationships/{pair.id}/entries/{entry.id}?permanent=true"),
        "reading": lambda: conversation.hear("I never lived there."),
    }
    scripted_provider.answer_with(answer(delete(conversation.number_of(HOME), untrue=True)))
    doors[door]()

    assert hot(pair) == LEFT


def test_what_another_entry_also_says_stays(
    api: Api, pair: Relationship, entries: list[ScratchpadEntry]
) -> None:
    values = {"type": "identity", "content": "Lives in Klosterneuburg since 2020"}
    add_entry(relationship=pair, values=values, by=PERSON, source=EntrySource.MANUAL)
    theirs = {"type": "other", "content": "Tom sings in a choir", "subject": "Tom"}
    tom = add_entry(relationship=pair, values=theirs, by=PERSON, source=EntrySource.MANUAL)
    change_files(relationship=pair, changes={PATH: f"{HOT}- Tom sings in a choir\n".encode()}, by=TESTER)

    assert api.delete(f"/relationships/{pair.id}/entries/{entries[0].id}").status == 200
    assert hot(pair) == f"{HOT}- Tom sings in a choir\n"

    assert api.delete(f"/relationships/{pair.id}/entries/{tom.id}").status == 200
    assert hot(pair) == HOT


@pytest.mark.parametrize("memory", ["false", "true"])
def test_a_checkpoint_brings_back_nothing_that_was_deleted_or_forgotten_since(
    api: Api,
    pair: Relationship,
    conversation: Conversation,
    entries: list[ScratchpadEntry],
    memory: str,
) -> None:
    path = f"/relationships/{pair.id}"
    conversation.remember("Likes tea")
    kept = take_checkpoint(relationship=pair, name="before", by=TESTER)
    assert api.delete(f"{path}/entries/{entries[0].id}").status == 200
    assert api.post(f"{path}/forget", {"what": "that I like tea"}).status == 200
    left = LEFT.replace("- Likes tea\n", "")
    assert hot(pair) == left

    assert api.post(f"{path}/checkpoints/{kept.id}/restore", {"memory": memory == "true"}).status == 200

    assert hot(pair) == (HOT.replace("- Likes tea\n", "") if memory == "true" else left)


def test_many_deleted_or_restored_at_once_ask_the_database_no_more_than_two(
    pair: Relationship, conversation: Conversation, entries: list[ScratchpadEntry]
) -> None:
    """Each has a line of hot context, and a commit of its own, on main and in a session."""

    session = begin(pair, worker=Worker.EXTERNAL)

    def said() -> list[str]:
        return [hot(pair), read_file(pair, PATH, session.branch).content.decode()]

    def asked(animals: Sequence[str]) -> tuple[int, int]:
        some = conversation.remember(*(f"Likes the {animal}" for animal in animals))
        lines = "".join(f"- {entry.content}\n" for entry in some)
        for branch in (MAIN, session.branch):
            change_files(relationship=pair, changes={PATH: (HOT + lines).encode()}, by=TESTER, branch=branch)
        with statements_sent() as taking, transaction.atomic():
            withhold(pair.id, some)
        assert said() == [HOT, HOT]
        messages = [f"Take out what entry {entry.id} said (version {entry.version})" for entry in some]
        with statements_sent() as bringing, transaction.atomic():
            bring_back(pair, messages)
        assert said() == [HOT + lines, HOT + lines]
        return len(taking), len(bringing)

    two = asked(["raven", "otter"])
    assert two == asked("badger weasel heron lynx marmot viper stoat crane".split())


def test_of_many_each_takes_its_own_sentence(pair: Relationship, conversation: Conversation) -> None:
    animals = "raven otter badger weasel heron lynx marmot viper stoat crane".split()
    text = "".join(f"- Likes the {animal}\n" for animal in animals)
    change_files(relationship=pair, changes={PATH: text.encode()}, by=TESTER)
    some = conversation.remember(*(f"Likes the {animal}" for animal in animals[:8]))

    with transaction.atomic():
        withhold(pair.id, some)

    assert hot(pair) == "- Likes the stoat\n- Likes the crane\n"
