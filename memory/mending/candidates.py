"""Texts of a relationship that may say what a wish is about, and where to search. (collecting.py collects them.)"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Left

from config.postgresql.sessions import execute
from memory.aliases import LONGEST_SAYING, MOST_SAYINGS, SAYS_ALIAS
from memory.mending.judging import Judgement, Verdict
from memory.mending.wishes import Wish, read_wish
from memory.models import EntryState, ScratchpadEntry
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import config_of
from memory.words import words_of
from relationships.configuration.plugins import load
from relationships.models import Message, Relationship

_STEMS = """
SELECT word, (SELECT array_agg(DISTINCT stem) FROM pg_ts_dict d, unnest(ts_lexize(d.oid::regdictionary, word)) stem
               WHERE d.dictname = ANY(%(dictionaries)s) AND d.dictnamespace = 'pg_catalog'::regnamespace)
  FROM unnest(%(words)s::text[]) word
"""


@dataclass(slots=True)
class Candidate:
    """A text that may say it. `rest`: what stays of it, if it also says something else; None: all of it goes.

    `speaker`: the name on a message. `place`: where it is, such as a file's path. `fixed`: why it can't be changed.
    `cites`: an entry's messages. `version`: an entry's version. `asks`: a message that asks for it, or repeats it in
    the reply, so that it goes, too. `past`: an entry that is no longer valid. `hidden`: it is shown nowhere any more,
    and can only be erased. `near`: its rank in a search for the wish.
    """

    kind: str
    id: UUID
    text: str
    judgement: Judgement = field(default_factory=lambda: Judgement(Verdict.NOT, 0.0, ""))
    subject: str = ""
    role: str = ""
    speaker: str = ""
    turn_id: UUID | None = None
    seq: int = 0
    version: int = 0
    cites: Sequence[UUID] = ()
    rest: str | None = None
    ticked: bool = False
    fixed: str = ""
    asks: bool = False
    past: bool = False
    hidden: bool = False
    near: int | None = None
    told_at: datetime | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where and how to search for a wish. `asked_by`: the message that asks; only what was said before is searched.
    `reported`: by a model that read it; otherwise rules found it, and the judging model may see that it asks for
    nothing. `hidden`: also search what is hidden already, to erase it. `share`: of what may be read for one wish.
    """

    relationship: Relationship
    wish: Wish
    owners: tuple[str, ...]
    asked_by: Message | None = None
    reported: bool = True
    hidden: bool = False
    share: float = 1.0

    @property
    def said(self) -> str:
        """The message that asks, if only rules found that it does."""
        return self.asked_by.content if self.asked_by is not None and not self.reported else ""

    @property
    def asker(self) -> str:
        """Who asks, if that is somebody else than the person."""
        return self.other(self.asked_by.speaker) if self.asked_by is not None else ""

    def other(self, speaker: str) -> str:
        """A speaker's name; "" if that is the person."""
        return "" if speaker.casefold() in {"", *(name.casefold() for name in self.owners)} else speaker


class Forgettable:
    """A kind of text that a wish may be about. `hide` returns which IDs it found. It and `restore` run under the
    relationship's lock, without IDs if the plan has only other kinds. `erase` runs inside an erasure, too, so that it
    may change append-only tables. A kind whose candidates are all `fixed` needs none of the three.
    """

    kind: ClassVar[str]

    def find(self, scope: Scope) -> Iterable[Candidate]:
        raise NotImplementedError

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        return set()

    def restore(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        pass

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        pass


def forgettables() -> list[Forgettable]:
    return [load("FORGETTABLE", slug)() for slug in settings.FORGETTABLE]


def stems_of(relationship_id: UUID, texts: Iterable[str]) -> dict[str, Sequence[str]]:
    """The stems of the plain words in these texts, in the relationship's language and in English."""
    return stems_in(language_of(relationship_id), texts)


def sayings_of(relationship_id: UUID) -> list[str]:
    """The relationship's entries that may say that two names are one person's."""
    owned = ScratchpadEntry.objects.for_relationship(relationship_id).filter(
        state=EntryState.ACTIVE, content__regex=SAYS_ALIAS
    )
    said = owned.order_by("-effective_at").values_list(Left("content", LONGEST_SAYING), flat=True)
    return list(said[:MOST_SAYINGS])


def language_of(relationship_id: UUID) -> str:
    """One statement."""
    config = config_of(relationship_id)
    return language_in(config.retrieval if config else None)


def language_in(retrieval: Retrieval | None) -> str:
    return (retrieval and retrieval.language) or "english"


def stems_in(language: str, texts: Iterable[str], *, alone: bool = False) -> dict[str, Sequence[str]]:
    """The stems in a language and, unless it is wanted `alone`, in English. A stop word has none. One statement."""
    words = {form for text in texts for word in words_of(text) if not word.identifier for form in word.forms}
    dictionaries = [f"{language}_stem", *([] if alone else ["english_stem"])]
    asked = {"dictionaries": dictionaries, "words": sorted(words)}
    return {word: stems or () for word, stems in execute(_STEMS, asked)}


def scope_of(
    relationship: Relationship,
    what: str,
    *,
    asked_by: Message | None = None,
    reported: bool = True,
    hidden: bool = False,
    share: float = 1.0,
) -> Scope:
    user = relationship.user
    names = tuple(name for name in (user.display_name, user.external_id) if name)
    wish = read_wish(what, names)
    return Scope(relationship, wish, names, asked_by, reported, hidden and not wish.last, share)
