"""Whom the person's message means without a name, as entries and what was said just before tell."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import chain

from context.facts import Facts
from context.question import Question
from memory.coreference import called, names_in, roles_in
from memory.entries.snapshots import Line, lines_at


def names_meant(
    question: Question, facts: Facts, look_up: Callable[[str], Sequence[tuple[str, str]]], *, now: datetime
) -> list[str]:
    """The names that the question does not have itself: Ines of "my boss", whoever was named just before of "she".

    `look_up` finds entries in the archive, each by its subject and text. It is called at most once, if the list does
    not say who somebody is.
    """
    roles, user = roles_in(f"{question.before}\n{question.text}"), facts.participants.user
    names = names_in(question.before, without=facts.participants.names)
    if roles.all:
        told = _told(lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=now))
        unknown = [role for role in roles.surely if not called(role, told, user=user)]
        if unknown and facts.has_archive:
            known = called(roles.all, told, user=user)  # whose husband it is
            told += look_up(" ".join([*chain(*unknown), *known]))
        names += called(roles.all, told, user=user)
    asked = question.text.casefold()
    return [name for name in dict.fromkeys(names) if name.casefold() not in asked]


def _told(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Whom each line is about, and its text; without those about the person."""
    return [(line[3]["subject"], line[2]) for line in lines if line[3] and "subject" in line[3]]
