"""Migrations say what they do, and are all there."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from tests.guards.sources import APPS, named, python_files

WELL_NAMED = re.compile(r"\d{4}_[a-z][a-z0-9_]+")
NAMED_BY_DJANGO = re.compile(r"_auto_|_initial$|_and_more$")


def test_a_migration_is_named_for_what_it_does() -> None:
    migrations = [
        path for path in python_files(*APPS) if path.parent.name == "migrations" and path.stem != "__init__"
    ]
    ill_named = [
        named(path)
        for path in migrations
        if not WELL_NAMED.fullmatch(path.stem) or NAMED_BY_DJANGO.search(path.stem)
    ]
    assert migrations
    assert not ill_named, f"Say what it does: makemigrations --name what_it_does. {ill_named}"


@pytest.mark.django_db
def test_the_models_have_all_their_migrations() -> None:
    said = StringIO()
    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=said, stderr=said)
    except SystemExit:
        pytest.fail(f"Models were changed without a migration; run makemigrations.\n{said.getvalue()}")
    assert "No changes detected" in said.getvalue()
