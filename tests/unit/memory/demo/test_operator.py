import stat
from pathlib import Path

import pytest

from memory.demo.operator import EMAIL, demo_operator
from memory.demo.stage import demo_key
from relationships.models import Membership, Operator, Role


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


def test_the_same_password_is_shown_again(project_id: str, tmp_path: Path) -> None:
    file = tmp_path / "operator.json"

    assert demo_operator(file, project_id=project_id) == demo_operator(file, project_id=project_id)


def test_a_fresh_database_takes_the_password_that_was_kept(project_id: str, tmp_path: Path) -> None:
    file = tmp_path / "operator.json"
    made = demo_operator(file, project_id=project_id)
    Operator.objects.all().delete()

    assert demo_operator(file, project_id=project_id) == made
    assert Operator.objects.get().check_password(made.password)


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
