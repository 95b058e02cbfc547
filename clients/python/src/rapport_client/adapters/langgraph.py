"""LangGraph: `RapportStore` is a `BaseStore` whose items are entries, so people can see, find and correct them."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, islice
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

from rapport_client.client import Rapport
from rapport_client.errors import Stale
from rapport_client.generated import models as m
from rapport_client.relationship import Relationship

Namespace = tuple[str, ...]
MARK = "langgraph"  # the key of the item in an entry's metadata; tags with it hold the namespace
DEPTH = 9  # labels of a namespace that get a tag each; an entry may have twelve tags
LONGEST_TAG, LONGEST_CONTENT = 200, 4000
MOST_FOUND = 200
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, wanted: value == wanted,
    "$ne": lambda value, wanted: value != wanted,
    "$gt": lambda value, wanted: value is not None and value > wanted,
    "$gte": lambda value, wanted: value is not None and value >= wanted,
    "$lt": lambda value, wanted: value is not None and value < wanted,
    "$lte": lambda value, wanted: value is not None and value <= wanted,
}


class RapportStore(BaseStore):  # type: ignore[misc]
    """`user`: your own ID of the person, or a function from the namespace to it, such as `lambda names: names[1]`.

    An item's value is stored as JSON of at most 16 kB; the entry's content is its text. If the value is one text and
    the entry was corrected later, by a person or a turn, the item has the corrected text. Raises RapportError.
    """

    def __init__(
        self, client: Rapport, *, companion: str, user: str | Callable[[Namespace], str], type: str = "other"
    ) -> None:
        self._client, self._companion, self._user, self._type = client, companion, user, type
        self._known: dict[str, Relationship] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order, or none if one has an invalid namespace."""
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
        return [self._run(op) for op in listed]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._entry(op.namespace, op.key)
            return _item(found) if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        self._put(op)
        return None

    def _put(self, op: PutOp) -> None:
        owner, present = self._owner(op.namespace), self._entry(op.namespace, op.key)
        if op.value is None:
            if present:
                self._client.entries_delete(owner.id, present["id"])
            return
        where = _where(op.namespace, op.key)
        said = _words(op.value, op.index)[:LONGEST_CONTENT] or where
        try:
            self._write(owner, present, op, said)
        except Stale:  # another entry says exactly this
            self._write(owner, present, op, f"{said} ({where})")

    def _write(self, owner: Relationship, present: m.EntryAnswer | None, op: PutOp, said: str) -> None:
        kept = {
            "namespace": list(op.namespace),
            "key": op.key,
            "value": json.dumps(op.value, ensure_ascii=False),
            "said": _digest(said),
            "found": op.index is not False,
        }
        if present:
            self._client.entries_change(owner.id, present["id"], content=said, metadata={MARK: kept})
            return
        tags = {f"{MARK}.item": _tag(_where(op.namespace, op.key))}
        for depth in range(min(len(op.namespace), DEPTH) + 1):
            tags |= _below(op.namespace[:depth])
        owner.add(said, type=self._type, subject="user", tags=tags, metadata={MARK: kept})

    def _entry(self, namespace: Namespace, key: str) -> m.EntryAnswer | None:
        tag = f"{MARK}.item={_tag(_where(namespace, key))}"
        page = self._client.entries_list(self._owner(namespace).id, tag=[tag], limit=1)
        return page["items"][0] if page["items"] else None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        until = op.offset + op.limit
        if op.query:
            most = MOST_FOUND if op.filter else min(until, MOST_FOUND)
            hits = self._owner(op.namespace_prefix).search(
                op.query, top_k=max(most, 1), tags=_below(op.namespace_prefix[:DEPTH])
            )
            found: Iterable[Any] = chain(hits, self._unlike(op.namespace_prefix, hits))
            found = (entry for entry in found if entry["metadata"][MARK]["found"])
        else:
            found = self._entries(op.namespace_prefix)
        items = (_item(entry) for entry in found)
        fitting = (
            item
            for item in items
            if item.namespace[: len(op.namespace_prefix)] == tuple(op.namespace_prefix)
            and all(_fits(item.value.get(name), wanted) for name, wanted in (op.filter or {}).items())
        )
        return list(islice(fitting, op.offset, until))

    def _unlike(self, prefix: Namespace, hits: Sequence[m.EntryHitAnswer]) -> Iterator[dict[str, Any]]:
        """Return the entries that are no hits, with a score of 0: a vector store ranks all of its items."""
        known = {hit["id"] for hit in hits}
        return ({**entry, "score": 0.0} for entry in self._entries(prefix) if entry["id"] not in known)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        prefix = next((tuple(one.path) for one in conditions if one.match_type == "prefix"), ())
        fixed = prefix[: prefix.index("*")] if "*" in prefix else prefix
        found = {_item(entry).namespace for entry in self._entries(fixed)}
        matching = (one for one in found if all(_matches(one, condition) for condition in conditions))
        return sorted({one[: op.max_depth] for one in matching})[op.offset : op.offset + op.limit]

    def _entries(self, prefix: Namespace) -> Iterator[m.EntryAnswer]:
        """Return the entries below the prefix, newest first."""
        tag = [f"{name}={value}" for name, value in _below(prefix[:DEPTH]).items()]
        return self._client.items(self._client.entries_list, self._owner(prefix).id, tag=tag, limit=200)

    def _owner(self, namespace: Namespace) -> Relationship:
        try:
            user = self._user(tuple(namespace)) if callable(self._user) else self._user
        except IndexError:
            raise ValueError(f"The namespace {tuple(namespace)} does not name the person.") from None
        if user not in self._known:
            self._known[user] = self._client.relationship(companion=self._companion, user=user)
        return self._known[user]


def _item(entry: Any) -> SearchItem:
    kept = entry["metadata"][MARK]
    value = json.loads(kept["value"])
    texts = list(_leaves(value))
    if len(texts) == 1 and _digest(entry["content"]) != kept["said"]:
        value = _with_text(value, entry["content"])
    return SearchItem(
        tuple(kept["namespace"]),
        kept["key"],
        value,
        entry["recorded_at"],
        entry["effective_at"],
        entry.get("score"),
    )


def _words(value: Mapping[str, Any], index: Any) -> str:
    """Return a value as text: its only text, or each part with its name. `index`: only the parts at these paths."""
    if index:
        return "; ".join(text for path in index for text in get_text_at_path(value, path))
    parts = list(_leaves(value))
    if len(parts) == 1 and isinstance(parts[0][1], str):
        return parts[0][1].strip()
    return "; ".join(f"{name}: {part}" for name, part in parts)


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part, name)
    elif value is not None:
        yield name, value


def _with_text(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_text(part, text) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_text(part, text) for part in value]
    return text if isinstance(value, str) else value


def _fits(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_OPERATORS[name](value, than) for name, than in wanted.items())
    return isinstance(value, Mapping) and all(_fits(value.get(name), part) for name, part in wanted.items())


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(
        own == label or label == "*" for own, label in zip(part, path, strict=True)
    )


def _where(namespace: Sequence[str], key: str) -> str:
    return f"{'.'.join(namespace)}/{key}"


def _below(prefix: Sequence[str]) -> dict[str, str]:
    """Return the tag of everything below a namespace. Labels contain no period."""
    return {f"{MARK}.{len(prefix)}": _tag(".".join(prefix))}


def _tag(text: str) -> str:
    return text if len(text) <= LONGEST_TAG and text.isprintable() else _digest(text)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
