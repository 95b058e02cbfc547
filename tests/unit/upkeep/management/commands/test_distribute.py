import pytest
from django.core.management import CommandError, call_command

from tests.fixtures.distributed import DISTRIBUTED


@pytest.mark.django_db
@pytest.mark.skipif(DISTRIBUTED, reason="this database has Citus")
@pytest.mark.parametrize("words", [[], ["--dry-run"]], ids=["distribute", "dry run"])
def test_a_database_without_citus_is_told_what_it_lacks(words: list[str]) -> None:
    with pytest.raises(CommandError, match="This database has no Citus"):
        call_command("distribute", *words)
