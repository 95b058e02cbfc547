"""How two statements stand to each other."""

from enum import Enum

from memory.providers.offline.slots import Slot

# Of these a person has one at a time.
_SINGLE = frozenset(
    "city home household name surname age birthday birthplace birthyear origin timezone diet partner".split()
)


class Relation(Enum):
    """What a new statement is to an old one."""

    NONE = "has nothing to do with it"
    SAME = "says nothing new"
    REPLACES = "contradicts or refines it"


def compare(new: Slot, old: Slot) -> Relation:
    """How `new` stands to `old`."""
    if new.kind == old.kind:
        return _COMPARERS.get(new.kind, _free)(new, old)
    if new.kind == "attitude" and new.value == "dislike" and old.kind == "prefer":
        return Relation.REPLACES if " ".join(sorted(new.about)) == old.value else Relation.NONE
    if {new.kind, old.kind} == {"person", "people"}:
        return _counted_and_named(new, old)
    return Relation.NONE


def _single(new: Slot, old: Slot) -> Relation:
    return Relation.SAME if new.value == old.value else Relation.REPLACES


def _name(new: Slot, old: Slot) -> Relation:
    """ "Name is Samantha, goes by Sam" knows that the name is Samantha."""
    return Relation.SAME if old.value.split(",")[0] == new.value else _single(new, old)


def _about(new: Slot, old: Slot) -> Relation:
    if not new.about or new.about != old.about:
        return Relation.NONE
    return _single(new, old)


def _health(new: Slot, old: Slot) -> Relation:
    if not new.about or new.about != old.about:
        return Relation.NONE
    return (
        Relation.SAME if new.value.startswith("not ") == old.value.startswith("not ") else Relation.REPLACES
    )


def _person(new: Slot, old: Slot) -> Relation:
    if new.about != old.about:
        return Relation.NONE
    if new.value == old.value or (not new.value and old.value):
        return Relation.SAME
    return Relation.NONE if old.value else Relation.REPLACES


def _people(new: Slot, old: Slot) -> Relation:
    if new.about != old.about:
        return Relation.NONE
    return Relation.SAME if old.value.startswith(new.value) else Relation.REPLACES


def _counted_and_named(new: Slot, old: Slot) -> Relation:
    """ "Has two kids, Leo and Mia" knows that there is a kid named Leo."""
    if new.kind == "person" and new.about == old.about and (not new.value or new.value in old.value):
        return Relation.SAME
    return Relation.NONE


def _partner(new: Slot, old: Slot) -> Relation:
    vague = ("wife", "husband", "partner", "girlfriend", "boyfriend", "spouse", "is married")
    if new.value == old.value or (
        new.value in vague and not old.value.startswith(("is single", "broke up", "got divorced"))
    ):
        return Relation.SAME
    return Relation.REPLACES


def _work(new: Slot, old: Slot) -> Relation:
    """A role and an employer stand beside each other; which one a new job replaces is for the rule to say."""
    if new.value in old.value:
        return Relation.SAME
    return Relation.REPLACES if new.value[:9] == old.value[:9] == "works in " else Relation.NONE


def _move(new: Slot, old: Slot) -> Relation:
    return _single(new, old) if new.about and new.about == old.about else Relation.NONE


def _free(new: Slot, old: Slot) -> Relation:
    """Statements of no known kind: one that says less is nothing new, one that says the same and more refines."""
    if not new.about or not old.about:
        return Relation.NONE
    if new.about == old.about:
        return _single(new, old)
    if len(new.about) >= 2 and new.about < old.about and new.kind == "goal":
        return Relation.SAME
    if len(old.about) * 2 >= max(4, len(new.about)) and old.about < new.about and new.kind == "goal":
        return Relation.REPLACES
    return Relation.NONE


_COMPARERS = {
    **dict.fromkeys(_SINGLE, _single),
    "name": _name,
    "partner": _partner,
    "attitude": _about,
    "prefer": _about,
    "favourite": _about,
    "health": _health,
    "person": _person,
    "people": _people,
    "speaks": _about,
    "move": _move,
    "work": _work,
}
