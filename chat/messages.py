"""Sorts the messages that a client sends into system prompt, conversation, and what is new in it. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from context.text import without_notes
from memory.fence import cut_fenced
from providers.reported import name_of
from relationships.services.limits import message_fault, misplaced_role
from relationships.services.turns import NewMessage
from web.errors import InvalidInput, shorten

Message = Mapping[str, Any]
SYSTEM = ("system", "developer")
ROLES = (*SYSTEM, "user", "assistant", "tool")
LONGEST_NAME = 200
LONGEST_RESULT = 16_000  # characters of a tool's result that are remembered
ANSWERED_CALL = "rapport_call"  # in the metadata of a tool's result: the ID of the call
_CALLS = re.compile(r"(?:\A|\n)\[calls \S+?\(.*\)\]\Z", re.DOTALL)  # the format of told_calls
_TEXTS = ("text", "refusal")
_NAMES = {"image_url": "image", "input_audio": "audio", "file": "file", "video_url": "video"}


@dataclass(frozen=True, slots=True)
class Sent:
    """`system`: the client's system messages, joined. `current`: the index in `conversation` of the person's last
    message. `replied`: the indexes of replies that are stored already, calls of tools among them. `new`: the messages
    since the last of these, which will be remembered, including the beginning of a reply that the model has to
    continue. `recalled`: how many messages at the beginning of `conversation` are not the client's: an earlier exchange
    that it refers to. `field`: the name of the messages in the client's protocol.
    """

    system: str
    conversation: tuple[Message, ...]
    current: int
    replied: tuple[int, ...]
    new: tuple[NewMessage, ...]
    recalled: int = 0
    field: str = "messages"

    @property
    def owns_history(self) -> bool:
        """Whether the client sends earlier exchanges. They are then used unchanged, in place of the stored ones.

        A call of a tool belongs to the exchange in which it is answered.
        """
        own = (place for place in self.replied if place >= self.recalled)
        return next(own, self.current) < self.current

    @property
    def asked(self) -> tuple[Message, ...]:
        """What the model is sent of it. Recalled messages are also among the stored ones that it is shown, but without
        calls: so they are sent if calls are answered, or if nothing else is said.
        """
        answers = any(message["role"] == "tool" for message in self.conversation[self.recalled :])
        if answers or self.owns_history or self.current < self.recalled:
            return self.conversation
        return self.conversation[self.recalled :]

    @property
    def message(self) -> str:
        return text_of(self.conversation[self.current])


def read_messages(messages: Sequence[Any], *, recalled: int = 0, field: str = "messages") -> Sent:
    """Sort and check the messages. Raises InvalidInput, which names the message and the field."""
    for place, message in enumerate(messages):
        check_message(message, place)
    conversation = tuple(message for message in messages if message["role"] not in SYSTEM)
    _refuse_stray_results(messages)
    spoken = [place for place, message in enumerate(conversation) if message["role"] == "user"]
    if not spoken:
        results = any(message["role"] == "tool" for message in conversation)
        asked = (
            "send the one that the tools were called for, too" if results else "there is nothing to reply to"
        )
        raise InvalidInput.of("messages", f"no message of the role user: {asked}")
    last = max(place for place, message in enumerate(conversation) if message["role"] != "assistant")
    replied = tuple(place for place in range(last) if conversation[place]["role"] == "assistant")
    return Sent(
        system="\n\n".join(filter(None, (text_of(m) for m in messages if m["role"] in SYSTEM))),
        conversation=conversation,
        current=spoken[-1],
        replied=replied,
        new=_new_messages(conversation[replied[-1] + 1 if replied else 0 :]),
        recalled=recalled,
        field=field,
    )


def refuse_unkeepable(sent: Sent, *, most: int) -> None:
    """Refuse messages that can't be stored as a turn, before the model is asked. Raises InvalidInput."""
    new = sent.new
    if len(new) > most:
        raise InvalidInput.of(
            sent.field,
            f"{len(new)} messages since the last reply, of which one longer than {settings.MAX_MESSAGE_BYTES} bytes "
            f"counts as several; at most {most} can be remembered at once. Send earlier ones by POST "
            "/v1/relationships/{id}/turns, or this call with store: false",
        )
    if misplaced := misplaced_role([message.role for message in new]):
        raise InvalidInput.of(sent.field, misplaced[1])
    for message in new:
        if fault := message_fault(message.content):
            raise InvalidInput.of(sent.field, f"a message of the role {message.role} {fault}")


def compose(sent: Sent, *, system: str, earlier: Sequence[Message]) -> list[Message]:
    """The messages for the model: one system text, the client's part first; then `earlier`, the stored messages, if the
    client sent no history. Text that looks like our fence is cut out of the current message.
    """
    whole = "\n\n".join(filter(None, (sent.system, system)))
    first: list[Message] = [{"role": "system", "content": whole}] if whole else []
    conversation = list(sent.asked)
    place = sent.current - (len(sent.conversation) - len(conversation))
    if content := conversation[place].get("content"):
        conversation[place] = {**conversation[place], "content": _unfenced(content)}
    return [*first, *(conversation if sent.owns_history else _joined(earlier, conversation))]


def _unfenced(content: str | list[Message]) -> str | list[Message]:
    if isinstance(content, str):
        return without_notes(cut_fenced(content)[0])
    return [{**part, "text": _unfenced(part["text"])} if part["type"] == "text" else part for part in content]


def _joined(earlier: Sequence[Message], conversation: list[Message]) -> list[Message]:
    """The conversation after the earlier messages. If both meet in the person's messages, these become one."""
    if not earlier or not earlier[-1]["role"] == conversation[0]["role"] == "user":
        return [*earlier, *conversation]
    before, content = earlier[-1]["content"], conversation[0].get("content") or ""
    whole = (
        f"{before}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": before}, *content]
    )
    return [*earlier[:-1], {**conversation[0], "content": whole}, *conversation[1:]]


def text_of(message: Message) -> str:
    """The message's text, or the words with which a model refused. Other parts are named: [image]."""
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (_text_of_part(part) for part in content)))


def without_calls(told: str) -> str:
    """Remove calls from a stored reply: a model that saw them would write such text instead of making a call."""
    if not told.endswith(")]"):  # cheap check: the pattern would scan to the end from each possible start
        return told
    return _CALLS.sub("", told)


def told_calls(calls: Sequence[Message]) -> str:
    """Calls of the client's tools, as text for memory."""
    return "\n".join(f"[calls {call['function']['name']}({call['function']['arguments']})]" for call in calls)


def _text_of_part(part: Message) -> str:
    kind = part["type"]
    if kind in _TEXTS:
        return str(part[kind])
    return f"[{_NAMES.get(kind, kind)}]"


def _new_messages(since: Sequence[Message]) -> tuple[NewMessage, ...]:
    """The messages to remember, in pieces of allowed length."""
    return tuple(
        NewMessage(message["role"], piece, speaker_of(message), metadata=_answered_call(message))
        for message in since
        for piece in in_pieces(told_of(message))
    )


def _answered_call(message: Message) -> dict[str, Any]:
    answers = message.get("tool_call_id") if message["role"] == "tool" else None
    return {ANSWERED_CALL: answers} if answers and len(answers) <= LONGEST_NAME else {}


def speaker_of(message: Message) -> str:
    """Who speaks as the person, if the message says so by OpenAI's `name`."""
    name = message.get("name") if message["role"] == "user" else None
    return name_of(name, most=LONGEST_NAME).strip() if isinstance(name, str) else ""


def in_pieces(text: str) -> list[str]:
    """Split a text into pieces of allowed length. Most texts are one piece."""
    if not text.strip():
        return []
    limit: int = settings.MAX_MESSAGE_BYTES
    whole = text.encode("utf-8", "surrogatepass")
    if len(whole) <= limit:
        return [text]
    pieces: list[str] = []
    start = 0
    while start < len(whole):
        end = start + limit
        while end < len(whole) and whole[end] & 0xC0 == 0x80:  # within a character
            end -= 1
        pieces.append(whole[start:end].decode("utf-8", "surrogatepass"))
        start = end
    return [piece for piece in pieces if piece.strip()]


def told_of(message: Message) -> str:
    """A message's text as it is remembered."""
    if message["role"] == "tool":
        return shorten(text_of(message), LONGEST_RESULT) or "[no result]"
    parts = (text_of(message), told_calls(message.get("tool_calls") or ()))
    return "\n".join(filter(None, parts))


def check_message(message: Any, place: int) -> None:
    """Check the format of a message. Raises InvalidInput, which names the field."""
    where = f"messages.{place}"
    if not isinstance(message, dict):
        raise InvalidInput.of(where, "must be an object")
    if message.get("role") not in ROLES:
        raise InvalidInput.of(f"{where}.role", f"must be one of {', '.join(ROLES)}")
    content = message.get("content")
    if isinstance(content, list):
        for number, part in enumerate(content):
            if not (isinstance(part, dict) and isinstance(part.get("type"), str)):
                raise InvalidInput.of(f"{where}.content.{number}", "must be an object with a type")
            kind = part["type"]
            if kind in _TEXTS and not isinstance(part.get(kind), str):
                raise InvalidInput.of(f"{where}.content.{number}.{kind}", "must be a text")
    elif not (content is None or isinstance(content, str)):
        raise InvalidInput.of(f"{where}.content", "must be a text, or a list of parts")
    if not isinstance(message.get("refusal"), str | None):
        raise InvalidInput.of(f"{where}.refusal", "must be a text")
    calls = message.get("tool_calls") or []
    if not (isinstance(calls, list) and all(map(_is_call, calls))):
        raise InvalidInput.of(
            f"{where}.tool_calls", "must be a list of calls: id, and function with name and arguments"
        )


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
