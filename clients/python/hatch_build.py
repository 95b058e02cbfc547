"""Generates the operations when the package is built from a checkout; a source distribution has them already."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedOperations(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        if (here.parent.parent / "docs/reference/openapi.json").exists():
            runpy.run_path(str(here / "generate.py"), run_name="__main__")
