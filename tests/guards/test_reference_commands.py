"""docs/reference/commands.md names every command of ours with every option, and every target of the Makefile."""

import re
from argparse import ArgumentParser, _SubParsersAction

import pytest
from django.core.management import load_command_class

from tests.guards.sources import CODE, ROOT, python_files
from tests.guards.tables import REFERENCE, named_in

COMMANDS = {
    path.stem: path.relative_to(ROOT).parts[0]
    for path in python_files(*CODE)
    if path.parent.name == "commands" and path.stem != "__init__"
}
# Django's own, which every command takes.
COMMON = {
    "--help",
    "--version",
    "--verbosity",
    "--settings",
    "--pythonpath",
    "--traceback",
    "--no-color",
    "--force-color",
    "--skip-checks",
}


def test_every_command_is_described_and_no_other() -> None:
    text = (REFERENCE / "commands.md").read_text()
    assert set(re.findall(r"^### `manage\.py (\w+)`$", text, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_of_a_command_is_described_and_no_other(name: str) -> None:
    parser = load_command_class(COMMANDS[name], name).create_parser("manage.py", name)
    options = long_options(parser) - COMMON
    described = {
        option
        for option in named_in("commands.md", under=f"### `manage.py {name}`")
        if option.startswith("--")
    }
    assert described == options


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"check"}))
def test_a_command_loads_no_pages_for_checks_before_it_starts(name: str) -> None:
    checks = load_command_class(COMMANDS[name], name).requires_system_checks
    assert checks != "__all__" and "urls" not in checks, "derive it from ServiceCommand"


def test_every_target_of_the_makefile_is_described_and_no_other() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    described = re.findall(r"^\| `make ([a-z-]+)`", (REFERENCE / "commands.md").read_text(), re.MULTILINE)
    assert set(described) == targets - {"help", "venv", "venv-dev"}


def long_options(parser: ArgumentParser) -> set[str]:
    """Of the command and of its actions, such as `database stop`."""
    found: set[str] = set()
    for action in parser._actions:
        found.update(option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, _SubParsersAction):
            for part in action.choices.values():
                found |= long_options(part)
    return found
