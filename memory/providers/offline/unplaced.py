"""Statements that ask for a change of something that is not in sight: they are handed on, to be placed later.

Where facts are extracted first and held against the entries afterwards, "No, I meant Thursday, not Tuesday" has
nothing to mend yet. It is put as a wish to forget, so that it is never kept itself, in words the rules read again.
"""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern

AGAIN = "No, "  # how a statement begins that is to be read again; nobody asks to forget "No, ..."
_CHANGES = pattern(
    r"^(?:I|we) (?:do not have|never said|never told|did not say|have not said|am not|are not)\b"
    r"|\b(?:cancell?ed|called off|postponed|rescheduled|moved to|brought forward|pushed back|put off|did it|made it"
    r"|passed away|died|gave up|stopped|quit|finished|got my|bought the|decided not|changed my mind|\d+ now)\b"
)
_LEAD = pattern(
    r"^.*?\b(?:forget|delete|erase|wipe|remove|clear|scrap|remember(?:ing)?|keep|store|save)\b[\s,:]*"
)


def acts_on_known(said: Clause) -> bool:
    """Whether it may be meant for something that was said before."""
    return said.ended or said.corrects or bool(_CHANGES.search(said.text))


def words_to_place(said: Clause) -> str:
    """What the statement says, so that it can be handed on: `clause_again` reads it."""
    if said.forgets:
        return _LEAD.sub("", said.text).strip(" .!?,") or "that"
    ending = " anymore" if said.ended and not said.formerly else ""
    other = f", not {said.instead_of}" if said.instead_of else ""
    text = re.sub(r"^(I|we) do not ", r"\1 used to ", said.text) if said.formerly else said.text
    return f"{AGAIN}{text}{ending}{other}."


def sentence_again(content: str) -> str:
    """The sentence that `words_to_place` was made from, to be read anew."""
    return content if content.startswith(AGAIN) else f"Please forget {content}."
