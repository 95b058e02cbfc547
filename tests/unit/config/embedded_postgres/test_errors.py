import pytest

from config.embedded_postgres import errors
from config.embedded_postgres.errors import EmbeddedPostgresError, WrongMajorVersionError, advice_for

FIELDS = {
    name: f"<{name}>"
    for name in (
        "account", "advice", "brought", "data_dir", "found", "log_file", "pid", "places", "programs",
        "reason", "seconds", "tail", "way_out",
    )
}  # fmt: skip


@pytest.mark.parametrize("kind", EmbeddedPostgresError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_every_error_fills_its_message_and_names_a_way_out(kind: type[EmbeddedPostgresError]) -> None:
    message = str(kind(**FIELDS))

    assert "{" not in message
    assert "DATABASE_URL" in message or "manage.py database" in message


def test_the_tree_in_the_module_names_every_error() -> None:
    missing = [
        k.__name__ for k in EmbeddedPostgresError.__subclasses__() if k.__name__ not in str(errors.__doc__)
    ]

    assert missing == []


def test_another_major_version_comes_with_the_steps_to_upgrade() -> None:
    message = str(WrongMajorVersionError(**FIELDS | {"found": "17", "brought": 18}))

    assert message.index("pg_dump --format=custom") < message.index("mv <data_dir> <data_dir>-17")
    assert message.index("mv <data_dir>") < message.index("pg_restore --no-owner")


@pytest.mark.parametrize(
    ("output", "way_out"),
    [
        ("could not write to file: No space left on device", "Free some space"),
        ("initdb: error: could not look up effective user ID 1234", "/etc/passwd"),
        ("could not resize shared memory segment", "--shm-size"),
        ("FATAL: something new", "Mend what the last lines name"),
    ],
    ids=["disk full", "no such user", "small /dev/shm", "anything else"],
)
def test_advice_fits_what_the_program_said(output: str, way_out: str) -> None:
    assert way_out in advice_for(output)
