"""Every dotted path of a registry leads to something: a slug whose path leads nowhere fails only once it is used."""

import re
from collections.abc import Iterator

import pytest
from django.utils.module_loading import import_string

from config import registries
from tests.guards.sources import CODE, ROOT, python_files


def paths(value: object) -> Iterator[str]:
    """The dotted paths in a registry, however it holds them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inside in value.values():
            yield from paths(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from paths(inside)


@pytest.mark.parametrize("registry", [name for name in vars(registries) if name.isupper()])
def test_every_path_of_a_registry_can_be_imported(registry: str) -> None:
    found = list(paths(getattr(registries, registry)))
    assert found
    for path in found:
        assert import_string(path) is not None


def test_what_is_enqueued_is_a_task_and_every_task_is_enqueued() -> None:
    """A function that is none would fail in the queue, and would run while its worker is being stopped."""
    enqueued, written = set[str](), set[str]()
    for file in python_files(*CODE):
        source = file.read_text()
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        written |= {f"{module}.{name}" for name in re.findall(r"^@task\ndef (\w+)", source, re.MULTILINE)}
        enqueued |= set(re.findall(r'^(?:TASK = |    enqueue_task\()"([a-z_.]+)"', source, re.MULTILINE))
    assert enqueued == written
