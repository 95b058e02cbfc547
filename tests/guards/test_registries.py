"""Every dotted path of a registry leads to something: a slug whose path leads nowhere fails only once it is used."""

from collections.abc import Iterator

import pytest
from django.utils.module_loading import import_string

from config import registries


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
