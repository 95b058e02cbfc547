"""Parse the requests to forget or correct that an answer reports, and check them against what was shown."""

import json
from collections.abc import Iterable
from typing import Any

from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import RefusedItem, cited_messages, cleaned, text_of
from memory.ingestion.operations import Operation, refused
from memory.ingestion.text_similarity import share_said
from memory.ingestion.unsupported import HARDLY, refuse_example
from memory.mending.spoken_wishes import Spoken
from memory.mending.wishes import LONGEST_WISH, others_wish_in, own_words
from memory.models import MendingVerb
from providers.llm.json_text import extract_json_text

MOST_WISHES = 10  # of one batch; more are refused, visibly


def reported_wishes(answers: Iterable[str], given: IngestionInput) -> tuple[list[Spoken], list[Operation]]:
    """The wishes in all answers about one input, without duplicates; and the refused ones, with reasons."""
    spoken: dict[tuple[object, ...], Spoken] = {}
    refusals: list[Operation] = []
    for item in (item for answer in answers for item in _wishes_of(answer)):
        try:
            wish = _understood(item, given)
            if len(spoken) >= MOST_WISHES:
                raise RefusedItem(f"a reading may report {MOST_WISHES} wishes")
            spoken.setdefault((wish.verb, wish.message_id, wish.what.casefold()), wish)
        except RefusedItem as refusal:
            refusals.append(refused(item, str(refusal), given))
    return list(spoken.values()), refusals


def _wishes_of(answer: str) -> list[Any]:
    try:
        found = json.loads(extract_json_text(answer))
    except (ValueError, RecursionError):  # reported when the operations are parsed
        return []
    wishes = found.get("wishes") if isinstance(found, dict) else None
    return wishes if isinstance(wishes, list) else []


def _understood(item: Any, given: IngestionInput) -> Spoken:
    if not isinstance(item, dict):
        raise RefusedItem("is not an object")
    verb = item.get("kind")
    if verb not in MendingVerb.values:
        raise RefusedItem(f"kind is {verb!r:.40}; known: {', '.join(MendingVerb.values)}")
    asking = [given.messages[number - 1] for number in cited_messages(item, given)]
    own = [message for message in asking if message.role == "user"]
    if not own:
        raise RefusedItem("only the person may ask for it")
    what = " ".join(cleaned(item.get("what")).split())
    if not what or len(what) > LONGEST_WISH:
        raise RefusedItem(f"what has to be a text of at most {LONGEST_WISH} characters")
    refuse_example(what, item, given)
    if verb == MendingVerb.FORGET and _only_quoted(what, own[-1].content):
        raise RefusedItem("only what the person quotes asks for it")
    return Spoken(own[-1].id, verb, what, text_of(item, "to") if verb == MendingVerb.CORRECT else "")


def _only_quoted(what: str, said: str) -> bool:
    """Return whether only a quotation in a message asks, for that or for what the person's own words don't speak of:
    the model may report in any words what it was told to do.
    """
    others = others_wish_in(said)
    if others is None:
        return False
    return share_said(what, others) >= HARDLY or not share_said(what, own_words(said), of_nothing=0)
