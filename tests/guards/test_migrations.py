"""Migrations are all there."""

from io import StringIO

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_the_models_have_all_their_migrations() -> None:
    said = StringIO()
    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=said, stderr=said)
    except SystemExit:
        pytest.fail(f"Models were changed without a migration; run makemigrations.\n{said.getvalue()}")
    assert "No changes detected" in said.getvalue()
