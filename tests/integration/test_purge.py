"""A person is stored, erased and purged on a server of their own; then every file of the server is searched."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from config.embedded_postgres import database_url
from tests.acceptance.database import own_server

ROOT = Path(__file__).resolve().parents[2]
# In the files of a database nothing else says this.
WORD = "quokkäberg"

STORY = f"""
import django; django.setup()
from datetime import UTC, datetime
from django.db import connection
from memory.retrieval.index.embed import embed_owed
from memory.ingestion.pipeline import drain_relationship
from memory.ingestion.intake import accept_turn
from web.actor import Actor
from relationships.services.companions import create_companion
from relationships.services.profiles import replace_profile
from relationships.services.projects import create_project
from relationships.services.relationships import get_or_create_relationship
from relationships.services.sessions import patch_session
from relationships.services.turns import NewMessage, NewTurn
by, word = Actor.policy("test"), {WORD!r}
project = create_project(name="Test", by=by)
vectors = {{"retrieval": {{"embedder": "offline", "embed_messages": True}}}}
create_companion(project_id=project.id, slug="ada", name="Ada", by=by, config=vectors)
pair, _ = get_or_create_relationship(
    project_id=project.id, companion="ada", user=word, display_name=word.title(), by=by
)
replace_profile(relationship=pair, data={{word: [word]}}, by=by)
patch_session(relationship=pair, session=word, patch={{"state": word}}, idle_minutes=0)
for number in range(20):
    said = NewMessage("user", f"I live in {{word}} {{number}}, and I like {{word}}.", speaker=word)
    accept_turn(relationship=pair, new=NewTurn([said], session=word, occurred_at=datetime.now(UTC)))
drain_relationship(relationship_id=pair.id, worker="test")
embed_owed(relationship_id=pair.id)
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM memory_scratchpadentry WHERE content ILIKE %s", [f"%{{word}}%"])
    assert cursor.fetchone()[0], "nothing was remembered"
    cursor.execute("ANALYZE")  # so that the planner's statistics have samples
    cursor.execute("CHECKPOINT")  # so that the files have what memory has
print(project.id, pair.user_id)
"""
ERASURE = """
import django; django.setup()
import sys
from uuid import UUID
from upkeep.erasure.relationships import erase_user
from web.actor import Actor
print(dict(erase_user(project_id=UUID(sys.argv[1]), user_id=UUID(sys.argv[2]), by=Actor.policy("test"))))
"""


class OwnService:
    """Rapport on a data folder of its own. Everything that its processes say goes to one log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "postgres"
        self.log = folder / "service.log"

    def run(self, *command: str) -> str:
        environment = {
            **os.environ,
            "RAPPORT_DATA_DIR": str(self.folder),
            "RAPPORT_LLM_PROVIDER": "offline",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "RAPPORT_PROCESS": "command",
        }
        environment.pop("DATABASE_URL", None)
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        with self.log.open("a") as log:
            log.write(done.stdout + done.stderr)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def do(self, *statements: str) -> None:
        with psycopg.connect(database_url(self.data, name="rapport"), autocommit=True) as session:
            for statement in statements:
                session.execute(statement.encode())

    def vectors(self) -> set[bytes]:
        """Every vector, as the server's files hold it: from its first number that is not 0, as files are full of zeros."""
        with psycopg.connect(database_url(self.data, name="rapport")) as session:
            rows = session.execute("SELECT vector::text FROM memory_embedding").fetchall()
        return {np.array(json.loads(row[0]), dtype="<f2").tobytes().strip(b"\0") for row in rows}

    def files_with(self, word: str) -> set[str]:
        """Paths below the data folder, the server's own log included."""
        wanted = {word.encode().lower(), word.title().encode().lower(), json.dumps(word)[1:-1].encode()}
        return self._files(lambda held: any(map(held.lower().__contains__, wanted)))

    def files_with_any(self, vectors: set[bytes]) -> set[str]:
        return self._files(lambda held: any(vector in held for vector in vectors))

    def _files(self, tells: Callable[[bytes], bool]) -> set[str]:
        return {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() and tells(path.read_bytes())
        }


@pytest.fixture(scope="module")
def service(migrated_server: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnService]:
    own = OwnService(tmp_path_factory.mktemp("purge"))
    with own_server(own.folder, files=migrated_server):
        yield own


REUSE_THE_LOG = [
    "ALTER SYSTEM SET wal_recycle = 'on'",
    "ALTER SYSTEM SET min_wal_size = '128MB'",
    "SELECT pg_reload_conf()",
]


@pytest.mark.parametrize("settings", [[], REUSE_THE_LOG], ids=["as-embedded", "with-reused-log"])
def test_no_file_holds_a_word_of_who_was_erased_and_purged(settings: list[str], service: OwnService) -> None:
    """And the service works on: the second story is told to a database that was purged."""
    service.do(*settings)
    project_id, user_id = service.run("-c", STORY).split()[-2:]
    vectors = service.vectors()
    # A second segment, so that the first is already set aside for reuse when the purge begins.
    service.do("SELECT pg_switch_wal()", "CHECKPOINT")
    erased = service.run("-c", ERASURE, project_id, user_id)
    left = service.files_with(WORD)
    assert "'end_user': 1" in erased
    assert {name.split("/")[1] for name in left} >= {"base", "pg_wal"}, "erasing alone leaves old bytes"
    assert len(vectors) > 20
    assert {name.split("/")[1] for name in service.files_with_any(vectors)} >= {"base", "pg_wal"}

    said = service.run("manage.py", "purge", "--yes")

    assert service.files_with(WORD) == set()
    assert service.files_with_any(vectors) == set()
    assert "Purged. The database's files hold nothing of what was erased, but where this says so:" in said
    assert "backups" in said
