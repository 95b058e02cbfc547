"""Draws the panels that it reads from its standard input (plots.py). It stands alone: nothing of ours is installed."""

import json
import sys
from typing import Any

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot

OURS, THEIRS = "#2f6f8f", "#c9b8a0"


def main() -> None:
    told = json.load(sys.stdin)
    pyplot.rcParams.update({"font.size": 10, "svg.hashsalt": "rapport", "axes.spines.top": False})
    pyplot.rcParams.update({"axes.spines.right": False, "axes.grid": False})
    panels = told["panels"]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    bars = max(len(panel["systems"]) for panel in panels)
    size = (7 * columns, rows * (0.36 * bars + 1.1) + 0.4)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for place, axis in enumerate(axes.flat):
        if place < len(panels):
            fill(axis, panels[place])
        else:
            axis.set_visible(False)
    figure.suptitle(told["title"], x=0.01, ha="left", fontweight="bold")
    figure.tight_layout()
    for file in told["files"]:
        figure.savefig(file, dpi=130, metadata={"Date": None} if file.endswith(".svg") else None)


def fill(axis: Any, panel: dict[str, Any]) -> None:
    """A bar each, the first on top, its number beside it."""
    places = list(range(len(panel["systems"])))[::-1]
    colours = [OURS if system.startswith("rapport") else THEIRS for system in panel["systems"]]
    middles = panel["middles"]
    below = [max(0, middle - low) for middle, low in zip(middles, panel["lows"], strict=True)]
    above = [max(0, high - middle) for middle, high in zip(middles, panel["highs"], strict=True)]
    axis.barh(places, middles, color=colours, height=0.66)
    axis.errorbar(middles, places, xerr=[below, above], fmt="none", ecolor="#444444", elinewidth=1, capsize=2)
    if panel["logarithmic"]:
        axis.set_xscale("log")
    for place, middle, high in zip(places, middles, panel["highs"], strict=True):
        text = f"  {middle:,.0f}" if middle >= 100 else f"  {middle:.3g}"
        axis.text(max(middle, high), place, text, va="center", fontsize=9)
    axis.set_yticks(places, panel["systems"])
    left, right = axis.get_xlim()
    axis.set_xlim(left, right * (3 if panel["logarithmic"] else 1.15))
    better = f", {panel['better']} is better" if panel["better"] else ""
    scale = ", logarithmic" if panel["logarithmic"] else ""
    axis.set_title(panel["title"], loc="left", fontsize=10)
    axis.set_xlabel(f"{panel['unit']}{better}{scale}".strip(", "), fontsize=8)


if __name__ == "__main__":
    main()
