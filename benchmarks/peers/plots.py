"""Pictures of a measure: bars by system, a panel for each line; drawn by matplotlib in the peers' environment."""

import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.peers.findings import Finding, Line
from benchmarks.peers.places import PEERS_PYTHON

DRAWER = Path(__file__).with_name("drawer.py")
MOST = 8  # panels of one picture


def draw(finding: Finding, folder: Path) -> list[str]:
    """The names of the files, PNG first; none where matplotlib is not installed or there is nothing to see."""
    panels = [panel for line in chosen(finding.lines) if (panel := panel_of(line))]
    if not panels or not PEERS_PYTHON.exists():
        return []
    names = [f"{finding.name}{kind}" for kind in (".png", ".svg")]
    asked = {"title": finding.title, "panels": panels, "files": [str(folder / name) for name in names]}
    done = subprocess.run([PEERS_PYTHON, DRAWER], input=json.dumps(asked), text=True, capture_output=True)
    if done.returncode:
        print(f"No picture of {finding.name}: {done.stderr.strip().splitlines()[-1:]}")
        return []
    return names


def chosen(lines: list[Line]) -> list[Line]:
    """Those that differ, medians before tails."""
    telling = [line for line in lines if len({str(values) for values in line.values.values()}) > 1]
    return sorted(telling, key=lambda line: line.name.endswith("p95"))[:MOST]


def panel_of(line: Line) -> dict[str, Any] | None:
    """Its bars, each a median with its range; None where no system has a number."""
    found = [(system, told) for system in line.values if (told := line.spread_of(system)) is not None]
    if not found:
        return None
    middles = [told.middle for _, told in found]
    return {
        "title": line.name,
        "unit": line.unit,
        "better": line.better,
        "systems": [system for system, _ in found],
        "middles": middles,
        "lows": [told.low for _, told in found],
        "highs": [told.high for _, told in found],
        "logarithmic": min(middles) > 0 and max(middles) > 20 * min(middles),
    }
