"""Compares plain PostgreSQL with one, two and four nodes of Citus, in alternating rounds over the same people.

All databases are on the same servers on this machine, which do not wait for the disk.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from uuid import UUID

import psutil
import psycopg
from django.core.management import call_command
from django.db import connection, connections
from django.utils import timezone

from benchmarks.report import Figure, Goal, Section, of_ratios, of_rounds
from benchmarks.runner import say
from benchmarks.scale.reads import MESSAGE, Times, timed
from benchmarks.scale.seed import Seeded, seed
from benchmarks.scale.templates import make_templates
from benchmarks.seed import BY
from benchmarks.service import postgres, use_database
from benchmarks.timing import cpu_during, p50
from config.embedded_postgres import database_url, socket_dir
from config.postgresql.replica import REPLICA
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import drain_relationship
from relationships.models import Relationship
from relationships.services.turns import NewMessage, NewTurn
from scripts import citus
from upkeep.distribution.pipeline import distribute
from upkeep.erasure.relationships import erase_relationship
from web.consistency import read_by

PLAIN = "plain"
NODES = {"citus_1": 1, "citus_2": 2, "citus_4": 4}
SHARDS = 8
# As for a caller who says `eventual`: a node is asked directly.
ASKED_OF_A_NODE = "build_context, of a node"
GOALS = {"build_context": Goal(4), "accept_turn": Goal(2), "ingestion": Goal(2)}
_WARM = 20  # calls before those that are counted
_ERASED = 20  # relationships in a round
Cpu = dict[str, dict[str, float]]  # milliseconds of a call, by call and group of servers


class Comparison:
    """The databases: the plain one is filled, the others are distributed copies of it."""

    def __init__(self, servers: Path) -> None:
        self._servers = servers

    def measure(self, *, rounds: int, calls: int) -> Section:
        seeded = self._fill(_WARM + calls + rounds * _ERASED)
        found: dict[str, list[tuple[Times, Cpu]]] = {name: [] for name in (PLAIN, *NODES)}
        for number in range(rounds):
            for name, measured in found.items():
                say(f"round {number + 1}, {name}")
                self._use(name)
                measured.append(self._round(seeded, calls=calls, number=number))
        how = (
            f"{rounds} rounds of {calls} calls of each, {_ERASED} of erase; the places take turns. p50, and its ratio "
            "to the plain one's, round by round; the processor time of a call, of all processes of the servers."
        )
        return Section("Beside plain PostgreSQL", how, list(_figures(found)))

    def _fill(self, count: int) -> Seeded:
        self._on_coordinator(f"CREATE DATABASE {PLAIN}")
        call_command("migrate", verbosity=0)
        patterns = min(20, count)
        seeded = seed(count, patterns=patterns, last_seq=make_templates(patterns))
        for name, nodes in NODES.items():
            say(f"distributing over {nodes}")
            connections.close_all()
            citus.drop_database(self._servers, name)
            self._on_coordinator(f"CREATE DATABASE {name} TEMPLATE {PLAIN}")
            citus.start(self._servers, name, workers=nodes)
            use_database(name)
            distribute(shards=SHARDS, told=lambda _: None)
        return seeded

    def _use(self, name: str) -> None:
        """Connect Django to this database, and to its first node as the replica."""
        use_database(name)
        connections.settings.setdefault(REPLICA, dict(connection.settings_dict))
        node = socket_dir(self._servers / "worker1")
        connections[REPLICA].settings_dict.update(connection.settings_dict, HOST=str(node))

    def _on_coordinator(self, statement: str) -> None:
        with psycopg.connect(database_url(self._servers / "coordinator"), autocommit=True) as server:
            server.execute(statement.encode())

    def _round(self, seeded: Seeded, *, calls: int, number: int) -> tuple[Times, Cpu]:
        """Time each call for the same people. Each round erases other people, the last ones."""
        talking, begin = seeded.relationships[: _WARM + calls], _WARM + calls + number * _ERASED
        people = {person.id: person for person in Relationship.objects.filter(id__in=list(talking))}

        def context(_: int, id: UUID) -> None:
            build_context(project_id=seeded.project_id, relationship_id=id, message=MESSAGE)

        def accept(at: int, id: UUID) -> None:
            said = NewMessage("user", f"I have a sister called Ana{number}x{at} who works as a nurse.")
            accept_turn(relationship=people[id], new=NewTurn([said], timezone.now()))

        def ingest(_: int, id: UUID) -> None:
            assert drain_relationship(relationship_id=id, worker="benchmark").applied == 1

        def erase(_: int, id: UUID) -> None:
            erase_relationship(project_id=seeded.project_id, relationship_id=id, by=BY)

        def ask_node(at: int, id: UUID) -> None:
            _, read = read_by("eventual", partial(context, at, id))
            assert read.database == REPLICA, read.reason

        times: Times = {}
        cpu: Cpu = {}
        asked = {
            "build_context": context,
            ASKED_OF_A_NODE: ask_node,
            "accept_turn": accept,
            "ingestion": ingest,
        }
        if connection.settings_dict["NAME"] == PLAIN:
            del asked[ASKED_OF_A_NODE]
        for what, call in asked.items():
            timed(call, talking[:_WARM])
            times[what], used = cpu_during(self._processes, partial(timed, call, talking[_WARM:]))
            cpu[what] = {where: 1000 * seconds / calls for where, seconds in used.items()}
        times["erase"] = timed(erase, seeded.relationships[begin : begin + _ERASED])
        return times, cpu

    def _processes(self) -> dict[str, list[psutil.Process]]:
        coordinator, *nodes = (self._servers / node for node in citus.NODES)
        return {"coordinator": postgres(coordinator), "nodes": postgres(*nodes)}


def _figures(found: Mapping[str, Sequence[tuple[Times, Cpu]]]) -> Iterator[Figure]:
    plain = [{**times, ASKED_OF_A_NODE: times["build_context"]} for times, _ in found[PLAIN]]
    for what in plain[0]:
        beside = [p50(times[what]) for times in plain]
        if what != ASKED_OF_A_NODE:
            yield of_rounds(f"{what}, plain", beside, "ms")
        for name, nodes in NODES.items():
            taken = [p50(times[what]) for times, _ in found[name]]
            yield of_ratios(f"{what}, {nodes} / plain", taken, beside, GOALS.get(what))
        for name, measured in found.items():
            for where in ("coordinator", "nodes") if name != PLAIN else ("coordinator",):
                if used := [cpu[what][where] for _, cpu in measured if what in cpu]:
                    yield of_rounds(f"{what}, {name}: CPU of the {where}", used, "ms")
