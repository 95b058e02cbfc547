"""One world for many tests, such as a walk over all routes: made once per file; what a test changes is rolled back."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from relationships.models import ApiKey, Project, Relationship
from relationships.services.companions import create_companion
from relationships.services.projects import create_project
from relationships.services.relationships import get_or_create_relationship
from tests.fixtures.api import TESTER, Api, new_key
from tests.integration.api.world import World, build_world


class Kept(NamedTuple):
    relationship: Relationship
    world: World


@pytest.fixture(scope="module")
def both(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[Kept]]:
    """Two projects, with the same names in them."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield [_kept("Test project"), _kept("Other project")]
        transaction.set_rollback(True)


@pytest.fixture
def db(both: list[Kept]) -> Iterator[None]:
    """Replaces pytest-django's fixture, which would close the connection with the world's transaction."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def relationship(both: list[Kept], db: None) -> Relationship:
    return Relationship.objects.get(id=both[0].relationship.id)


@pytest.fixture
def project(relationship: Relationship) -> Project:
    return relationship.project


@pytest.fixture
def world(both: list[Kept], db: None) -> World:
    return both[0].world


def used_key(project: Project, *scopes: str) -> str:
    """A key whose use is noted: each request whose effects are rolled back would note it again."""
    key = new_key(project, *scopes)
    ApiKey.objects.filter(project=project).update(last_used_at=timezone.now())
    return key


@pytest.fixture
def api_key(project: Project) -> str:
    return used_key(project, "admin")


@pytest.fixture
def stranger(both: list[Kept], db: None) -> Api:
    """Another project's key, with all scopes there."""
    return Api(used_key(both[1].relationship.project, "admin"))


def _kept(name: str) -> Kept:
    project = create_project(name=name, by=TESTER)
    create_companion(project_id=project.id, slug="ada", name="Ada", by=TESTER)
    relationship, _ = get_or_create_relationship(
        project_id=project.id, companion="ada", user="maya", by=TESTER
    )
    return Kept(relationship, build_world(relationship))


@pytest.fixture(autouse=True)
def nobody_waits(settings: Settings) -> None:
    """Let streams of events end at once."""
    settings.MAX_WAIT_SECONDS = 0
