import pytest

from relationships.management.projects import find_project
from relationships.models import Project
from web.errors import InvalidInput


def test_the_only_one_needs_no_name(project: Project) -> None:
    assert find_project(None) == project


@pytest.mark.parametrize("by", ["name", "id"])
def test_it_is_named_by_name_or_id(by: str, project: Project) -> None:
    Project.objects.create(name="Another")

    assert find_project(str(getattr(project, by))) == project


def test_of_several_one_must_be_named(project: Project) -> None:
    Project.objects.create(name=project.name)

    for wanted in (None, project.name):
        with pytest.raises(InvalidInput, match=f"say which one, by its ID: .*{project.id}"):
            find_project(wanted)


def test_a_wrong_name_is_answered_with_those_that_there_are(project: Project) -> None:
    with pytest.raises(InvalidInput, match=f"none called 'Lost'; there are {project.name} .{project.id}"):
        find_project("Lost")


def test_where_there_is_none_the_way_out_is_named(db: None) -> None:
    for wanted in (None, "Lost"):
        with pytest.raises(InvalidInput, match="create_project"):
            find_project(wanted)
