"""Pictures of what was measured, as SVG.

matplotlib is in the peers' environment only, so this file draws there, as a program: it reads a picture as JSON from
its standard input. Where that environment is missing there are no pictures.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
COLOURS = ("#2f6f8f", "#c8663f", "#5b8c5a", "#8a6fb0", "#b08f3c", "#7a7a7a")
_LOOK = {
    "font.size": 10,
    "svg.hashsalt": "rapport",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_MOST_NAMES = 4  # of lines within a panel; more of them would lie on the lines


@dataclass(frozen=True, slots=True)
class Line:
    """`low` and `high`: the range of the rounds; empty where there is none."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    x: str
    y: str = ""
    lines: list[Line] = field(default_factory=list)
    logarithmic: str = ""  # "x", "y" or "xy"


def draw(title: str, panels: Sequence[Panel], file: Path) -> Path | None:
    """The file that was written, the panels side by side; None where it can't be drawn."""
    if not PEERS_PYTHON.exists():
        return None
    told = json.dumps({"title": title, "panels": [asdict(panel) for panel in panels], "file": str(file)})
    done = subprocess.run([PEERS_PYTHON, __file__], input=told, text=True, capture_output=True)
    if done.returncode:
        print(f"No picture of {title}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return file


def main() -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    told = json.load(sys.stdin)
    pyplot.rcParams.update(_LOOK)
    panels = told["panels"]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    size = (6.5 * columns, 3.8 * rows + 0.4)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for axis, panel in zip(axes.flat, panels, strict=False):
        _fill(axis, panel)
        axis.set_title(panel["title"], loc="left", fontsize=10)
        axis.set_xlabel(panel["x"])
        axis.set_ylabel(panel["y"])
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    figure.suptitle(told["title"], x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    figure.savefig(told["file"], metadata={"Date": None})


def _fill(axis: Any, panel: dict[str, Any]) -> None:
    for place, line in enumerate(panel["lines"]):
        colour, dash = COLOURS[place % len(COLOURS)], "-" if place < len(COLOURS) else "--"
        mark = "o" if len(line["x"]) <= 20 else ""
        axis.plot(line["x"], line["y"], mark + dash, color=colour, label=line["name"], linewidth=1.6)
        if line["low"]:
            axis.fill_between(line["x"], line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
    axis.grid(color="#e6e6e6")
    if "x" in panel["logarithmic"]:
        axis.set_xscale("log")
    if "y" in panel["logarithmic"]:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    if len(panel["lines"]) > _MOST_NAMES:
        axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))  # beside them
    elif len(panel["lines"]) > 1:
        axis.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    main()
