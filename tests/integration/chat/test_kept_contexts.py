"""What the companion was shown when it said that."""

from uuid import UUID

import pytest
from django.test import Client

from chat.models import KeptContext, ToolCall
from providers.errors import RequestRefused
from relationships.models import Companion, Message
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api, add_entry
from tests.fixtures.chat import Chat, stored, turns
from tests.vendor_servers.openai_server import OpenAIServer

PAIR = {"companion": "ada", "user": "maya"}


def test_entries_are_kept_with_the_version_that_was_shown(chat: Chat, api: Api, at: str) -> None:
    tea = add_entry(api, at, "Prefers green tea")
    api.patch(f"{at}/entries/{tea}", {"content": "Prefers black tea"})

    told = chat.say("What shall I drink?").body["rapport"]
    api.patch(f"{at}/entries/{tea}", {"content": "Prefers coffee"})

    kept = api.get(f"{at}/contexts/{told['context_id']}").body
    assert told["entries"] == [tea] and kept["entries"] == {tea: 2}
    assert kept["turn_id"] == told["turn_id"] == str(turns()[0].id)
    assert (kept["provider"], kept["model"], kept["finish_reason"]) == ("openai", "local-1", "stop")
    memory = next(layer for layer in kept["layers"] if layer["name"] == "memory")
    assert memory["sources"] == [tea] and memory["tokens"] > 0 and memory["reason"]
    assert "green tea" not in str(kept) and "black tea" not in str(kept)


@pytest.mark.parametrize(("keep", "kept"), [("none", 0), ("all", 3), ("sampled", 0)])
def test_the_configuration_says_what_is_kept(chat: Chat, companion: Companion, keep: str, kept: int) -> None:
    companion.config["context"] |= {"keep": keep, "keep_share": 0.0}
    companion.save()

    ids = [chat.say("Hi").body["rapport"]["context_id"] for _ in range(3)]

    assert KeptContext.objects.count() == kept == sum(one is not None for one in ids)


def test_the_shown_end_of_a_long_message_is_recorded(
    chat: Chat, api: Api, at: str, companion: Companion, replying: OpenAIServer, viewer: Client
) -> None:
    companion.config["context"] |= {"budget": 300}
    companion.save()
    fence = "<rapport_memory>\n- Old\n</rapport_memory>"
    long = " ".join(f"Word {number}." for number in range(400)) + f"{fence} The key is under the mat."
    api.post(f"{at}/turns", {"messages": [{"role": "user", "content": long}]})

    context_id = chat.say("Where is it?").body["rapport"]["context_id"]

    shown = viewer.get(f"/admin-ui{at}/contexts/{context_id}/").content.decode()
    _, prompt = shown.split('aria-labelledby="prompt"')
    asked = replying.requests[-1].body["messages"]
    [end] = [one["content"].partition("\n\n")[0] for one in asked if "under the mat" in one["content"]]
    assert end.startswith("[…] Word ") and end in prompt
    assert "Word 1." not in shown and "Old" not in prompt
    [message] = Message.objects.filter(content=long)
    api.post(f"{at}/messages/redact", {"messages": [str(message.id)]})
    assert str(message.id) not in str(KeptContext.objects.get().layers)


def test_the_shown_passage_of_a_long_message_is_recorded(
    chat: Chat, api: Api, at: str, companion: Companion, viewer: Client
) -> None:
    companion.config["context"] |= {"recent_messages": 0}
    companion.save()
    words = " ".join(f"Word {number}." for number in range(400))
    long = f"{words} The key is under the mat. {words}"
    api.post(f"{at}/turns", {"messages": [{"role": "user", "content": long}]})

    context_id = chat.say("Where is the key?").body["rapport"]["context_id"]

    shown = viewer.get(f"/admin-ui{at}/contexts/{context_id}/").content.decode()
    assert "The key is under the mat." in shown and "Word 200." not in shown
    [message] = Message.objects.filter(content=long)
    assert "parts" in str(KeptContext.objects.get().layers)
    api.post(f"{at}/messages/redact", {"messages": [str(message.id)]})
    assert str(message.id) not in str(KeptContext.objects.get().layers)


def test_an_entry_that_is_erased_leaves_the_contexts_and_calls_that_name_it(
    chat: Chat, api: Api, at: str, companion: Companion
) -> None:
    tea, run = add_entry(api, at, "Prefers green tea"), add_entry(api, at, "Runs on Sundays")
    chat.say("What shall I drink?")
    api.post(f"{at}/tools/memory_search", {"query": "Does she prefer coffee? No: prefers green tea."})

    api.delete(f"{at}/entries/{tea}?permanent=true")

    kept = KeptContext.objects.get()
    assert kept.entries == {run: 1} and UUID(tea) not in kept.source_ids
    assert tea not in str(kept.layers)
    call = ToolCall.objects.get()
    assert call.arguments == {} and call.redacted_at is not None


def test_a_person_that_is_erased_takes_theirs_along(chat: Chat, api: Api, at: str) -> None:
    chat.say("Hi")
    api.post(f"{at}/tools/memory_search", {"query": "tea"})

    assert api.delete(at).status == 200

    assert not KeptContext.objects.exists() and not ToolCall.objects.exists()


@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("what", ["entry", "message", "relationship"])
def test_a_reply_to_what_was_erased_meanwhile_is_stored_without_its_words(
    what: str,
    keep: str,
    chat: Chat,
    api: Api,
    at: str,
    companion: Companion,
    scripted_provider: ScriptedProvider,
) -> None:
    """The model was shown it before, and may quote it. Of an erased relationship nothing is stored, even if there is a
    new one for the pair.
    """
    companion.config["context"] |= {"provider": "scripted", "keep": keep}
    companion.save()
    scripted_provider.answer_with("Hello!", "You live in Vienna.")
    first = chat.say("I live in Vienna.").body["rapport"]["turn_id"]
    entry = add_entry(api, at, "Lives in Vienna")

    def erase(_: object) -> None:
        if what == "entry":
            api.delete(f"{at}/entries/{entry}?permanent=true")
        elif what == "relationship":
            api.delete(at)
            assert f"/relationships/{api.post('/relationships', PAIR).body['id']}" == at
        else:
            api.post(f"{at}/messages/redact", {"turns": [first]})

    scripted_provider.while_answering = erase
    told = chat.say("Where do I live?").body

    if what == "relationship":
        assert (told["error"]["code"], stored()) == ("not_found", [])
        return
    assert told["choices"][0]["message"]["content"] == "You live in Vienna."
    assert "You live in Vienna." not in str(stored())
    assert stored()[2] == ("user", "Where do I live?")


@pytest.mark.django_db(transaction=True)  # as the reranker counts its call in a thread and session of its own
def test_a_providers_error_that_quotes_a_message_goes_with_the_message(
    chat: Chat, api: Api, at: str, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    companion.config |= {
        "context": {"provider": "scripted", "keep": "all", "recent_messages": 1},
        "ingestion": {"provider": "scripted"},
        "retrieval": {"reranker": "model", "reranker_timeout_ms": 20_000},
    }
    companion.save()
    refused = RequestRefused("invalid: 'My kayak is blue.'")
    scripted_provider.answer_with("Nice!", "Lovely!", "Oh!", refused, "Yours is blue.")
    first = chat.say("My kayak is blue.").body["rapport"]["turn_id"]
    chat.say("Her kayak is red.")
    chat.say("Hello")
    chat.say("Which kayak is mine?")
    kept = KeptContext.objects.order_by("recorded_at").last()
    assert kept and "My kayak is blue" in str(kept.layers)

    assert api.post(f"{at}/messages/redact", {"turns": [first]}).status == 200

    kept.refresh_from_db()
    assert "blue" not in str(kept.layers) and kept.layers


@pytest.mark.parametrize(
    ("entry", "reply", "shown"),
    [
        ("Lives in Vienna", "Since you live in Vienna, take a tram.", False),
        ("Has a cat and drives a Volvo", "Take the Volvo.", False),
        ("Has a cat and drives a Volvo", "Take your cat along.", True),
        ("Lives in Vienna", "Take a tram.", True),
    ],
)
def test_a_reply_that_repeats_what_was_forgotten_meanwhile_is_hidden(
    entry: str, reply: str, shown: bool, chat: Chat, api: Api, at: str, replying: OpenAIServer
) -> None:
    add_entry(api, at, entry)
    replying.push({"pieces": ["Well.", f" {reply}"]})
    events = chat.begin("How do I get around?")
    next(events)

    assert api.post(f"{at}/tools/memory_forget", {"query": entry.split()[-1]}).body["success"]
    said = b"".join(events)

    assert b"[DONE]" in said
    context = api.post(f"{at}/context", {"message": "And now?"}).body["messages"]
    assert (f"Well. {reply}" in str(context)) is shown and "How do I get around?" in str(context)
