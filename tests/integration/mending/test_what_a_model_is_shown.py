"""What a model that judges a wish is shown of each text: all that it may have to answer about, and no more."""

from memory.mending.model_judgement import MOST_CHARACTERS, MOST_SHOWN
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import whole
from tests.integration.mending.test_forget import numbers_that_say
from workspace.files import change_files

TALK = "We went on along the river and talked of the weather. " * 60
FACT = "I live in Klosterneuburg."


def lines_of(provider: ScriptedProvider) -> list[str]:
    return [line for line in provider.wishes[-1].prompt.splitlines() if line.startswith("[")]


def test_of_a_long_message_the_part_that_may_say_it(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.say(f"{TALK}{FACT} {TALK}")
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")

    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg", "dry_run": True})

    [line] = lines_of(scripted_provider)
    assert FACT in line and len(line) < len(TALK)
    assert [(item["kind"], item["ticked"]) for item in plan.body["items"]] == [("message", True)]


def test_all_of_an_entry_as_what_stays_of_it_is_all_of_the_rest(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = f"Lives in Klosterneuburg. {TALK}Has a cat."
    conversation.remember(entry)
    scripted_provider.wishes_answer = {"says": [], "unsure": []}

    api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg", "dry_run": True})

    [line] = lines_of(scripted_provider)
    assert line.endswith(entry)


def test_of_a_long_message_that_asks_the_part_with_its_wish(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(FACT)
    scripted_provider.answer_with({"operations": []})

    conversation.hear(f"{TALK}\nPlease forget that I live in Klosterneuburg.")

    [message] = [line for line in scripted_provider.wishes[-1].prompt.splitlines() if "MESSAGE: " in line]
    assert "Please forget that I live in Klosterneuburg." in message and len(message) < len(TALK)


def test_of_long_entries_no_more_than_there_is_room_for(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(*(f"Lives in Klosterneuburg, house {number}. {TALK}" for number in range(80)))
    scripted_provider.wishes_answer = {"says": [], "unsure": []}

    api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg", "dry_run": True})

    asked = sum(map(len, lines_of(scripted_provider)))
    assert 0.9 * MOST_CHARACTERS < asked < 1.1 * MOST_CHARACTERS


def test_of_a_correction_only_entries(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Lives in Klosterneuburg")
    conversation.say(FACT)
    scripted_provider.wishes_answer = {"says": [{"number": 1, "now": "Lives in Graz"}], "unsure": []}

    plan = api.post(f"{at}/correct", {"what": "that I live in Klosterneuburg", "to": "Lives in Graz"})

    assert plan.status == 200, plan
    assert lines_of(scripted_provider) == ["[1] (entry) Lives in Klosterneuburg"]
    assert conversation.contents == ["Lives in Graz"]


def test_hot_context_in_other_words_before_old_messages(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    hot = {"memory/hot_context.md": b"Divorced since last year.\n"}
    change_files(relationship=whole(conversation.relationship), changes=hot, by=TESTER)
    for start in range(0, MOST_SHOWN, 20):
        conversation.say(*(f"Fact {number} of the garden" for number in range(start, start + 20)))
    scripted_provider.wishes_answer = numbers_that_say("Divorced")

    plan = api.post(f"{at}/forget", {"what": "that business with my ex"})

    assert len(lines_of(scripted_provider)) == MOST_SHOWN
    assert [(item["kind"], item["done"]) for item in plan.body["items"]] == [("file", True)]
