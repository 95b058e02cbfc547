"""Index the messages of a new turn, by the statement that stores them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.models import SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.rows import IndexRow, is_off_the_record, message_row, rows_json
from memory.retrieval.index.segments import pack_messages
from memory.retrieval.index.write import ASKED, WRITTEN, params_of
from relationships.models import Message, Turn, TurnState
from relationships.services.turns import Stored, WrittenBeside
from worker.enqueue import enqueue_embedding


@dataclass(slots=True)
class NewMessages:
    """The messages of one turn. Call `beside` while storing it, then `settle`, under the relationship's row lock."""

    retrieval: Retrieval
    now: datetime
    _rows: list[IndexRow] = field(default_factory=list)

    def beside(self, turn: Turn, messages: Sequence[Message]) -> WrittenBeside:
        """The index rows for the storing statement, which can't read the turn, so that its state is set here."""
        self._rows = [message_row(message, self.retrieval) for message in messages]
        if is_off_the_record(turn):
            self._rows = [replace(row, state=TurnState.SKIPPED.value, owes=False) for row in self._rows]
        own = turn.relationship_id, turn.project_id
        params = params_of(*own, SearchedKind.MESSAGE, self.retrieval, self.now)
        return WrittenBeside(WRITTEN, ASKED, params | {"rows": rows_json(self._rows)})

    def settle(self, stored: Stored) -> None:
        """Pack full segments, and enqueue the embedding, after the rows were written."""
        told, last = stored.answers
        pack_messages(stored.turn.relationship_id, [row.place for row in self._rows], last=last)
        if not told and any(row.owes for row in self._rows):
            enqueue_embedding(stored.turn.relationship_id, project_id=stored.turn.project_id)
