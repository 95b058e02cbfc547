"""Pictures of figures, as PNG and SVG, drawn by matplotlib in an environment of its own (`.venv-peers`)."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
PLOTTER = Path(__file__).with_name("plotter.py")


@dataclass(frozen=True, slots=True)
class Line:
    """`low` and `high`: the range of the rounds, shaded; empty where there is none."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    x: str
    y: str
    lines: list[Line] = field(default_factory=list)
    logarithmic: str = ""  # "x", "y" or "xy"


def draw(panels: Sequence[Panel], stem: Path) -> list[Path]:
    """The files that were written, side by side in one picture; none where matplotlib is not installed."""
    if not PYTHON.exists():
        return []
    files = [stem.with_name(f"{stem.name}{kind}") for kind in (".png", ".svg")]
    told = json.dumps({"panels": [asdict(panel) for panel in panels], "files": [str(file) for file in files]})
    done = subprocess.run([PYTHON, PLOTTER], input=told, text=True, capture_output=True)
    if done.returncode:
        print(f"No pictures: {done.stderr.strip().splitlines()[-1:]}")
        return []
    return files
