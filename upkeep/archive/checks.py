"""Check what must fit together in an archive, beyond the shape of single rows. Reads row by row, without a database.

It also collects what must be known about all rows before the first is written.
"""

import hashlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings

from memory.entries.fingerprint import content_hash
from memory.models import EntryState
from relationships.configuration.json_schemas import refuse_misshapen
from relationships.configuration.schema import Configuration
from relationships.services.configuration import check_level
from upkeep.archive.file import ArchiveFile
from upkeep.archive.histories import Histories
from upkeep.archive.other_rows import content_of
from web.errors import MOST_PROBLEMS, FieldProblem, InvalidInput, TooMuch
from workspace.paths import twin_fault

Row = Mapping[str, Any]


@dataclass(slots=True)
class Overview:
    """What an import must know about all rows before the first is written. `numbers`: every seq, in order; `told`: IDs
    of entries that have a history.
    """

    numbers: "array[int]" = field(default_factory=lambda: array("q"))
    told: set[bytes] = field(default_factory=set)
    turns: Counter[str] = field(default_factory=Counter)  # by session
    active: int = 0
    messages: int = 0

    def place_of(self, seq: int) -> int:
        """The index of a number among all, from 0."""
        return bisect_left(self.numbers, seq)


def check_archive(archive: ArchiveFile, *, configuration: Configuration) -> Overview:
    """Check the rows, by the `configuration` that will apply. Raises InvalidInput, InvalidConfiguration."""
    check = _Check(configuration)
    check.head(archive.head)
    histories = Histories(archive, told=check.seen.told)
    told: dict[str, Callable[[int, Row], Iterable[FieldProblem]]] = {
        "turns": histories.turn,
        "revisions": histories.revision,
        "entries": histories.entry,
    }
    rows: dict[str, Callable[[str, Row], None]] = {
        "profile_revisions": check.profile_revision,
        "sessions": check.session,
        "turns": check.turn,
        "revisions": check.revision,
        "entries": check.entry,
        "held_deletions": check.of_a_turn,
        "summaries": check.summary,
        "behaviour_runs": lambda path, row: check.unique(path, row, "behaviour", "occasion"),
        "outbox": lambda path, row: check.unique(
            path, row, "run_id", detail="is there twice: a run queues one message"
        ),
        "files": check.file,
        "model_calls": check.of_a_turn,
    }
    for name, look in rows.items():
        for place, row in archive.check_rows(name, check.problems):
            path = f"{name}.{place}"
            check.known(path, row.get("id"))
            look(path, row)
            if name in told and not check.problems:  # otherwise some rows of histories may be left out
                check.problems += told[name](place, row)
            check.give_up(MOST_PROBLEMS)
        check.give_up(MOST_PROBLEMS)
    check.present_profile(archive.head["profile"])
    if fault := twin_fault(sorted(set(check.files))):
        check.note("files", fault)
    check.give_up(1)
    check.problems += histories.gone()
    check.give_up(1)
    check.seen.numbers = array("q", sorted([*check.seen.numbers, *check.revised]))
    return check.seen


class _Check:
    """The checks of single rows, with a compact memory of those before: there may be a million."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.problems: list[FieldProblem] = []
        self.ids: set[bytes] = set()  # across all tables, so that one is found without knowing its table
        self.once: set[bytes] = set()  # digests of what may be there once
        self.seen = Overview()
        self.turns: set[bytes] = set()
        self.profile: tuple[int, bytes] | None = None  # its last version
        self.files: list[str] = []
        self.file_bytes = 0
        self.configs: set[bytes] = set()
        self.revised: array[int] = array("q")

    def give_up(self, most: int) -> None:
        if len(self.problems) >= most:
            raise InvalidInput.naming(self.problems[:MOST_PROBLEMS])

    def note(self, path: str, detail: str) -> None:
        self.problems.append(FieldProblem(path, detail))

    def unique(self, path: str, row: Row, *columns: str, detail: str = "is there twice") -> None:
        """Check that no other row of the list has the same values in all of these columns."""
        digest = _digest(path.partition(".")[0], *(row[name] for name in columns))
        if digest in self.once:
            self.note(f"{path}.{columns[-1]}", detail)
        self.once.add(digest)

    def known(self, path: str, row_id: UUID | None) -> None:
        if row_id is not None:
            if row_id.bytes in self.ids:
                self.note(f"{path}.id", "this ID stands before")
            self.ids.add(row_id.bytes)

    def head(self, head: Row) -> None:
        if profile := head["profile"]:
            self.ids.add(profile["id"].bytes)
            self.shape("profile.data", self.configuration.profile.json_schema, profile["data"])

    def shape(self, path: str, schema: Any, document: Row) -> None:
        """Check a document against its schema, as a call that writes it would."""
        try:
            refuse_misshapen(schema, document, whole="")
        except InvalidInput as error:
            self.problems += [
                FieldProblem(f"{path}.{line.field}".rstrip("."), line.detail) for line in error.problems
            ]

    def profile_revision(self, path: str, row: Row) -> None:
        self.unique(path, row, "version")
        if self.profile is None or row["version"] > self.profile[0]:
            self.profile = row["version"], _told(row["data"])

    def present_profile(self, row: Row | None) -> None:
        said = (row["version"], _told(row["data"])) if row else None
        if self.profile != said and not self.problems:  # otherwise a version may have been left out
            self.note("profile", "is not what the last of the profile_revisions says")

    def session(self, path: str, row: Row) -> None:
        self.unique(path, row, "session")
        if row["ended_at"] is None and row["state"]:
            self.shape(f"{path}.state", self.configuration.sessions.json_schema, row["state"])

    def turn(self, path: str, row: Row) -> None:
        self.turns.add(row["id"].bytes)
        self.seen.turns[row["session"]] += 1
        self.number(self.seen.numbers, path, row["seq"])
        waits = row["waits_for"] == "session_end" and row["state"] == "pending"
        if waits and _digest("sessions", row["session"]) not in self.once:
            detail = "is not among the sessions, so its end, which the turn waits for, never comes"
            self.note(f"{path}.session", detail)
        self.level(f"{path}.config", row["config"])
        self.seen.messages += len(row["messages"])
        for place, message in enumerate(row["messages"]):
            below = f"{path}.messages.{place}"
            self.known(below, message["id"])
            self.number(self.seen.numbers, below, message["seq"])

    def level(self, path: str, config: Row) -> None:
        """Check a turn's configuration: one that can't be resolved would stop its relationship for ever."""
        if (digest := _told(config)) not in self.configs:
            check_level(config, inside=path)
            self.configs.add(digest)

    def number(self, numbers: "array[int]", path: str, seq: int) -> None:
        """Check that numbers rise: a turn, its messages, the next turn. Revisions rise among themselves."""
        if numbers and seq <= numbers[-1]:
            self.note(f"{path}.seq", f"is not after {numbers[-1]}, which comes before it")
        else:
            numbers.append(seq)

    def entry(self, path: str, row: Row) -> None:
        missing = next((cited for cited in row["source_message_ids"] if cited.bytes not in self.ids), None)
        if missing is not None and not self.problems:  # otherwise it may be one of those left out
            self.note(f"{path}.source_message_ids", f"{missing} is none of the messages")
        if row["state"] != EntryState.ACTIVE:
            return
        self.seen.active += 1
        if self.seen.active > self.configuration.ingestion.max_entries:  # the import will be refused for that
            return
        said = {**row, "content": content_hash(row["content"])}
        detail = "says the same as another active entry"
        self.unique(path, said, "subject", "type", "content", detail=detail)
        if row["single_valued"]:
            detail = "is held by another active entry, and may have one value"
            self.unique(path, row, "subject", "key", detail=detail)

    def revision(self, path: str, row: Row) -> None:
        place = self.seen.place_of(row["seq"])
        if row["seq"] in self.seen.numbers[place : place + 1]:
            self.note(f"{path}.seq", "is a turn's or message's")
        self.number(self.revised, path, row["seq"])

    def of_a_turn(self, path: str, row: Row) -> None:
        name = "turn_ids" if "turn_ids" in row else "turn_id"
        turn_ids = row["turn_ids"] if name == "turn_ids" else [row["turn_id"]]
        known = any(turn_id.bytes in self.turns for turn_id in turn_ids)
        if turn_ids and not known and not self.problems:  # otherwise it may be one of those left out
            self.note(f"{path}.{name}", "is none of the turns")

    def summary(self, path: str, row: Row) -> None:
        self.unique(path, row, "messages", "version")
        if row["messages"] > self.seen.messages and not self.problems:  # otherwise some may be left out
            self.note(f"{path}.messages", f"is more than the {self.seen.messages} messages there are")

    def file(self, path: str, row: Row) -> None:
        self.unique(path, row, "path")
        self.files.append(row["path"])
        self.file_bytes += len(content_of(row))
        for count, unit, limit in (
            (len(self.files), "files", settings.MAX_FILES),
            (self.file_bytes, "bytes of files", settings.MAX_WORKSPACE_BYTES),
        ):
            if count > limit:
                raise TooMuch(f"{path}: there are more than {limit} {unit}.", limit=limit)


def _told(document: Row) -> bytes:
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).digest()


def _digest(*parts: Any) -> bytes:
    """A digest, of 16 bytes, for values that must not occur twice."""
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
