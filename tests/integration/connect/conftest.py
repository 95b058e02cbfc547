import pytest
from pytest_django.fixtures import Settings

from relationships.models import Project
from tests.fixtures.api import new_key
from tests.fixtures.mem0 import Mem0


@pytest.fixture
def mem0(project: Project, settings: Settings) -> Mem0:
    settings.MEM0 = True
    settings.KEY_RATES = {}
    return Mem0(new_key(project, "admin"))
