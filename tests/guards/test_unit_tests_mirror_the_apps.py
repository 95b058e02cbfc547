"""The unit tests mirror the apps file for file, so that everybody finds a module's test without searching."""

import ast
from pathlib import Path

from tests.guards.covered_elsewhere import COVERED_ELSEWHERE
from tests.guards.sources import DOMAIN, ROOT, named, python_files, tree_of

UNIT = ROOT / "tests" / "unit"
# Declarations: nothing in them runs that a test of its own could see.
DECLARATIONS = {"__init__.py", "apps.py", "urls.py", "health_urls.py"}


def has_verbs(path: Path) -> bool:
    """Whether a module does anything: a function, or a class that is more than fields and constants."""
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(tree_of(path)))


def unit_test_of(path: Path) -> Path:
    place = UNIT / path.relative_to(ROOT)
    return place.with_name(f"test_{place.name}")


def mirrors_a_module(test: Path) -> bool:
    """`test_gemini.py` mirrors `gemini.py` or the package `gemini`; `test_gemini_failures.py` is a part of it."""
    beside = ROOT / test.relative_to(UNIT).parent
    words = test.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
    return any((beside / f"{name}.py").exists() or (beside / name).is_dir() for name in names)


def test_a_unit_test_stands_where_its_module_does() -> None:
    tests = [path for path in python_files("tests/unit") if path.name.startswith("test_")]
    stray = [named(test) for test in tests if not mirrors_a_module(test)]
    assert not stray, f"They mirror no module: move or rename them. {stray}"


def test_a_module_has_its_unit_test_or_says_what_covers_it() -> None:
    modules = [
        path
        for path in python_files(*DOMAIN)
        if path.name not in DECLARATIONS
        and not {"migrations", "models"} & set(path.parts)
        and has_verbs(path)
    ]
    bare = [
        named(path)
        for path in modules
        if not unit_test_of(path).exists() and named(path) not in COVERED_ELSEWHERE
    ]
    assert not bare, (
        "Write tests/unit/<app>/test_<module>.py, or name the test that covers it in "
        f"tests/guards/covered_elsewhere.py: {bare}"
    )


def test_what_is_covered_elsewhere_is_so_still() -> None:
    gone = [module for module in COVERED_ELSEWHERE if not (ROOT / module).exists()]
    doubled = [module for module in COVERED_ELSEWHERE if unit_test_of(ROOT / module).exists()]
    untested = [
        f"{module}: {test}"
        for module, tests in COVERED_ELSEWHERE.items()
        for test in tests.split()
        if not (ROOT / test).exists()
    ]
    assert not (gone or doubled or untested), (
        f"Mend tests/guards/covered_elsewhere.py. Gone: {gone}; has a unit test: {doubled}; no test: {untested}"
    )


def test_a_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in python_files("tests")}
    bare = sorted(named(folder) for folder in folders if not (folder / "__init__.py").exists())
    assert not bare, f"Give each an __init__.py, or two tests of one name clash: {bare}"
