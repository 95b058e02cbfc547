"""A wish to forget reaches what other rooms keep: an agent's files with their history, and summaries."""

import pytest

from relationships.models import Snapshot
from summaries.models import Summary, SummaryState
from tests.fixtures.api import TESTER, Api
from tests.fixtures.documents import learn
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import whole
from tests.integration.copies import dump, tables_with
from tests.integration.mending.test_forget import ECHO, SAID, TOLD, summarise
from workspace.files import change_files, read_file
from workspace.generated import ENTRIES
from workspace.models import Branch, Worker
from workspace.sessions.commands import start_session

WISH = {"what": "that I live in Klosterneuburg"}
NOTES = "# Person\n\n- Lives in Klosterneuburg\n- Has a cat. Lives in KLOSTERNEUBURG since 2020! Sings.\n- Likes tea\n"
LEFT = "# Person\n\n- Has a cat. Sings.\n- Likes tea\n"
HOT = "memory/hot_context.md"


@pytest.fixture
def at(conversation: Conversation) -> str:
    conversation.read_by_rules()
    return f"/relationships/{conversation.relationship.id}"


@pytest.fixture
def files(conversation: Conversation) -> dict[str, str]:
    """On main and on the branch of a session; an earlier version says it in other words."""
    here = whole(conversation.relationship)
    change_files(relationship=here, changes={"notes.md": b"They live in Klosterneuburg.\n"}, by=TESTER)
    start_session(relationship=here, task="Look around", worker=Worker.EXTERNAL, by=TESTER)
    said = {
        "notes.md": NOTES,
        HOT: "Lives in Klosterneuburg.\n",
        "other.md": "Klosterneuburg has an abbey.\n",
    }
    change_files(relationship=here, changes={path: text.encode() for path, text in said.items()}, by=TESTER)
    return said


SPELLINGS = {  # whether a document has it
    "renee muller": True,
    "MUELLER": True,
    "acme": True,
    "Grossgmain": True,
    "+44 20 7946 0018": True,
    "ord 170": True,
    "ORD-17": False,
    "eva@firm.org": False,
}


def text_of(conversation: Conversation, path: str) -> str:
    return read_file(whole(conversation.relationship), path).content.decode()


def hot_context(conversation: Conversation) -> str:
    return str(Snapshot.objects.for_relationship(conversation.relationship.id).get().hot_context)


def test_hidden_a_sentence_leaves_every_branch_and_hot_context_and_comes_back(
    api: Api, at: str, conversation: Conversation, files: dict[str, str]
) -> None:
    [branch] = Branch.objects.exclude(name="main").values_list("name", flat=True)
    conversation.remember("Lives in Klosterneuburg", "Plays chess")
    here = whole(conversation.relationship)
    session, _ = start_session(relationship=here, task="Read", worker=Worker.EXTERNAL, by=TESTER)
    plan = api.post(f"{at}/forget", WISH)

    assert plan.status == 200, plan
    assert text_of(conversation, "notes.md") == LEFT
    assert "Klosterneuburg" not in hot_context(conversation)
    assert text_of(conversation, "other.md") == files["other.md"]
    assert read_file(here, "notes.md", branch).content == b""
    copy = read_file(here, ENTRIES, session.branch).content
    assert b"Klosterneuburg" not in copy and b"Plays chess" in copy

    change_files(
        relationship=whole(conversation.relationship),
        changes={"notes.md": f"{LEFT}- Reads a lot\n".encode()},
        by=TESTER,
    )
    undone = api.post(f"{at}/plans/{plan.body['id']}/undo")

    assert undone.status == 200, undone
    assert text_of(conversation, "notes.md") == f"{NOTES}- Reads a lot\n"
    assert "Klosterneuburg" in hot_context(conversation)
    assert b"Klosterneuburg" in read_file(here, ENTRIES, session.branch).content


def test_erased_a_sentence_leaves_the_history_too(
    api: Api, at: str, conversation: Conversation, files: dict[str, str]
) -> None:
    plan = api.post(f"{at}/forget", {**WISH, "dry_run": True}).body
    places = {(item["place"], item["sentence"]) for item in plan["items"]}
    assert ("notes.md", "Lives in Klosterneuburg") in places, places
    every = [item["number"] for item in plan["items"]]

    erased = api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": every, "depth": "erase"})

    assert erased.status == 200, erased
    words = dump()
    assert tables_with("Lives in Klosterneuburg", words) == set()
    assert tables_with("they live", words) == set()
    assert text_of(conversation, "notes.md") == LEFT
    assert "[erased]" not in hot_context(conversation)


def test_a_sentence_that_was_hidden_leaves_the_history_with_its_plan(
    api: Api, at: str, conversation: Conversation, files: dict[str, str]
) -> None:
    plan = api.post(f"{at}/forget", WISH).body
    assert plan["state"] == "carried_out" and tables_with("Lives in Klosterneuburg", dump())

    erased = api.post(f"{at}/plans/{plan['id']}/carry-out", {"depth": "erase"})

    assert erased.status == 200, erased
    assert tables_with("Lives in Klosterneuburg", dump()) == set()
    assert text_of(conversation, "notes.md") == LEFT


SPEC = "description: Rings the bell in Klosterneuburg.\n"


def test_everything_is_the_agents_files_and_summaries_too(
    api: Api, at: str, conversation: Conversation, files: dict[str, str]
) -> None:
    spec = {"tools/bell/spec.yaml": SPEC.encode()}
    change_files(relationship=whole(conversation.relationship), changes=spec, by=TESTER)
    conversation.exchange(SAID, ECHO)
    summary = summarise(conversation, TOLD)
    said = [text_of(conversation, path) for path in files]

    plan = api.post(f"{at}/forget", {"what": "everything"}).body

    assert {item["kind"] for item in plan["items"] if item["done"]} >= {"file", "message", "summary"}
    assert plan["left_out"] == 0 and "".join(text_of(conversation, path) for path in files).strip() == ""
    assert not hot_context(conversation) or "Kloster" not in hot_context(conversation)
    summary.refresh_from_db()
    assert summary.state == SummaryState.HIDDEN

    assert api.post(f"{at}/plans/{plan['id']}/undo").status == 200
    assert [text_of(conversation, path) for path in files] == said
    api.post(f"{at}/forget", {"what": "everything", "depth": "erase"})
    assert text_of(conversation, "tools/bell/spec.yaml") == SPEC
    assert tables_with("Lives in Klosterneuburg", dump()) == set()


@pytest.mark.parametrize(
    ("depth", "left"), [("hide", (SummaryState.HIDDEN, TOLD)), ("erase", (SummaryState.ERASED, ""))]
)
def test_a_summary_that_says_it_is_in_the_plan_and_made_anew(
    api: Api, at: str, conversation: Conversation, depth: str, left: tuple[str, str]
) -> None:
    conversation.exchange(SAID, ECHO)
    summary = summarise(conversation, TOLD)

    plan = api.post(f"{at}/forget", {**WISH, "dry_run": True}).body
    [item] = [item for item in plan["items"] if item["kind"] == "summary"]
    assert item["sentence"] == "The person lives in Klosterneuburg."
    done = api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [item["number"]], "depth": depth})

    assert done.status == 200, done
    summary.refresh_from_db()
    assert (summary.state, summary.text) == left
    assert Summary.objects.get(version=2).state == SummaryState.PENDING


def test_pieces_of_documents_are_listed_in_every_spelling_and_never_taken(
    api: Api, at: str, conversation: Conversation
) -> None:
    learn(
        whole(conversation.relationship).companion,
        "Renée Müller runs the ＡＣＭＥ desk in Großgmain. Call 020-7946-0018 about ORD-170 of eva@firm.org.br.",
    )
    listed = {}
    for what in SPELLINGS:
        items = api.post(f"{at}/forget", {"what": what}).body["items"]
        assert not any(item["ticked"] for item in items)
        listed[what] = [item["kind"] for item in items] == ["document"]
    assert listed == SPELLINGS
