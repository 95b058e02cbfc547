"""Draws the panels that it reads from its standard input (plots.py). It stands alone: nothing of ours is installed."""

import json
import sys
from typing import Any

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot

COLOURS = ("#2f6f8f", "#c8663f", "#5b8c5a", "#8a6fb0", "#b08f3c", "#7a7a7a")
MANY = 4  # lines; more of them would lie under their names


def main() -> None:
    told = json.load(sys.stdin)
    pyplot.rcParams.update({"font.size": 10, "svg.hashsalt": "rapport", "axes.spines.top": False})
    pyplot.rcParams.update({"axes.spines.right": False, "axes.grid": True, "grid.color": "#e6e6e6"})
    panels = told["panels"]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(6 * columns, 3.8 * rows), squeeze=False)
    for place, axis in enumerate(axes.flat):
        if place < len(panels):
            fill(axis, panels[place])
        else:
            axis.set_visible(False)
    figure.tight_layout()
    for file in told["files"]:
        figure.savefig(file, dpi=130, metadata={"Date": None} if file.endswith(".svg") else None)


def fill(axis: Any, panel: dict[str, Any]) -> None:
    for place, line in enumerate(panel["lines"]):
        colour, dash = COLOURS[place % len(COLOURS)], "-" if place < len(COLOURS) else "--"
        mark = "o" if len(line["x"]) <= 20 else ""
        axis.plot(line["x"], line["y"], mark + dash, color=colour, label=line["name"], linewidth=1.6)
        if line["low"]:
            axis.fill_between(line["x"], line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
    if "x" in panel["logarithmic"]:
        axis.set_xscale("log")
    if "y" in panel["logarithmic"]:
        axis.set_yscale("log")
    else:
        axis.set_ylim(bottom=0)
    axis.set_title(panel["title"], loc="left", fontweight="bold")
    axis.set_xlabel(panel["x"])
    axis.set_ylabel(panel["y"])
    if len(panel["lines"]) > MANY:
        axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))  # beside them
    elif len(panel["lines"]) > 1:
        axis.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    main()
