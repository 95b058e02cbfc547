"""docs/reference/settings.md names every environment variable that is read, with its default; and no other."""

import ast
from collections.abc import Iterator

from tests.guards.sources import CODE, ROOT, calls, python_files, text_of, tree_of
from tests.guards.tables import named_in

READERS = (
    "env.text",
    "env.flag",
    "env.whole",
    "env.seconds",
    "env.amount",
    "env.listing",
    "env.hosts",
    "env.origins",
    "env.one_of",
    "env.json_object",
    "env.parsed",
    "os.environ.get",
    "os.getenv",
)
# Others' variables, which we read for what they mean everywhere.
THEIRS = {"DJANGO_SETTINGS_MODULE", "PATH", "TMPDIR"}


def read_variables() -> Iterator[tuple[str, ast.expr | None]]:
    """Every variable that the settings, the start-up or the tests read, with the expression of its default."""
    for path in [*python_files("config", "tests", "benchmarks"), ROOT / "manage.py"]:
        for name, call in calls(tree_of(path)):
            variable = text_of(call.args[0]) if name in READERS and call.args else None
            if variable and (path.is_relative_to(ROOT / "config") or variable.startswith("RAPPORT_")):
                yield variable, call.args[1] if len(call.args) > 1 else None


def test_every_variable_that_is_read_is_described_and_no_other() -> None:
    read = {variable for variable, _ in read_variables()} - THEIRS
    described = set(named_in("settings.md")) - set(named_in("settings.md", under="## Checks"))
    assert read - described == set(), "settings.md does not say what these are for"
    assert described - read == set(), "settings.md describes variables that nobody reads"


def test_the_defaults_are_those_of_the_code() -> None:
    described = named_in("settings.md")
    wrong = [
        f"{variable}: {described[variable][1]}, the code has {default.value!r}"
        for variable, default in read_variables()
        if variable in described and isinstance(default, ast.Constant) and default.value not in ("", None)
        if described[variable][1] != f"`{_shown(default.value)}`"
    ]
    assert not wrong, f"settings.md gives other defaults: {wrong}"


def test_every_system_check_is_described_and_no_other() -> None:
    ids = {
        given
        for path in python_files(*CODE)
        if path.name == "checks.py"
        for name, call in calls(tree_of(path))
        for keyword in call.keywords
        if name in ("Error", "Warning", "Info") and keyword.arg == "id" and (given := text_of(keyword.value))
    }
    assert set(named_in("settings.md", under="## Checks")) == ids


def _shown(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
