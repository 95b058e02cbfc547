from typing import Any

from benchmarks.peers.dialects.base import Request
from benchmarks.peers.dialects.langmem import answer
from benchmarks.peers.facts import Change

BOOK = {
    "I live in Lisbon.": [Change("Lives in Lisbon")],
    "I moved to Porto.": [Change("Lives in Porto", "Lives in Lisbon")],
    "Forget where I live.": [Change("", "Lives in Lisbon")],
}
TOOLS = ["PatchDoc", "Memory", "RemoveDoc"]


def asked(said: str, *, known: dict[str, str], tools: list[str] = TOOLS) -> Request:
    instances = "\n".join(
        f'<instance id={id} schema_type="Memory">\n{ {"content": text} }\n</instance>'
        for id, text in known.items()
    )
    session = (
        f"================================ Human Message ===\n\n{said}\n\n"
        "================================== Ai Message ===\n\nI see."
    )
    body: dict[str, Any] = {
        "messages": [
            {
                "role": "system",
                "content": f"You are a memory subroutine.\n<existing>\n{instances}\n</existing>",
            },
            {"role": "user", "content": f"Instructions.\n\n<session_1>\n{session}\n</session_1>"},
        ],
        "tools": [{"type": "function", "function": {"name": name}} for name in tools],
    }
    return Request(body)


def calls(said: str, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    told = answer(asked(said, **more), BOOK)
    assert told is not None
    return told.calls


def test_what_is_new_is_a_memory() -> None:
    assert calls("I live in Lisbon.", known={}) == [("Memory", {"content": "Lives in Lisbon"})]


def test_what_has_changed_is_patched_where_it_is_shown() -> None:
    ((name, arguments),) = calls("I moved to Porto.", known={"a": "Has a cat", "b": "Lives in Lisbon"})

    assert (name, arguments["json_doc_id"]) == ("PatchDoc", "b")
    assert arguments["patches"] == [{"op": "replace", "path": "/content", "value": "Lives in Porto"}]


def test_what_is_to_be_forgotten_is_removed() -> None:
    assert calls("Forget where I live.", known={"b": "Lives in Lisbon"}) == [
        ("RemoveDoc", {"json_doc_id": "b"})
    ]


def test_only_what_is_offered_is_called() -> None:
    assert calls("Forget where I live.", known={"b": "Lives in Lisbon"}, tools=["Memory"]) == []


def test_messages_in_a_row_are_read_one_by_one() -> None:
    assert len(calls("I live in Lisbon.\nNice weather.", known={})) == 1


def test_who_offers_no_function_is_somebody_else() -> None:
    assert answer(asked("I live in Lisbon.", known={}, tools=[]), BOOK) is None
