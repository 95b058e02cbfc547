import pytest
from django.core.management import call_command
from django.db import Error as DatabaseError
from django.db import transaction

from config.postgresql.sessions import execute
from config.postgresql.unusable import why_unusable

pytestmark = pytest.mark.django_db

BEFORE_MIGRATE = "ALTER TABLE django_migrations RENAME TO no_migrations_yet"
OLDER = "DELETE FROM django_migrations WHERE name = '0002_fair_queue'"
NEWER = "INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '0099_what_comes', now())"


def why(command: str, *words: str, **options: object) -> str:
    with pytest.raises(DatabaseError) as raised, transaction.atomic():
        call_command(command, *words, **options)
    return why_unusable(raised.value)


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (BEFORE_MIGRATE, "The database lacks migrations (auth.0001_initial, "),
        (OLDER, "The database lacks migrations (worker.0002_fair_queue). Run manage.py migrate."),
        (
            NEWER,
            "The database is of a newer version (memory.0099_what_comes). Run that, or restore a backup.",
        ),
        ("SELECT 1", "The database lacks columns (config of relationships_project, "),
    ],
    ids=["before migrate", "older", "newer", "lost since then"],
)
def test_a_table_that_is_not_there_is_told_by_the_migrations(history: str, said: str) -> None:
    execute("ALTER TABLE relationships_project RENAME TO elsewhere")
    execute(history)

    told = why("create_project", "My app")

    assert told.startswith(said)


def test_a_session_that_another_program_left_without_a_search_path_is_named() -> None:
    execute("SET LOCAL search_path = ''")

    told = why("create_project", "My app")

    assert (
        told.startswith("The database can't be used: a session's search_path is empty")
        and "RECONNECT" in told
    )


def test_what_the_account_may_not_do_is_told_with_where_to_look() -> None:
    execute("CREATE ROLE guest")
    execute("SET LOCAL ROLE guest")

    assert why("create_project", "My app") == (
        "The database refuses this: permission denied for table relationships_project. "
        "manage.py check --database default says what it lacks."
    )


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE EXTENSION no_such", 'The database refuses this: extension "no_such" is not available. '),
        ("DO $$ BEGIN RAISE 'that join is not supported' USING ERRCODE = '0A000'; END $$", ""),
    ],
    ids=["an extension", "a statement of ours"],
)
def test_what_the_database_lacks_is_no_mistake_of_ours_and_what_it_can_not_do_is(
    statement: str, said: str
) -> None:
    with pytest.raises(DatabaseError) as raised, transaction.atomic():
        execute(statement)

    told = why_unusable(raised.value)
    assert told.startswith(said) and bool(told) == bool(said)
