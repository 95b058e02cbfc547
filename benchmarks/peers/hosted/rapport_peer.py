"""Rapport's own functions, called in process: build_context() and accept_turn(). Also sets up what HTTP needs.

Its environment (the database, the model server) is set before it starts; a worker of its own remembers the turns.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from benchmarks.peers.hosted.host import Peer, Turn, serve
from benchmarks.peers.shown import shown_in

_COMPANION = "ada"


class Rapport(Peer):
    def start(self, house: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        import django

        django.setup()
        from benchmarks.peers.hosted import rapport_rows as rows
        from context.pipeline import build_context
        from memory.services.turns import accept_turn

        self._rows, self._build_context, self._accept_turn = rows, build_context, accept_turn
        self._relationships: dict[str, Any] = {}
        key = rows.set_up(_COMPANION, house["options"]["config"]) if first else None
        self._companion = rows.companion(_COMPANION)
        return {"pid": os.getpid(), "key": key, "companion": _COMPANION}

    def hand_over(self, user: str, messages: Turn, at: str | None, key: str | None) -> None:
        from memory.services.turns import Idempotency
        from relationships.services.turns import NewMessage, NewTurn

        new = NewTurn(
            messages=[NewMessage(message["role"], message["content"]) for message in messages],
            occurred_at=datetime.fromisoformat(at) if at else datetime.now(UTC),
        )
        once = Idempotency(key, key.encode().ljust(32)[:32]) if key else None
        self._accept_turn(relationship=self._relationship(user), new=new, idempotency=once)

    def fetch(self, user: str, question: str) -> list[str]:
        relationship = self._relationship(user)
        built = self._build_context(
            project_id=relationship.project_id, relationship_id=relationship.id, message=question
        )
        return shown_in(built.system)

    def stored(self, user: str) -> list[str]:
        return self._rows.active_entries(self._relationship(user).id)

    def delete_person(self, user: str) -> None:
        from memory.services.erasure import erase_user

        relationship = self._relationships.pop(user, None) or self._rows.relationship(self._companion, user)
        erase_user(project_id=relationship.project_id, user_id=relationship.user_id, by=self._rows.BY)

    def prepare(self, user: str) -> None:
        self._relationship(user)

    def part(self) -> None:
        from django.db import connections

        connections.close_all()

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        self._rows.load(self._companion, memories)

    def _relationship(self, user: str) -> Any:
        found = self._relationships.get(user)
        if found is None:
            found = self._relationships[user] = self._rows.relationship(self._companion, user)
        return found


if __name__ == "__main__":
    serve(Rapport())
