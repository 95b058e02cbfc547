"""`make bench-recall`: how often a search finds what answers a question."""

import os
from pathlib import Path


def data_folder() -> Path:
    """The folder of the public sets, which are not part of Rapport."""
    return Path(os.environ.get("RAPPORT_DATA") or "../shared/data")
