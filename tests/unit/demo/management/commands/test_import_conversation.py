import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.models import ScratchpadEntry
from relationships.models import Companion, Message, Project, Relationship, Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import add, answer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "text": "I have a dog."},
            {"speaker": "Bo", "text": "How nice!"},
            {"speaker": "Ann", "text": "It rains."},
        ],
    }
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"conversation": conversation}))
    return path


def run(file: Path, *options: str, companion: str = "ada", user: str = "maya") -> str:
    out = StringIO()
    call_command(
        "import_conversation", str(file), "--companion", companion, "--user", user, *options, stdout=out
    )
    return out.getvalue()


def test_a_conversation_is_imported_and_remembered(
    file: Path, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer(add("Has a dog"))

    out = run(file)

    relationship = Relationship.objects.get()
    assert (relationship.companion, relationship.user.display_name) == (companion, "Ann")
    assert [turn.state for turn in Turn.objects.for_relationship(relationship.id)] == ["applied", "applied"]
    assert ScratchpadEntry.objects.for_relationship(relationship.id).get().content == "Has a dog"
    assert "2 turns are new." in out
    assert "2 read." in out
    assert f"Relationship {relationship.id}" in out


def test_a_person_that_is_refused_leaves_no_companion_behind(file: Path, project: Project) -> None:
    with pytest.raises(CommandError, match="--user: "):
        run(file, user="")

    assert not Companion.objects.exists()


def test_the_same_file_again_adds_nothing(
    file: Path, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    run(file)
    assert "0 turns are new, 2 were there already." in run(file)
    assert Turn.objects.count() == 2


def test_turns_of_one_minute_in_sessions_that_take_turns_are_all_there_and_once(
    tmp_path: Path, companion: Companion
) -> None:
    said = [("a", "One"), ("b", "Two"), ("a", "Three"), ("a", "Four"), ("b", "Five"), ("a", "One")]
    turns = [
        {"day": -1, "time": "09:00", "session": session, "messages": [{"role": "user", "content": text}]}
        for session, text in said
    ]
    people = {
        "companion": {"name": "Bo", "slug": "bo"}, "user": {"external_id": "ann", "display_name": "Ann"},
    }  # fmt: skip
    file = tmp_path / "minute.json"
    file.write_text(json.dumps({**people, "turns": turns}))

    assert "6 turns are new." in run(file, "--no-wait")
    assert "0 turns are new, 6 were there already." in run(file, "--no-wait")
    kept = Message.objects.order_by("seq").values_list("session", "content")
    assert list(kept) == said

    turns[3:] = [
        {**turns[3], "messages": [{"role": "user", "content": text}]} for text in ("Between", "Four!", "Four")
    ]
    turns[2] = {**turns[2], "messages": [{"role": "user", "content": "Three!"}]}
    file.write_text(json.dumps({**people, "turns": turns}))

    assert "2 turns are new, 4 were there already." in run(file, "--no-wait")
    assert list(kept.all()) == [*said, ("a", "Between"), ("a", "Four!")]


def test_a_companion_that_is_not_there_is_made_with_the_other_speakers_name(
    file: Path, project: Project
) -> None:
    assert "Created the companion bo." in run(file, "--no-wait", companion="bo")
    assert Companion.objects.get(slug="bo").name == "Bo"


def test_without_waiting_the_turns_are_left_to_a_worker(file: Path, companion: Companion) -> None:
    assert "read." not in run(file, "--no-wait")
    assert set(Turn.objects.values_list("state", flat=True)) == {"pending"}


def test_the_speaker_who_is_the_user_can_be_chosen(file: Path, companion: Companion) -> None:
    run(file, "--no-wait", "--as", "Bo")
    assert Relationship.objects.get().user.display_name == "Bo"


def test_dates_are_read_in_the_given_time_zone(file: Path, companion: Companion) -> None:
    run(file, "--no-wait", "--timezone", "Asia/Tokyo")
    assert Relationship.objects.get().timezone == "Asia/Tokyo"
    assert Turn.objects.order_by("seq")[0].occurred_at.hour == 4


def test_a_failed_turn_is_reported(
    file: Path, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = "no JSON at all"
    with pytest.raises(CommandError, match="2 turns failed"):
        run(file)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--project", "None of ours"], "--project: there is none called 'None of ours'"),
        (["--as", "Eve"], "--as: 'Eve' does not speak here; write Ann or Bo"),
        (["--timezone", "Lisbon"], "--timezone: 'Lisbon' is not an IANA time zone"),
        (["--companion", "A da"], "--companion: write lower-case letters, digits, - and _"),
        (["--user", ""], "--user: "),
    ],
    ids=lambda case: case[0] if isinstance(case, list) else "",
)
def test_what_is_wrong_is_named_and_nothing_is_stored(
    file: Path, companion: Companion, options: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError) as refused:
        run(file, *options)
    assert sentence in str(refused.value)
    assert (Relationship.objects.count(), Companion.objects.count()) == (0, 1)


def test_a_bad_file_stores_nothing(file: Path, companion: Companion) -> None:
    data: dict[str, Any] = json.loads(file.read_text())
    data["conversation"]["session_1"][2]["speaker"] = "Eve"
    file.write_text(json.dumps(data))
    with pytest.raises(
        CommandError, match=r"conversation\.session_1\.2\.speaker: 'Eve' is neither Ann nor Bo"
    ):
        run(file)
    assert (Relationship.objects.count(), Turn.objects.count()) == (0, 0)
