"""Send back once what rests on a message that the person takes back or corrects right afterwards ("nvm it was the hot
sauce", "wait no 23rd"), unless it cites that, too.

Small models keep the first version, or both.
"""

import re
from collections.abc import Callable
from datetime import timedelta

from memory.entries.fingerprint import content_hash
from memory.ingestion.ingestion_input import IngestionInput, InputMessage
from memory.ingestion.operations import Operation
from relationships.models import MessageRole

CHANGES = ("add", "update", "replace")
SOON = timedelta(minutes=30)
MOST_AFTER = 5  # messages, which are shown for each item
LONGEST_SHOWN = 200  # characters of a message, in which it is told at once
_TAKES_BACK = re.compile(
    r"^\W*(?:(?:oh|ok|okay|ugh|lol|haha|hm+|omg|sorry|and|but|no|nah|nein|nee|ach|ah|ay|non|não)\W+)*"
    r"(?:nvm|never ?mind|jk|(?:just|only|i(?:['’]| a)?m) (?:kidding|joking)|scratch that|hold on|i meant?\b|correction"
    r"|wait(?! (?:until|till|for|and see|did|do|is|are|what|how|why|who|when|where|u|you)\b)"
    r"|actually (?:no|not|never|its?|it['’]s|thats?|that['’]s|i \w+n['’]?t)|my (?:bad|mistake)"
    r"|(?:just|only) (?:thinking out loud|a thought)"
    r"|moment mal|warte|quatsch|doch nicht|war nur (?:ein )?(?:spaß|scherz)|ich meinte?|stimmt nicht"
    r"|espera|perdón|mentira|es broma|(?:quise|quería) decir|me equivoqué|attends|je plaisante|je voulais dire"
    r"|aspetta|anzi|scherzo|volevo dire|brincadeira|quis dizer|aliás|wacht|grapje|ik bedoel(?:de)?)(?!\w)"
    r"|^\*\w[^*]*$|^(?:いや|間違えた|冗談)",
    re.IGNORECASE,
)
_IS_SORRY = re.compile(
    r"(?:\bi\W?a?m|\b(?:am|are|is|was|so|really|very|feel|say|said)) sorry\W*$", re.IGNORECASE
)
_AGAIN = (
    "Give these again as they stand after that, citing it, too, and no others. Leave out what is taken back, or was "
    'never more than a thought; {"operations": []} if nothing is left.'
)


def ask_about_taken_back(
    items: list[Operation],
    given: IngestionInput,
    send_back: Callable[[str, str], list[Operation] | None],
) -> list[Operation]:
    """Ask the model once, and return the items with its new versions. `send_back` returns None if there is no answer:
    then everything stays, as it does if the answer has nothing but refused items. What does not come again is refused.
    """
    doubts = {place: after for place, item in enumerate(items) if (after := _taken_back(item, given))}
    if not doubts:
        return items
    told = "\n".join(
        f"- {items[place].content}: but then {'; '.join(map(_quoted, after))}"
        for place, after in doubts.items()
    )
    answer = send_back(
        f"{given.user_name} may take back or correct what these rest on.\n{told}\n{_AGAIN}", "taken back"
    )
    if answer is None:
        return items
    near = {number for place in doubts for number in items[place].messages}
    near |= {number for after in doubts.values() for number, _ in after}
    others = [item for place, item in enumerate(items) if place not in doubts]
    said = {content_hash(item.content) for item in others if item.content}
    changed = {item.entry for item in others if item.entry is not None}
    again = [
        item
        for item in answer
        if item.op in CHANGES
        and not near.isdisjoint(item.messages)
        and content_hash(item.content) not in said
        and (item.entry is None or item.entry not in changed)
    ]
    unusable = [item for item in answer if item.op == "refused"]
    if unusable and not again:
        return [*items, *unusable]
    insisted = {content_hash(item.content) for item in again}
    gone = [
        items[place].refused(f"is taken back or corrected in message {after[0][0]}, as the model was asked")
        for place, after in doubts.items()
        if content_hash(items[place].content) not in insisted
    ]
    return [*others, *again, *gone, *unusable]


def _taken_back(item: Operation, given: IngestionInput) -> list[tuple[int, InputMessage]]:
    """The person's next messages after those that an item rests on, up to a reply, if one of them takes something back,
    with their numbers; none if it cites one of them.
    """
    own = [number for number in item.messages if given.messages[number - 1].role == MessageRole.USER]
    if item.op not in CHANGES or not own:
        return []
    after = _next_of_person(max(own), given)
    if any(number in item.messages for number, _ in after):
        return []
    return after if any(takes_back(message.content) for _, message in after) else []


def takes_back(said: str) -> bool:
    """Return whether a message takes back or corrects the one before it."""
    words = said.split(maxsplit=4)
    corrects = 1 < len(words) <= 4 and words[-1].strip(".!").lower() == "sorry"  # "SO-48231 sorry"
    if corrects and _IS_SORRY.search(said) is None:
        return True
    return _TAKES_BACK.search(said[:LONGEST_SHOWN]) is not None


def _next_of_person(last: int, given: IngestionInput) -> list[tuple[int, InputMessage]]:
    before = given.messages[last - 1]
    found: list[tuple[int, InputMessage]] = []
    for number, message in enumerate(given.messages[last:], start=last + 1):
        later = message.session != before.session or message.occurred_at - before.occurred_at > SOON
        if later or len(found) == MOST_AFTER:
            break
        if message.role == MessageRole.USER and message.speaker == before.speaker:
            found.append((number, message))
        elif found:
            break
    return found


def _quoted(numbered: tuple[int, InputMessage]) -> str:
    number, message = numbered
    return f'[{number}] "{" ".join(message.content[:LONGEST_SHOWN].split())}"'
