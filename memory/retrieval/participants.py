from dataclasses import dataclass
from uuid import UUID

from memory.models import SearchedKind
from memory.retrieval.names import COMPANION, USER, is_named
from memory.retrieval.statements import NEWEST_SPEAKERS, PARTICIPANTS
from relationships.database import prepared_cursor
from relationships.errors import NotFound


@dataclass(frozen=True, slots=True)
class Participants:
    """Whose conversation it is. `speakers`: further names that messages carry."""

    user: str
    companion: str
    speakers: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the texts were embedded without."""
        return (self.user, self.companion, *self.speakers)

    def is_asked_about(self, who: str, question: str) -> bool:
        """Whether the question names `who`: a speaker or subject, or the role of one without a name of its own."""
        return is_named({USER: self.user, COMPANION: self.companion}.get(who, who), question)


def read_participants(*, project_id: UUID, relationship_id: UUID, kind: SearchedKind) -> Participants:
    """One statement. Raises NotFound, for a relationship of another project too."""
    with prepared_cursor() as cursor:
        cursor.execute(
            PARTICIPANTS,
            {
                "project": project_id,
                "relationship": relationship_id,
                "kind": kind.value,
                "newest": NEWEST_SPEAKERS,
            },
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship is not there.")
    return Participants(row[0], row[1], tuple(row[2] or ()))
