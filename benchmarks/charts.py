"""Pictures of what was measured, as SVG: lines, or bars with the range of their rounds.

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
OURS, THEIRS = "#2f6f8f", "#c9b8a0"
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
    """`low` and `high`: the range of the rounds; empty where there is none. Of a bar, each has one value and no x."""

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
    bars: bool = False


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
    height = 1.1 + max(0.36 * len(panel["lines"]) if panel["bars"] else 2.7 for panel in panels)
    size = (6.5 * columns, height * rows + 0.4)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for axis, panel in zip(axes.flat, panels, strict=False):
        (_fill_bars if panel["bars"] else _fill_lines)(axis, panel)
        axis.set_title(panel["title"], loc="left", fontsize=10)
        axis.set_xlabel(panel["x"])
        axis.set_ylabel(panel["y"])
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    figure.suptitle(told["title"], x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    figure.savefig(told["file"], metadata={"Date": None})


def _fill_lines(axis: Any, panel: dict[str, Any]) -> None:
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


def _fill_bars(axis: Any, panel: dict[str, Any]) -> None:
    """A bar each, the first on top, its number beside it."""
    places = list(range(len(panel["lines"])))[::-1]
    names = [line["name"] for line in panel["lines"]]
    middles, lows, highs = ([line[part][0] for line in panel["lines"]] for part in ("y", "low", "high"))
    below = [max(0, middle - low) for middle, low in zip(middles, lows, strict=True)]
    above = [max(0, high - middle) for middle, high in zip(middles, highs, strict=True)]
    colours = [OURS if name.startswith("rapport") else THEIRS for name in names]
    axis.barh(places, middles, color=colours, height=0.66)
    axis.errorbar(middles, places, xerr=[below, above], fmt="none", ecolor="#444444", elinewidth=1, capsize=2)
    if panel["logarithmic"]:
        axis.set_xscale("log")
    for place, middle, high in zip(places, middles, highs, strict=True):
        text = f"  {middle:,.0f}" if middle >= 100 else f"  {middle:.3g}"
        axis.text(max(middle, high), place, text, va="center", fontsize=9)
    axis.set_yticks(places, names)
    left, right = axis.get_xlim()
    axis.set_xlim(left, right * (3 if panel["logarithmic"] else 1.15))


if __name__ == "__main__":
    main()
