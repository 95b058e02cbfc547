import json
import re
from datetime import UTC, datetime, timedelta

from demo.conversation import Conversation, Person, Persona
from demo.recipes import under_recipe
from demo.rest import Rest
from demo.show import SHORT, play_show
from relationships.models import Companion
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import add, answer, delete
from tests.unit.demo.rest_in_process import InProcess
from tests.unit.demo.screens import ReadableScreen

BEGINS = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def told(*texts: str, question: str = "What's next?") -> Conversation:
    turns = [
        NewTurn([NewMessage("user", text)], occurred_at=BEGINS + timedelta(minutes=place), session="one")
        for place, text in enumerate(texts)
    ]
    return Conversation(
        Person("maya", "Maya", "Europe/Lisbon"), Persona("coach", "Coach", "Be kind."), turns, question
    )


def show(rest: Rest, conversation: Conversation) -> tuple[bool, list[str]]:
    """Whether all was remembered, and the lines shown."""
    screen = ReadableScreen(width=110)
    providers = {"llm": {"alias": "scripted"}, "embedder": {"alias": "offline"}}
    done = play_show(rest=rest, conversation=conversation, providers=providers, screen=screen)
    return done, screen.lines


def test_a_show_goes_from_the_first_turn_to_a_request_to_try(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog", type="relationship")), "A walk, I think.")

    done, lines = show(rest, told("I have a dog"))

    assert done
    at = [
        next(place for place, line in enumerate(lines) if line.startswith(start))
        for start in (
            "Rapport answers at",
            "Maya and Coach: 1 turns",
            "         + relationship Has a dog",
            "1 turns in",
            "What is remembered of Maya: 1 entries",
            "What the companion is shown when asked",
            "system: Be kind.",
            "user: What's next?",
            "A message by POST /v1/chat/completions",
            "Coach: A walk, I think.",
            "What it changes in memory is not known yet.",
            "The service stays up",
            "curl -s http://localhost/v1/relationships/",
        )
    ]
    assert at == sorted(at)
    assert rest.key in lines[-2]
    assert lines[-1].endswith("""-d '{"message": "What'\\''s next?"}'""")


def test_under_another_recipe_the_archive_is_shown_and_why_each_line_was_retrieved(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    facts = json.dumps(
        {"facts": [{"content": "Has a dog", "type": "other", "confidence": 1, "messages": [1]}]}
    )
    scripted_provider.answer_with(facts, "Meat.")

    done, lines = show(rest, under_recipe(told("I have a dog", question="What does my dog eat?"), "two_call"))

    assert done
    text = "\n".join(lines)
    assert "Recipe:   two_call. " in text
    assert "Embedder: offline: hashed words" in text
    assert "In the archive of Maya, shown when it has to do with a message: 1 entries" in text
    assert "What is remembered of Maya" not in text
    assert re.search(r"^Has a dog +retrieved by ", text[text.index("Why it was shown these") :], re.MULTILINE)
    assert "again      make demo RECIPE=two_call" in text
    assert Companion.objects.get().config["recipe"] == "two_call"


def test_the_service_may_settle_before_the_memory_is_shown(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = answer()
    screen, shown = ReadableScreen(), []
    play_show(
        rest=rest,
        conversation=told("Rain"),
        providers={},
        screen=screen,
        settle=lambda: shown.append("\n".join(screen.lines)),
    )
    [so_far] = shown
    assert "1 turns in" in so_far
    assert "What is remembered" not in so_far


def test_a_failed_turn_makes_the_show_a_failure_and_names_the_retry(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with("no JSON", "no JSON", answer())
    done, lines = show(rest, told("Rain", "Snow"))
    assert not done
    assert any("/retry tries one again" in line for line in lines)


def test_deletions_that_wait_for_a_person_are_told_with_the_way_to_decide(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(*[add(f"Fact {number}") for number in range(5)]),
        answer(*[delete(number) for number in range(1, 6)]),
    )
    _, lines = show(rest, told("Facts", "Forget everything"))
    assert any("5 deletions await review: POST /v1/relationships/" in line for line in lines)


def test_a_long_conversation_is_read_in_batches(
    rest: Rest, scripted_provider: ScriptedProvider, transport: InProcess
) -> None:
    scripted_provider.otherwise = answer()
    transport.idle_posts = SHORT  # the worker is slower than we hand over

    done, _ = show(rest, told(*[f"Line {number}" for number in range(SHORT + 1)]))

    assert done
    assert len(scripted_provider.requests) < SHORT / 4


def test_an_agent_works_once_and_what_it_leaves_is_shown(
    rest: Rest, scripted_provider: ScriptedProvider
) -> None:
    step = {"tool": "create", "input": json.dumps({"path": "workspace/outputs/a.md", "file_text": "A dog."})}
    end = {"tool": "done", "input": json.dumps({"summary": "Wrote it up."})}
    scripted_provider.answer_with(answer(add("Has a dog")), step, end, "# Maya\nHas a dog, and an agent.")
    screen = ReadableScreen(width=110)

    play_show(rest=rest, conversation=told("I have a dog"), providers={}, screen=screen, agent=True)

    text = "\n".join(screen.lines)
    assert "1. create workspace/outputs/a.md" in text and "The session is done. Wrote it up." in text
    assert "memory/entries.md" in text and "read-only" in text
    assert text.count("Has a dog, and an agent.") == 2, "hot context, and the context it stands in"
