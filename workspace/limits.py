"""The limits of a workspace."""

from django.conf import settings

from web.errors import Conflict
from workspace.errors import WorkspaceFull
from workspace.paths import twin_fault
from workspace.trees import Files


def check_limits(files: Files, *, added: object = True) -> None:
    """Raises WorkspaceFull, Conflict."""
    sizes = {path: entry.size for path, entry in files.items()}
    largest = max(sizes, key=sizes.__getitem__, default="")
    for said, count, unit, limit in (
        (f"{largest} would have", sizes.get(largest, 0), "bytes", settings.MAX_FILE_BYTES),
        ("There would be", len(files), "files", settings.MAX_FILES),
        ("The files would have", sum(sizes.values()), "bytes", settings.MAX_WORKSPACE_BYTES),
    ):
        if count > limit:
            raise WorkspaceFull(f"{said} {count} {unit}; {limit} are kept.", limit=limit)
    if added and (said := twin_fault(files)):
        raise Conflict(f"{said}: not every system could keep both.")
