"""Small files, small functions: what does not fit on a few screens is more than one thing."""

import ast

from tests.guards.sources import named, python_files, tree_of

MOST_LINES_OF_A_FILE = 300
MOST_LINES_OF_A_FUNCTION = 50

FILES = [path for path in python_files() if not {"migrations", "generated"} & set(path.parts)]


def test_a_file_is_one_thing() -> None:
    lengths = {named(path): len(path.read_text().splitlines()) for path in FILES}
    long = {name: length for name, length in lengths.items() if length > MOST_LINES_OF_A_FILE}
    assert not long, f"Split them: one noun a file, aim for 150 lines. Lines: {long}"


def test_a_function_is_one_verb() -> None:
    long = [
        f"{named(path)}: {node.name} has {length} lines"
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    ]
    assert not long, f"Give their parts names of their own: {long}"


def test_no_class_has_its_own_code_read_when_it_is_made() -> None:
    reading = [
        named(path)
        for path in FILES
        if "use_attribute_docstrings=True" in path.read_text() and "tests" not in path.parts
    ]
    assert not reading, f"Every start waits for it: derive from Described of web/described.py. {reading}"
