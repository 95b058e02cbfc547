"""Makes `.venv-peers` as pinned in requirements.txt, unless it is up to date.

What can't be installed is left out; the report names it.
"""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def main() -> None:
    folder = PEERS_PYTHON.parent.parent
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return
    print("Making .venv-peers: the peers.", flush=True)
    if not PEERS_PYTHON.exists():
        venv.create(folder, with_pip=True)
    if not _install("--requirement", str(REQUIREMENTS)):
        for line in REQUIREMENTS.read_text().splitlines():
            requirement = line.partition("#")[0].strip()
            if requirement and not _install(requirement):
                print(f"{requirement} can't be installed here; what needs it is left out.", file=sys.stderr)
    stamp.write_text(REQUIREMENTS.read_text())


def _install(*what: str) -> bool:
    pip = [str(PEERS_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, *what]).returncode == 0


if __name__ == "__main__":
    main()
