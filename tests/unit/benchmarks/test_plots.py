import ast
import json
import sys
from pathlib import Path

import pytest

from benchmarks import plots

PANELS = [plots.Panel("Latency", "minutes", "ms", [plots.Line("context", [1, 2], [3, 4])])]
# Stands for the other environment's Python: it keeps what it was told.
TOLD = "#!{python}\nimport sys, pathlib\npathlib.Path(sys.argv[1] + '.told').write_text(sys.stdin.read())\n"


def test_without_the_environment_there_are_no_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "PYTHON", tmp_path / "nothing")

    assert plots.draw(PANELS, tmp_path / "soak") == []


def test_a_picture_is_drawn_as_png_and_svg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text(TOLD.format(python=sys.executable))
    python.chmod(0o755)
    monkeypatch.setattr(plots, "PYTHON", python)
    monkeypatch.setattr(plots, "PLOTTER", tmp_path / "plotter.py")

    files = plots.draw(PANELS, tmp_path / "soak-1.5")

    told = json.loads((tmp_path / "plotter.py.told").read_text())
    assert [file.name for file in files] == ["soak-1.5.png", "soak-1.5.svg"]
    assert told["files"] == [str(file) for file in files]
    assert told["panels"][0]["lines"][0] == {
        "name": "context",
        "x": [1, 2],
        "y": [3, 4],
        "low": [],
        "high": [],
    }


def test_the_plotter_stands_alone() -> None:
    source = plots.PLOTTER.read_text()

    imported = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert imported == {"typing", "matplotlib"}
