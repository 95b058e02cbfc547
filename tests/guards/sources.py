"""The project's own files, for the guards to look at. Only what a checkout holds: no environment, no data."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOMAIN = (
    "web",
    "providers",
    "worker",
    "relationships",
    "memory",
    "knowledge",
    "context",
    "summaries",
    "behaviours",
    "chat",
    "connect",
    "workspace",
    "upkeep",
    "demo",
)
APPS = (*DOMAIN, "admin_ui")
CODE = (*APPS, "config")
_NOT_OURS = {"__pycache__", "node_modules", "staticfiles", ".git"}  # .git is a file in a worktree
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    ".json",
    ".html",
    ".css",
    ".js",
    ".svg",
    ".sh",
    ".ini",
}


def python_files(*folders: str) -> list[Path]:
    """Every Python file below these folders of the project; of all of it without any."""
    return sorted(path for path in files(*folders) if path.suffix == ".py")


def text_files() -> list[Path]:
    """Everything that a person may read, Makefile and Dockerfile included."""
    return sorted(path for path in files() if path.suffix in TEXT or not path.suffix)


def files(*folders: str) -> Iterator[Path]:
    for start in [ROOT / folder for folder in folders] if folders else [ROOT]:
        for path in start.iterdir() if start.is_dir() else ():
            if not is_ours(path):
                continue
            if path.is_dir():
                yield from files(named(path))
            elif not path.name.startswith(".env"):
                yield path


def is_ours(path: Path) -> bool:
    """Not so is an environment, under whatever name: the README has one made beside the code."""
    if path.name in _NOT_OURS or (path / "pyvenv.cfg").is_file():
        return False
    return path.name == ".ci" or not path.name.startswith(".") or not path.is_dir()


def named(path: Path) -> str:
    """How a failure calls it: its path inside the project."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def dotted(node: ast.AST) -> str:
    """`a.b.c` for such an expression, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


@cache
def calls(tree: ast.AST) -> list[tuple[str, ast.Call]]:
    """Every call of a plain dotted name, with that name."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(name, node) for node in found if (name := dotted(node.func))]


def text_of(node: ast.AST | None) -> str | None:
    """The value of a text literal; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def imported(tree: ast.AST) -> Iterator[tuple[str, ast.Import | ast.ImportFrom]]:
    """Every module that is imported, by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node
