"""`manage.py distribute` on a database that is filled, refused, killed in the middle, and done."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from relationships.ids import relationship_id, uuid7
from scripts import citus
from tests.acceptance.processes import ROOT, free_port
from tests.fixtures.distributed import SHARDS, only_distributed
from upkeep.erasure.relationships import owned_models

pytestmark = only_distributed
PEOPLE = int(os.environ.get("RAPPORT_CITUS_PEOPLE", 200))
NAME = "rapport_filled"
# Everybody is like the person of the demo: an ID of a row is one of its own relationship only.
_PEOPLE = """
INSERT INTO relationships_enduser SELECT (jsonb_populate_record(u, jsonb_build_object(
       'id', n.person, 'external_id', n.person))).*
  FROM relationships_enduser u, unnest(%(people)s::uuid[]) n (person)
"""
_PAIRS = """
INSERT INTO relationships_relationship SELECT (jsonb_populate_record(r, jsonb_build_object(
       'id', n.pair, 'user_id', n.person))).*
  FROM relationships_relationship r, unnest(%(people)s::uuid[], %(pairs)s::uuid[]) n (person, pair)
"""
# What a demo does not leave behind; what the world leaves to others is done or mended after it.
_MORE = """
from hashlib import sha256
from knowledge.models import Document, DocumentFile
from relationships.models import Relationship
from tests.integration.api.world import build_world
from upkeep.verification import verify

build_world(Relationship.objects.get())
DocumentFile.objects.create(document=Document.objects.get(), content=b"Words.")
Document.objects.update(sha256=sha256(b"Words.").digest(), size=6)
verify(repair=True)
"""
_ROWS = """
INSERT INTO {table} SELECT (jsonb_populate_record(t, jsonb_build_object('relationship_id', n.pair))).*
  FROM {table} t, unnest(%(pairs)s::uuid[]) n (pair)
"""


class Place:
    """A database of its own on the nodes, and the commands on it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "RAPPORT_PROCESS": "",
            "RAPPORT_LLM_PROVIDER": "offline",
            "RAPPORT_DATA_DIR": str(folder),
            "RAPPORT_SECRET_KEY": "a key for tests only, long enough for every check",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str, fails: bool = False) -> str:
        process = self.start(*arguments)
        said, _ = process.communicate(timeout=900)
        assert bool(process.returncode) is fails, said
        return said

    def ask(self, question: str) -> Any:
        with psycopg.connect(self.url) as server:
            row = server.execute(question.encode()).fetchone()
            return row and row[0]

    def counts(self) -> dict[str, int]:
        return {
            name: self.ask(f"SELECT count(*) FROM {name}") for name in ("relationships_relationship", *OWNED)
        }


EMPTY = {"chat_toolcall", "memory_replay", "memory_embedding", "memory_decayedvector"}
OWNED = [model._meta.db_table for model in owned_models()]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """One conversation of the demo with something of everything, and so many people who have the same."""
    citus.drop_database(citus.FOLDER, NAME)
    place = Place(citus.start(citus.FOLDER, NAME), tmp_path)
    try:
        place.run("migrate")
        place.run("demo", "--port", str(free_port()))
        place.run("stop")
        place.run("shell", "--no-imports", "-c", _MORE)
        people = [uuid7() for _ in range(PEOPLE)]
        companion = place.ask("SELECT companion_id FROM relationships_relationship")
        told = {"people": people, "pairs": [relationship_id(companion, person) for person in people]}
        with psycopg.connect(place.url) as server:
            server.execute("SET session_replication_role = replica")
            for statement in (_PEOPLE, _PAIRS, *(_ROWS.format(table=table) for table in OWNED)):
                server.execute(statement.encode(), told)
        yield place
        place.run("stop")
    finally:
        citus.drop_database(citus.FOLDER, NAME)


def test_a_filled_database_is_distributed_though_somebody_is_killed_in_the_middle(
    place: Place,
) -> None:
    before = place.counts()
    assert before.pop("relationships_relationship") == PEOPLE + 1
    assert {table for table, rows in before.items() if rows <= PEOPLE} == EMPTY

    with closing(psycopg.connect(place.url, application_name="rapport-web")):
        assert "stop web and worker" in place.run("distribute", fails=True)
        # How long the service has to stop is asked while it goes on.
        said = place.run("distribute", "--dry-run")
        assert "s of maintenance" in said and "stop web and worker" in said, said
    assert place.ask("SELECT count(*) FROM pg_dist_partition") == 0

    with place.start("distribute", "--shards", str(SHARDS)) as killed:
        assert killed.stdout
        for line in killed.stdout:
            if line.startswith("memory_searchtext"):
                killed.send_signal(signal.SIGKILL)
    done = place.ask("SELECT count(*) FROM pg_dist_partition")
    assert 10 < done < len(OWNED) + 12
    assert "begun but not finished" in place.run("distribute", "--status")

    said = place.run("distribute", "--shards", str(SHARDS))

    assert "All holds:" in said, said
    assert before.items() <= place.counts().items()
    assert place.ask("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND NOT convalidated") == 0
    assert place.ask("SELECT to_regclass('rapport_distribution') IS NULL")
    assert "Every table is distributed" in place.run("distribute")
    place.run("demo", "--port", str(free_port()))
