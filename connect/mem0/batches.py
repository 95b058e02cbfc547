"""mem0's batches: one call changes many memories, also of several people, either all of them or none."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from connect.mem0.memories import Given, called, changes_of, good, whole_or_not
from connect.mem0.requests import Refusal, two_ids
from connect.own_api import MOST, Answered, OwnApi

MOST_AT_ONCE = 1000  # memories of a batch, as mem0 has it
_NOT_THERE = "This entry does not exist"


def update_batch(api: OwnApi, given: Given) -> Any:
    """Update the memories. If one is named twice, the later text wins."""
    listed = _listed(given, changes_of)
    named: dict[str, dict[str, tuple[int, Given]]] = defaultdict(dict)
    for place, (relationship, entry, changes) in enumerate(listed):
        _, earlier = named[relationship].get(entry, (place, {}))
        named[relationship][entry] = place, {**earlier, "id": entry, **changes}
    _change_all(api, "bulk-change", {whose: list(parts.values()) for whose, parts in named.items()})
    return {"message": f"Successfully updated {len(listed)} memories"}


def delete_batch(api: OwnApi, given: Given) -> Any:
    listed = _listed(given, dict)
    named: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for place, (relationship, entry, _) in enumerate(listed):
        named[relationship].append((place, entry))
    _change_all(api, "bulk-delete", named)
    return {"message": f"Successfully deleted {len(listed)} memories"}


def _listed(given: Given, read: Callable[[Given], Given]) -> list[tuple[str, str, Given]]:
    """Return the relationship and the entry of each memory, and what is read of it."""
    listed = given.get("memories")
    if not isinstance(listed, list) or len(listed) > MOST_AT_ONCE:
        raise Refusal(400, f"memories: send a list of at most {MOST_AT_ONCE}.")
    found = []
    for place, item in enumerate(listed):
        part = item if isinstance(item, dict) else {}
        try:
            found.append((*two_ids(str(part.get("memory_id", ""))), read(part)))
        except Refusal as refused:
            raise Refusal(refused.status, f"memories.{place}: {refused.detail}") from None
    return found


def _change_all(api: OwnApi, call: str, named: dict[str, list[tuple[int, Any]]]) -> None:
    # Sorted, so that two batches can't wait for each other.
    calls = [
        (f"/relationships/{relationship}/entries/{call}", parts[start : start + MOST])
        for relationship, parts in sorted(named.items())
        for start in range(0, len(parts), MOST)
    ]
    with whole_or_not(api, len(calls)):
        for path, parts in calls:
            places, entries = zip(*parts, strict=True)
            _done(api.post(path, {"entries": entries}), places)


def _done(answered: Answered, places: tuple[int, ...]) -> None:
    """Raises Refusal if the call failed; it names memories by their position in the batch."""
    problems = [] if answered.good else answered.body.get("errors", [])
    if answered.status != 422 or not problems:
        good(answered)
        return
    told = []
    for problem in problems:
        place, _, field = problem["field"].removeprefix("entries.").partition(".")
        told.append(
            ".".join(filter(None, ("memories", str(places[int(place)]), called(field))))
            + f": {problem['detail']}"
        )
    missing = all(problem["detail"].startswith(_NOT_THERE) for problem in problems)
    raise Refusal(404 if missing else 422, "; ".join(told))
