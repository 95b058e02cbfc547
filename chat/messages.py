"""The messages that a client sends, told apart: its own system's, the conversation, and what is new in it. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from memory.fence import cut_fenced
from relationships.services.limits import message_fault
from relationships.services.turns import NewMessage
from web.errors import FieldProblem, InvalidInput, shorten

Message = Mapping[str, Any]
SYSTEM = ("system", "developer")
ROLES = (*SYSTEM, "user", "assistant", "tool")
LONGEST_RESULT = 16_000  # characters of a tool's result that are remembered
_CALLS = re.compile(r"(?:\A|\n)\[calls \S+?\(.*\)\]\Z", re.DOTALL)  # of told_calls
_TEXTS = ("text", "refusal")
_NAMES = {"image_url": "image", "input_audio": "audio", "file": "file", "video_url": "video"}


@dataclass(frozen=True, slots=True)
class Sent:
    """`system`: the client's own, joined. `current`: the place in `conversation` of the last message of the person.

    `replied`: the places of the replies to earlier exchanges; where there are any, the client owns its history, which
    is used as it is. `new`: what was said since the last of them, to be remembered, with the beginning of a reply that
    the model is to go on with.
    """

    system: str
    conversation: tuple[Message, ...]
    current: int
    replied: tuple[int, ...]
    new: tuple[NewMessage, ...]

    @property
    def owns_history(self) -> bool:
        return bool(self.replied)

    @property
    def message(self) -> str:
        return text_of(self.conversation[self.current])


def read_messages(messages: Sequence[Any]) -> Sent:
    """Raises InvalidInput, which names the message and the field."""
    for place, message in enumerate(messages):
        check_message(message, place)
    conversation = tuple(message for message in messages if message["role"] not in SYSTEM)
    _refuse_stray_results(messages)
    spoken = [place for place, message in enumerate(conversation) if message["role"] == "user"]
    if not spoken:
        raise InvalidInput.of("messages", "no message of the role user: there is nothing to reply to")
    last = max(place for place, message in enumerate(conversation) if message["role"] != "assistant")
    replied = tuple(place for place in range(last) if conversation[place]["role"] == "assistant")
    return Sent(
        system="\n\n".join(filter(None, (text_of(m) for m in messages if m["role"] in SYSTEM))),
        conversation=conversation,
        current=spoken[-1],
        replied=replied,
        new=_new(conversation[replied[-1] + 1 if replied else 0 :]),
    )


def refuse_unkeepable(new: Sequence[NewMessage], *, most: int) -> None:
    """Where it can't be stored as a turn, before anything is asked. Raises InvalidInput."""
    if len(new) > most:
        raise InvalidInput.of(
            "messages",
            f"{len(new)} messages since the last reply; at most {most} can be remembered at once. Send earlier ones by "
            "POST /v1/relationships/{id}/turns, or this call with store: false",
        )
    for message in new:
        if fault := message_fault(message.content):
            raise InvalidInput.of("messages", f"a message of the role {message.role} {fault}")


def compose(sent: Sent, *, system: str, earlier: Sequence[Message]) -> list[Message]:
    """What the model is sent: one system text, the client's before ours; then `earlier`, stored messages, where the
    client sent none of its own. What looks like our fence is cut out of the current message.
    """
    whole = "\n\n".join(filter(None, (sent.system, system)))
    first: list[Message] = [{"role": "system", "content": whole}] if whole else []
    conversation = list(sent.conversation)
    current = conversation[sent.current]
    if isinstance(current.get("content"), str):
        conversation[sent.current] = {**current, "content": cut_fenced(current["content"])[0]}
    return [*first, *([] if sent.owns_history else earlier), *conversation]


def text_of(message: Message) -> str:
    """Its text; what else came with it is named: [image]."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (_text_of_part(part) for part in content)))


def without_calls(told: str) -> str:
    """The words of a reply, as it is remembered: a model that saw the calls would write such text in place of one."""
    return (
        _CALLS.sub("", told) if told.endswith(")]") else told
    )  # else each beginning is read to the end in vain


def told_calls(calls: Sequence[Message]) -> str:
    """Calls of the client's tools, as they stand in what is remembered."""
    return "\n".join(f"[calls {call['function']['name']}({call['function']['arguments']})]" for call in calls)


def _text_of_part(part: Message) -> str:
    kind = part["type"]
    if kind in _TEXTS:
        return str(part[kind])
    return f"[{_NAMES.get(kind, kind)}]"


def _new(since: Sequence[Message]) -> tuple[NewMessage, ...]:
    """Pieces as long as a message may be."""
    told = (NewMessage(message["role"], piece) for message in since for piece in in_pieces(told_of(message)))
    return tuple(told)


def in_pieces(text: str) -> list[str]:
    """As long as a message may be; what is said is rarely longer than one."""
    if not text.strip():
        return []
    limit: int = settings.MAX_MESSAGE_BYTES
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        return [text]
    step = limit // 4  # characters, of at most so many bytes each
    pieces = [text[start : start + step] for start in range(0, len(text), step)]
    return [piece for piece in pieces if piece.strip()]


def told_of(message: Message) -> str:
    """As it stands in what is remembered."""
    if message["role"] == "tool":
        return shorten(text_of(message), LONGEST_RESULT) or "[no result]"
    parts = (text_of(message), told_calls(message.get("tool_calls") or ()))
    return "\n".join(filter(None, parts))


def check_message(message: Any, place: int) -> None:
    """Raises InvalidInput, which names the field."""

    def wrong(field: str, detail: str) -> InvalidInput:
        path = f"messages.{place}.{field}".rstrip(".")
        return InvalidInput.naming([FieldProblem(path, detail)])

    if not isinstance(message, dict):
        raise wrong("", "must be an object")
    if message.get("role") not in ROLES:
        raise wrong("role", f"must be one of {', '.join(ROLES)}")
    content = message.get("content")
    if isinstance(content, list):
        for number, part in enumerate(content):
            if not (isinstance(part, dict) and isinstance(part.get("type"), str)):
                raise wrong(f"content.{number}", "must be an object with a type")
            kind = part["type"]
            if kind in _TEXTS and not isinstance(part.get(kind), str):
                raise wrong(f"content.{number}.{kind}", "must be a text")
    elif not (content is None or isinstance(content, str)):
        raise wrong("content", "must be a text, or a list of parts")
    calls = message.get("tool_calls") or []
    if not (isinstance(calls, list) and all(map(_is_call, calls))):
        raise wrong("tool_calls", "must be a list of calls: id, and function with name and arguments")


def _is_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return (
        isinstance(function, dict)
        and isinstance(call.get("id"), str)
        and isinstance(function.get("name"), str)
        and isinstance(function.get("arguments"), str)
    )


def _refuse_stray_results(messages: Sequence[Message]) -> None:
    called: set[str] = set()
    for place, message in enumerate(messages):
        called.update(call["id"] for call in message.get("tool_calls") or ())
        answers = message.get("tool_call_id")
        if message["role"] == "tool" and not (isinstance(answers, str) and answers in called):
            raise InvalidInput.of(
                f"messages.{place}.tool_call_id",
                "answers no call: send the assistant's message that made it too",
            )
