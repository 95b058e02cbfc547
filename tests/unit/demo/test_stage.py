import json
import stat
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from demo.conversation import Conversation, Person, Persona
from demo.rest import Rest
from demo.stage import BY, EMAIL, demo_key, demo_operator, set_up
from relationships.models import (
    ApiKey,
    Companion,
    EndUser,
    Membership,
    Operator,
    Project,
    Relationship,
    Role,
)
from relationships.services.api_keys import revoke_api_key
from relationships.services.turns import NewMessage, NewTurn

TOLD = Conversation(
    user=Person("maya", "Maya", "Europe/Lisbon"),
    companion=Persona("coach", "Coach", "Be kind."),
    turns=[NewTurn([NewMessage("user", "Hi")], occurred_at=datetime(2026, 3, 2, tzinfo=UTC))],
    question="And?",
)


def test_the_key_is_kept_for_its_owner_only_and_used_again(db: None, tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    made = demo_key(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert demo_key(file) == made
    assert Project.objects.count() == 1


def test_a_revoked_key_is_replaced_in_the_same_project(db: None, tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    old = demo_key(file)
    revoke_api_key(project_id=UUID(old.project_id), key_id=UUID(old.key_id), by=BY)

    new = demo_key(file)

    assert new.key != old.key
    assert new.project_id == old.project_id


def test_a_key_of_another_database_is_replaced_with_its_project(db: None, tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    demo_key(file)
    Project.objects.all().delete()

    assert demo_key(file).opens
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(
    "written", ["", "{", "[]", json.dumps({"project_id": "1", "key_id": "2", "key": "3"})]
)
def test_a_file_that_was_spoilt_is_written_anew(written: str, db: None, tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    file.write_text(written)
    assert demo_key(file).opens


def test_the_companion_follows_the_recipe_and_knows_the_language(rest: Rest) -> None:
    set_up(rest, replace(TOLD, companion=replace(TOLD.companion, language="english", recipe="two_call")))

    config = Companion.objects.get().config
    assert config["recipe"] == "two_call"
    assert config["retrieval"] == {"language": "english"}


def test_who_was_here_before_is_erased_first(rest: Rest) -> None:
    first, _ = set_up(rest, TOLD)
    second, forgotten = set_up(rest, TOLD)

    assert forgotten
    assert first != second
    assert [str(found.id) for found in Relationship.objects.all()] == [second]
    assert (Companion.objects.count(), EndUser.objects.count()) == (1, 1)


@pytest.fixture
def project_id(db: None, tmp_path: Path) -> str:
    return demo_key(tmp_path / "demo.json").project_id


def test_the_operator_owns_the_demos_project_and_the_password_is_kept_for_its_owner_only(
    project_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "operator.json"

    made = demo_operator(file, project_id=project_id)

    assert Membership.objects.get(operator__email=EMAIL).role == Role.OWNER
    assert Operator.objects.get().check_password(made.password)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_password_that_was_changed_is_not_told(project_id: str, tmp_path: Path) -> None:
    file = tmp_path / "operator.json"
    demo_operator(file, project_id=project_id)
    operator = Operator.objects.get()
    operator.set_password("another long pass phrase")
    operator.save()

    assert demo_operator(file, project_id=project_id).password == ""


def test_who_was_put_out_is_let_in_again(project_id: str, tmp_path: Path) -> None:
    file = tmp_path / "operator.json"
    made = demo_operator(file, project_id=project_id)
    Membership.objects.all().delete()

    assert demo_operator(file, project_id=project_id) == made
    assert Membership.objects.get().role == Role.OWNER
