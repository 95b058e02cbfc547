"""A server in its own network, which can be cut off silently: no packet goes through, and no error is reported."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Self

from scripts import citus

HERE, THERE = "10.77.0.1", "10.77.0.2"
POSSIBLE = os.geteuid() == 0 and shutil.which("ip") is not None
MISSING = "A network of its own takes root, and the command ip."
_START = "import pathlib, sys; from scripts import citus; citus.start_node(pathlib.Path(sys.argv[1]), more=sys.argv[2])"


class CutOff:
    """In the block, the server of these files also answers at THERE. Restart it afterwards."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._name = f"rapport{os.getpid()}"

    def __enter__(self) -> Self:
        citus.stop_node(self._data)
        _ip("netns", "add", self._name)
        _ip("link", "add", self._name, "type", "veth", "peer", "name", "there", "netns", self._name)
        _ip("address", "add", f"{HERE}/30", "dev", self._name)
        _ip("link", "set", self._name, "up")
        _ip("-n", self._name, "address", "add", f"{THERE}/30", "dev", "there")
        self.heal()
        with (self._data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {HERE}/32 trust\n")
        more = f"listen_addresses = '{THERE}'\n"
        _ip("netns", "exec", self._name, sys.executable, "-c", _START, str(self._data), more)
        return self

    def __exit__(self, *_: object) -> None:
        citus.stop_node(self._data, mode="immediate")
        _ip("link", "delete", self._name)
        _ip("netns", "delete", self._name)

    def cut(self) -> None:
        _ip("-n", self._name, "link", "set", "there", "down")

    def heal(self) -> None:
        _ip("-n", self._name, "link", "set", "there", "up")


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], cwd=citus.ROOT, check=True)
