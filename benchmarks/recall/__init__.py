"""`make bench-recall`: is what answers a question among what is found? In the product's own code, on PostgreSQL."""

import os
from pathlib import Path


def data_folder() -> Path:
    """That holds the public sets, which are not part of Rapport."""
    return Path(os.environ.get("RAPPORT_DATA") or "../shared/data")
