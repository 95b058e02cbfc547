"""Every invariant is described where an operator reads about it."""

from tests.guards.sources import ROOT
from tests.guards.tables import named_in
from upkeep.verification.pipeline import invariants

PAGE = "../how-to/check-a-database.md"


def test_every_invariant_is_described_and_no_other() -> None:
    described = set(named_in(PAGE, under="## What it checks")) - {"invariant"}

    assert described == {invariant.slug for invariant in invariants()}


def test_every_file_of_an_invariant_is_registered() -> None:
    files = (ROOT / "upkeep" / "verification" / "invariants").glob("*.py")
    registered = {type(invariant).__module__ for invariant in invariants()}

    silent = [
        path.stem for path in files if not any(module.endswith(f".{path.stem}") for module in registered)
    ]
    assert silent == ["__init__"], "name it in INVARIANTS of config/registries.py"
