"""Refuse deletions that nobody asked for. Small models delete what was merely not mentioned, and rewrite an entry by
deleting it and adding another, so that things would be forgotten silently.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain
from uuid import UUID

from memory.ingestion.ingestion_input import IngestionInput, InputMessage, ShownEntry
from memory.ingestion.lost_details import names_in, says_name_of
from memory.ingestion.operations import Operation
from memory.ingestion.text_similarity import share_said, unsaid_words
from memory.mending.spoken_wishes import Spoken
from memory.mending.wishes import own_words, wish_in
from memory.models import USER_SUBJECT, MendingVerb
from memory.words import words_of
from relationships.models import MessageRole

UNASKED = "nobody asks to forget it, it is not said to be untrue, and the person does not speak of it"
ANEW = "an addition of this answer says it anew"
TOO_LITTLE = 2  # meaningful words in what the person says
MOST_SUBJECTS = 20  # of other entries, by which a name is known in a script without capitals
HARDLY_ANY = 0.19  # of an entry's words, which any text may have: one of six
# Scripts in which rules hear no wish, from Hebrew to Lao.
_UNHEARD = re.compile("[\u0590-\u0eff\uac00-\ud7af]")
ANOTHER_WORDING = 0.5  # of an entry's words, from which an addition with them replaces it


def leave_what_nobody_asked(
    items: list[Operation], given: IngestionInput, wishes: Iterable[Spoken]
) -> list[Operation]:
    """Correct deletions: an entry that is deleted and added in other words is replaced, and one that the person does
    not speak of stays. Deletions of what was never true are left, as are those that rest on a message that asks to
    forget something; and so many that they will be held, as a person decides on those.
    """
    deletions = _nobodys(items, given, wishes)
    if not deletions:
        return items
    for deletion in deletions:
        if (addition := _anew(deletion, items, given)) is not None:
            remark = f"takes the place of entry {deletion.entry}, which was to be deleted"
            remarks = (*addition.remarks, remark)
            in_place = replace(addition, op="replace", entry=deletion.entry, remarks=remarks)
            items = [
                in_place if item is addition else item.refused(ANEW) if item is deletion else item
                for item in items
            ]
    left = [item for item in items if item in deletions]
    if len(left) > given.ingestion.deletion_hold.most(len(given.entries)):
        return items
    heard = _Heard(given)
    return [item.refused(UNASKED) if item in left and not heard.speaks_of(item) else item for item in items]


def only_spoken_of(
    items: list[Operation], given: IngestionInput, wishes: Iterable[Spoken]
) -> list[Operation]:
    """The deletions that nobody asks for and that stand only because the person speaks of the entry: "Paid it all!"."""
    left = [item for item in leave_what_nobody_asked(items, given, wishes) if item.op == "delete"]
    deletions = _nobodys(left, given, wishes)
    heard = _Heard(given)
    held = len(deletions) > given.ingestion.deletion_hold.most(len(given.entries))
    return [] if held else [item for item in deletions if not heard.points_back(item)]


def _nobodys(items: Iterable[Operation], given: IngestionInput, wishes: Iterable[Spoken]) -> list[Operation]:
    """The deletions that rest on no message that asks to forget something, of what may have been true."""
    deletions = [
        item for item in items if item.op == "delete" and not (item.untrue or item.raw.get("forget"))
    ]
    asking = _asking(given, wishes) if deletions else set()
    return [item for item in deletions if asking.isdisjoint(one.id for one in _near(item, given))]


class _Heard:
    """What is said near deletions. Each message is read once, however many cite it."""

    def __init__(self, given: IngestionInput) -> None:
        self._given = given
        self._subjects = {entry.subject for entry in given.entries if not entry.subject.isascii()}
        self._words = cache(lambda text: len(unsaid_words(text)))
        self._names = cache(names_in)
        self._numbers = cache(_numbers_in)
        self._own_words = cache(own_words)

    def speaks_of(self, deletion: Operation) -> bool:
        """Return whether what is said may justify it: a name or a number of the entry, or hardly any of its words will
        do.
        """
        entry, said = _entry_of(deletion, self._given), self._near(deletion)
        about = "" if entry.subject == USER_SUBJECT else entry.subject
        names = [subject for subject in self._subjects if subject in entry.content][:MOST_SUBJECTS]
        named = says_name_of(map(self._names, said), entry.content, names)
        named = named or not self._numbers(entry.content).isdisjoint(
            chain.from_iterable(map(self._numbers, said))
        )
        return named or share_said(f"{about} {entry.content}", *said) > HARDLY_ANY

    def _near(self, deletion: Operation) -> list[str]:
        """The texts that may justify a deletion: what the person says near it, as of many messages some have a word of
        anything. Also the replies near it and the earlier messages, if the person says too little to be understood
        alone ("Only joking") or may have asked in a language that the rules don't know.
        """
        if not self.points_back(deletion):
            return self._own(deletion)
        near = (*_near(deletion, self._given), *self._given.references)
        return [self._own_words(message.content) for message in near]

    def points_back(self, deletion: Operation) -> bool:
        """Return whether what the person says near it can't be understood alone."""
        own = self._own(deletion)
        little = sum(map(self._words, own)) <= TOO_LITTLE and not any(map(self._numbers, own))
        return little or any(map(_UNHEARD.search, own))

    def _own(self, deletion: Operation) -> list[str]:
        near = _near(deletion, self._given)
        return [self._own_words(message.content) for message in near if message.role == MessageRole.USER]


def _numbers_in(text: str) -> frozenset[str]:
    """The tickets, orders and the like that a text names, in all spellings. A date is none."""
    return frozenset(
        form for word in words_of(text) if word.identifies and word.plain.isalnum() for form in word.forms
    )


def _near(deletion: Operation, given: IngestionInput) -> list[InputMessage]:
    """The new messages that it cites, and those before and after them."""
    near = {place for number in deletion.messages for place in range(number - 2, number + 1)}
    return [message for place, message in enumerate(given.messages) if place in near]


def _asking(given: IngestionInput, wishes: Iterable[Spoken]) -> set[UUID]:
    """The messages that ask to forget something."""
    own = (message for message in given.messages if message.role == MessageRole.USER)
    reported = {wish.message_id for wish in wishes if wish.verb == MendingVerb.FORGET}
    return reported | {message.id for message in own if wish_in(message.content) is not None}


def _anew(deletion: Operation, items: list[Operation], given: IngestionInput) -> Operation | None:
    """The addition that repeats most of the deleted entry, about the same person and citing a common message."""
    entry = _entry_of(deletion, given)
    found = [
        (share_said(entry.content, item.content, own=(given.user_name,), of_nothing=0), item)
        for item in items
        if item.op == "add" and item.strategy == deletion.strategy
        if (item.subject or USER_SUBJECT) == entry.subject and {*item.messages} & {*deletion.messages}
    ]
    share, best = max(found, key=lambda one: one[0], default=(0.0, None))
    return best if share >= ANOTHER_WORDING else None


def _entry_of(item: Operation, given: IngestionInput) -> ShownEntry:
    assert item.entry is not None, "who deletes names an entry"
    return given.entries[item.entry - 1]
