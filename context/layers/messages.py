from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from context.answer import ChatMessage
from context.budget import Want, divide
from context.facts import Facts, RecentMessage
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.passages import CUT
from context.text import (
    AROUND_A_MESSAGE,
    NOTES,
    end_of,
    keep_last,
    line_cost,
    long_of,
    message_tokens,
    without_notes,
)
from memory.entries.happens import named_day_of
from memory.fence import cut_fenced
from relationships.models import MessageRole
from relationships.text_names import means_person, name_in_text

Shown = list[tuple[RecentMessage, ChatMessage]]
MOST_DAYS = 7  # that are told one by one; those before them as a range
LEAST = 24  # tokens of a message whose end is shown: fewer say nothing


class MessagesLayer(Layer):
    """The recent messages of the session, oldest first. If the budget is too small, the newest are kept, each complete.

    If the last exchange alone exceeds the budget, or the newest messages use less than half of it, longer messages
    before them are shortened to their end. So is a long message before the last exchange that would leave no room for
    those before it. If not all are of today, the system prompt says which are of which days: "last Friday" is relative
    to those. It comes before all but the last exchange, unless it takes more than half of the budget. If others speak
    as the person too, their messages and the person's begin with the names.
    """

    slug = "messages"
    weight = 4
    tells_days = True

    def kept(self, request: LayerRequest) -> "Kept":
        """The recent messages that fit the layer's budget."""
        room = request.budget_of(self)
        return request.recall.once((self.slug, room), lambda: _kept(request, room))

    def render(self, request: LayerRequest) -> LayerText:
        found, room = request.recall.recent, request.budget_of(self)
        shown, kept, last_exchange = self.kept(request)
        if not shown:
            return NOTHING
        days = _days(kept, request)
        if not _fit(kept, days, room):
            days = ""
        there = {message.id for message, _ in kept}
        ends = {one[0].id: len(one[1]["content"].partition(CUT)[2]) for one in kept if one not in shown}
        return LayerText(
            text=days,
            messages=[spoken for _, spoken in kept],
            sources=[message.id for message, _ in kept],
            reason=_reason(found, request.facts.session, cut=bool(ends)),
            left_out=left_out([message.id for message, _ in reversed(shown) if message.id not in there]),
            least=last_exchange + (line_cost(days) if days else 0),
            ends=ends,
        )


class Kept(NamedTuple):
    """What was said recently, as much of it as is shown, and the tokens of the last exchange."""

    said: Shown
    shown: Shown
    last_exchange: int


def _kept(request: LayerRequest, room: int | None) -> Kept:
    notes = _notes(request.recall.recent, request.facts)
    spoken = ((one, _spoken(one, notes[one.id])) for one in request.recall.recent)
    said = [(one, line) for one, line in spoken if line["content"].strip()]
    if not said:
        return Kept([], [], 0)
    costs = [message_tokens(line) for _, line in said]
    exchange = _with_exchange_before(said, 0)
    shown, last_exchange = said, sum(costs[-exchange:])
    if room is not None:
        shown, left = _within(said, costs, room, notes, exchange=exchange), room
        while not _fit(shown, days := _days(shown, request), room):
            rest = room - line_cost(days)
            if not max(last_exchange, room // 2) <= rest < left:  # ever less, so that this ends
                break
            shown, left = _within(said, costs, rest, notes, exchange=exchange), rest
    return Kept(said, shown, last_exchange)


def _fit(shown: Shown, days: str, room: int | None) -> bool:
    """Whether the messages leave room for the sentence on their days."""
    return not days or room is None or line_cost(days) + sum(message_tokens(one) for _, one in shown) <= room


def words_shown(content: str, *, end: int) -> str:
    """The words shown of a message of which only the last `end` characters are shown."""
    said = without_notes(cut_fenced(content)[0])
    return CUT + said[-end:] if len(said) > end else said


def _with_exchange_before(shown: Shown, count: int) -> int:
    """How many messages the last `count` are, together with the exchange before them."""
    begun = (n for n in range(count + 1, len(shown) + 1) if shown[-n][0].role == "user")
    return next(begun, min(count + 1, len(shown)))


def _within(
    shown: Shown, costs: Sequence[int], room: int, notes: Mapping[str, str], *, exchange: int
) -> Shown:
    most, last = long_of(room), len(shown) - exchange
    held = [cost if place >= last else min(cost, most) for place, cost in enumerate(costs)]
    whole = count = keep_last(held, room=room)
    if count < exchange:
        whole, count = 0, exchange
    elif 2 * sum(held[len(shown) - count :]) < room:
        count = _with_exchange_before(shown, count)
    held = [0] * (count - whole) + held[len(shown) - whole :]
    kept, costs = shown[-count:], costs[-count:]
    return kept if sum(costs) <= room else _ends(kept, costs, room, notes, held=held)


def _ends(
    exchange: Shown, costs: Sequence[int], room: int, notes: Mapping[str, str], *, held: Sequence[int]
) -> Shown:
    """Give each message what is `held` for it, and divide the rest of the room equally.

    Those that are longer than their part are shortened to their end.
    """
    wants = {
        place: Want(cost, weight=1, least=min(cost, LEAST), held=held[place])
        for place, cost in enumerate(costs)
    }
    parts = divide(room, wants)
    return [
        (message, ChatMessage(role=spoken["role"], content=end))
        for place, (message, spoken) in enumerate(exchange)
        if (end := end_of(spoken["content"], tokens=parts[place] - AROUND_A_MESSAGE, note=notes[message.id]))
    ]


def _days(shown: Shown, request: LayerRequest) -> str:
    """A sentence on which of them were said on which day; "" if all are of today. It counts them, unless some follow
    others of the same role: most vendors' formats merge those into one.
    """
    timezone = request.facts.timezone
    said = (named_day_of(message.said_at, timezone) for message, _ in shown)
    days = [(day, len(list(same))) for day, same in groupby(said)]
    if all(day == named_day_of(request.now.timestamp(), timezone) for day, _ in days):
        return ""
    before, last = days[:-MOST_DAYS], days[-MOST_DAYS:]
    if before:
        last[0] = (f"{before[0][0]} to {last[0][0]}", sum(count for _, count in before) + last[0][1])
    told = [day for day, _ in last]
    if len(last) > 1 and all(one["role"] != then["role"] for (_, one), (_, then) in pairwise(shown)):
        places = ["the first", *["the next"] * (len(last) - 2), "the last"]
        told = [
            f"{day} ({place} {count})" if count > 1 else f"{day} ({place})"
            for place, (day, count) in zip(places, last, strict=True)
        ]
    listed = " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
    return request.with_today(f"The earlier messages below were said on {listed}.")


def _notes(messages: Sequence[RecentMessage], facts: Facts) -> dict[str, str]:
    """What each message begins with, by its ID: a mark, a speaker's name, or nothing."""
    speakers = {one.id: one.speaker for one in messages if one.role == MessageRole.USER}
    names: dict[str, str] = {}
    if any(speakers.values()):
        called = {key: name_in_text(said, facts.user_name) for key, said in speakers.items()}
        others = {name for name in called.values() if not means_person(name, facts.user_name)}
        if others:
            names = {key: name if name in others else facts.user_name for key, name in called.items()}
    return {one.id: f"{names[one.id]}: " if one.id in names else NOTES.get(one.role, "") for one in messages}


def _spoken(message: RecentMessage, note: str) -> ChatMessage:
    content = without_notes(cut_fenced(message.content)[0])
    said = note + content if content.strip() else content
    return ChatMessage(role="assistant" if message.role == MessageRole.ASSISTANT else "user", content=said)


def _reason(found: Sequence[RecentMessage], session: str, *, cut: bool) -> str:
    own = found[-1].session == session
    told = "the session's last messages" if own else "all sessions' last messages: this one has none"
    return f"{told}; of those too long for the budget, the end" if cut else told
