"""What two people may edit carries a version; whoever bases a change on an older one is told."""

from relationships.errors import StaleVersion


def check_version(*, expected: int | None, current: int) -> None:
    """Call under the row's lock. None: no matter which. Raises StaleVersion."""
    if expected is not None and expected != current:
        raise StaleVersion(
            f"This is version {current} now, not {expected}: read it again.", current_version=current
        )
