"""A project's turns in which something was said."""

from collections.abc import Sequence
from operator import itemgetter
from uuid import UUID

from django.db.models import Q, QuerySet

from admin_ui.paging import PAGE_SIZE
from memory.mending.matching import WithWords
from relationships.models import Message, Turn
from web.pagination import sifted

NEWEST_FIRST = ("-recorded_at", "-id")
MOST_READ = 400_000  # characters of messages that one page looks through


class TurnsWith:
    """Of turns that come in pieces, those in which one message has all the words. `lines`: that message's text."""

    def __init__(self, query: str) -> None:
        self._words = WithWords(None, query, text=itemgetter(1), most=MOST_READ)
        self.lines: dict[UUID, str] = {}

    @property
    def spent(self) -> bool:
        return self._words.spent

    @property
    def takes(self) -> int:
        return max(1, self._words.takes // 2)  # a turn has two messages or more

    def __call__(self, rows: Sequence[Turn]) -> list[Turn]:
        messages = Message.objects.filter(
            relationship_id__in={turn.relationship_id for turn in rows},
            turn_id__in=[turn.id for turn in rows],
            hidden_at=None,
            erased_at=None,
        )
        said = list(messages.order_by("-seq").values_list("turn_id", "content"))
        self.lines |= dict(self._words(said))  # in the end the first of a turn
        return [turn for turn in rows if turn.id in self.lines]


def turns_with(
    turns: QuerySet[Turn], query: str, *, before: Turn | None
) -> tuple[list[Turn], dict[UUID, str], Turn | None]:
    """A page of them, newest first; the text that has the words, by turn; and the turn behind which to go on, if there
    is more to look through.
    """
    if before is not None:
        earlier = Q(recorded_at__lt=before.recorded_at) | Q(recorded_at=before.recorded_at, id__lt=before.id)
        turns = turns.filter(earlier, recorded_at__lte=before.recorded_at)
    sieve = TurnsWith(query)
    found, last = sifted(turns, NEWEST_FIRST, PAGE_SIZE, sieve)
    return found, sieve.lines, last
