"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
RESULTS = ROOT / "benchmarks" / "results"
