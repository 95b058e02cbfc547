"""Send an update back once if its text has lost names, numbers or dates of the old one, whatever the strategy; and a
deletion that nobody asked for.

If a key has one value (keyed_facts) no text is rewritten: a new value supersedes the old, which is kept. An update
because of a request to forget is meant to lose something; what, is decided by that request's plan.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from memory.dates import MONTHS, WEEKDAYS, Period
from memory.entries.happens import span_of, told_as, zone_of
from memory.entries.times import numbers_of_times, times_in
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.lost_details import details_of, lost_details
from memory.ingestion.operations import Operation, beside
from memory.ingestion.prompt import is_past_plan, last_said_at
from memory.ingestion.reported_wishes import reported_wishes
from memory.ingestion.text_similarity import said_whole, share_said, unsaid_words
from memory.ingestion.unrequested_deletions import only_spoken_of
from memory.ingestion.unsupported import begins_with_another
from memory.models import USER_SUBJECT, MendingVerb
from memory.words import fold

MOSTLY = 1 / 3  # an update that keeps less of an entry's words has lost most of it
HALF, TELLING = 0.5, 3  # of an entry's words; words that an entry has at least
MOST_COMPARED = 20  # entries that a new text says all of
CHANGES = ("update", "replace")
_AS_OF = re.compile(r"\b(?:as of|stand|a fecha de) (\d{4}-\d\d(?:-\d\d)?)\b", re.IGNORECASE | re.ASCII)
_LOST = "the new texts of these entries leave out what the old ones say, or are not in their language."
AMISS = "the entry is about something else"
_MISTAKEN = " (seems to be about something else: never make two things one; give the right number, or add it)"
_DELETED = (
    "all of it (nobody asks to forget it: if it has ended, replace it, saying how; delete it again only if it was never"
    ' true, with "untrue", or is to be forgotten)'
)
_REPLACED = ' (if all of this has ended, replace it again, with a "reason")'
Lost = Mapping[int, tuple[str, ...]]  # details, by the number of the entry
# Shows the model its answer with a complaint, for a purpose; returns the operations of its new answer, if any.
SendBack = Callable[[str, str], list[Operation]]


def ask_about_losses(
    items: list[Operation],
    given: IngestionInput,
    answered: str,
    send_back: SendBack,
    *,
    again: str,
    reasoned: bool = False,
) -> list[Operation]:
    """Ask the model once about the updates that lost something, and return the items with its new versions of them. If
    it gives reasons, also about deletions of what the person only speaks of.

    `answered`: the answer with the items. `again`: what the model is asked for. `reasoned`: it is asked for reasons; if
    it gives no text again, or the same without a reason, the entry stays, and the text becomes a new entry. So it does,
    whatever was asked, if the text has nothing to do with the entry.
    """
    wishes, _ = reported_wishes([answered], given)
    asked = {wish.message_id for wish in wishes if wish.verb == MendingVerb.FORGET}
    unasked = [
        item for item in items if asked.isdisjoint(message.id for message in given.cited(item.messages))
    ]
    deleted = [item.entry for item in only_spoken_of(items, given, wishes)] if reasoned else []
    if not (lost := _lost_in(unasked, given)) and not deleted:
        return items
    of_others = _saying_others(items, given)
    mistaken = {
        item.entry
        for item in unasked
        if item.entry in lost and (item.entry in of_others or _is_of_another_thing(item, given))
    }
    notes = {item.entry: _REPLACED for item in unasked if item.op == "replace"}
    notes |= dict.fromkeys(mistaken, _MISTAKEN)
    told = [f"- entry {entry}: {'; '.join(details)}{notes.get(entry, '')}" for entry, details in lost.items()]
    told += [f"- entry {entry}: {_DELETED}" for entry in deleted]
    answer = send_back("\n".join([_LOST, *told, again]), "left out")
    instead = {
        item.entry: item for item in answer if item.op in (*CHANGES, "delete") and item.entry in deleted
    }
    answer = [item for item in answer if item.entry not in deleted]
    better = _by_entry(answer, lost)
    better |= _renumbered(answer, [entry for entry in lost if entry not in better], items, given)
    items = _replaced(items, lost, better, given, reasoned=reasoned) if lost else items
    return [instead.get(item.entry, item) if item.op == "delete" else item for item in items]


def _lost_in(items: Sequence[Operation], given: IngestionInput) -> dict[int, tuple[str, ...]]:
    """What each update has lost of its entry, by the entry's number; and of one that is replaced, what neither the new
    text nor its messages speak of, if that is most of it: then hardly all of it has ended.

    If updates to the same text merge entries, the first one's date stays, so the dates of the others must be in the
    text. When a plan was made need not be said: "Planned in 2023-05 to visit Rome" becomes "Visited Rome".
    """
    lost: dict[int, tuple[str, ...]] = {}
    dates: dict[str, str] = {}  # by new text, the first date of its entries
    own = (given.companion_name, given.user_name)
    known = {entry.content for entry in given.entries}
    of_others = _saying_others(items, given)
    for item in items:
        if item.op == "update" and item.entry is not None:
            entry = given.entries[item.entry - 1]
            names = (entry.subject,) if entry.subject != USER_SUBJECT else ()
            # A capital behind the subject is no name.
            old = _without_day_told(entry, given).removeprefix(f"{entry.subject}: ")
            stays = "" if "happens_at" in item.cleared else entry.happens_at or ""
            date = item.happens_at or stays
            goes = date if dates.get(item.content) else ""
            dates[item.content] = dates.get(item.content) or date
            said = f"{item.content} {dates[item.content]}"
            may_go = _dates_of_plan(entry, given, date=date)
            details = lost_details(old, said, names=names, own=own, may_go=may_go)
            over = _day_and_time_of_plan(entry, given) if may_go else ()
            details = tuple(detail for detail in details if detail not in over)
            details = (*details, *lost_details(goes, said))
            if not details and item.content not in known:  # else it is merged with the entry that says so
                words = _mostly_lost(entry.content, (item.content,), (*own, *names))
                # Names, numbers and dates have others in their place.
                details = () if set(words) <= details_of(entry.content, names) else words
                if not details and item.entry in of_others:
                    details = tuple(unsaid_words(entry.content, item.content, own=own))
            if details:
                lost[item.entry] = details
        elif item.op == "replace" and item.entry is not None:
            told = (message.content for message in given.cited(item.messages, item.earlier))
            # Numbers and dates are those of what has ended.
            ended = given.entries[item.entry - 1].content.split()
            old = " ".join(word for word in ended if not any(map(str.isdecimal, word)))
            if details := _mostly_lost(old, (item.content, *told), own):
                lost[item.entry] = details
    return lost


def _without_day_told(entry: ShownEntry, given: IngestionInput) -> str:
    """The entry's text without the day or month as of which it was told ("not done as of 2026-11-20"): what is told
    later is true as of another.
    """
    told = entry.effective_at.astimezone(zone_of(given.timezone)).date().isoformat()
    return _AS_OF.sub(lambda said: " " if told.startswith(said[1]) else said[0], entry.content)


def _dates_of_plan(entry: ShownEntry, given: IngestionInput, *, date: str) -> Callable[[Period], bool] | None:
    """Which dates of a plan may be lost: the day and month when it was told; once it has begun, the days up to now, for
    which it or a part of it was only expected. None if it is no plan. `date`: of the update, as what had none when it
    was told may get one.
    """
    zone, now, happens_at = zone_of(given.timezone), last_said_at(given), entry.happens_at or date
    begins = span_of(happens_at, given.timezone).begins if happens_at else entry.effective_at
    if entry.effective_at >= begins:
        return None
    told, today = (moment.astimezone(zone).date() for moment in (entry.effective_at, now))

    def may_go(period: Period) -> bool:
        year = period.year or told.year
        if (year, period.month, period.day or told.day) == (told.year, told.month, told.day):
            return True
        span = Period(year, period.month, period.day).last_span(today)
        return begins <= now and bool(period.day) and span is not None and told <= span[0] < today

    return may_go


def _day_and_time_of_plan(entry: ShownEntry, given: IngestionInput) -> Collection[str]:
    """The weekday and the time of day of a plan that is over, which may be lost, as its date stays."""
    if not entry.happens_at or not is_past_plan(entry, given):
        return ()
    times = times_in(told_as(entry.happens_at, given.timezone))
    days = (word for word in entry.content.split() if fold(word.strip(",.;:")) in WEEKDAYS)
    return {*numbers_of_times(entry.content, times), *(day.strip(",.;:") for day in days)}


def _mostly_lost(old: str, said: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """The lost words of an entry of which hardly anything is left, even if no name or number was lost. A date that
    stays beside the text is none of its words: it would date what the new text says.
    """
    return tuple(unsaid_words(old, *said, own=own)) if share_said(old, *said, own=own) < MOSTLY else ()


def _by_entry(items: list[Operation], lost: Lost) -> dict[int, Operation]:
    """The new versions by entry, of those only that were sent back."""
    again = (item for item in items if item.op in CHANGES)
    return {item.entry: item for item in again if item.entry is not None and item.entry in lost}


def _renumbered(
    answer: Sequence[Operation], left: Sequence[int], items: Sequence[Operation], given: IngestionInput
) -> dict[int, Operation]:
    """New versions under other numbers of all that were not given again under their own: much the same texts, of
    entries that nothing else changes. If those would lose something by them, and the first ones would not, the new
    numbers are the mistakes.
    """
    texts = {item.entry: item.content for item in items if item.op in CHANGES}
    moved = [item for item in answer if item.op in CHANGES and item.entry not in texts]
    if len(moved) != len(left):
        return {}
    home = [replace(item, entry=entry) for entry, item in zip(left, moved, strict=True)]
    placed = next((these for these in (moved, home) if not _lost_in(these, given)), [])
    pairs = list(zip(left, placed, strict=False))
    same = all(share_said(texts[entry], item.content) >= HALF for entry, item in pairs)
    return dict(pairs) if same else {}


def _elsewhere(update: Operation, items: list[Operation], given: IngestionInput) -> Operation:
    """Turn an update with a mistaken number into an addition; refuse it if the answer adds the same text, too."""
    if any(item.op == "add" and item.content == update.content for item in items):
        return update.refused(f"{AMISS}, and an addition of this answer says it")
    return beside(replace(update, subject=update.subject or USER_SUBJECT), given, AMISS)


def _is_of_another_thing(update: Operation, given: IngestionInput) -> bool:
    """Return whether the number must be a mistake: neither the text nor its messages share a word with the entry, other
    than of a date or a number.
    """
    assert update.entry is not None, "an update names an entry"
    entry = given.entries[update.entry - 1]
    about = "" if entry.subject == USER_SUBJECT else entry.subject
    text, own = f"{about} {entry.content}", (given.user_name,)
    cited = given.cited(update.messages, update.earlier)
    unsaid = unsaid_words(text, update.content, *(message.content for message in cited), own=own)
    shared = map(fold, set(unsaid_words(text, own=own)).difference(unsaid))
    return all(word in MONTHS or word in WEEKDAYS or any(map(str.isdecimal, word)) for word in shared)


def _saying_others(items: Sequence[Operation], given: IngestionInput) -> set[int]:
    """The entries whose numbers are likely to be mistakes: the new text says all of an entry that nothing changes, and
    of its own less than half, and nothing that the other does not say of it.
    """
    own = (given.companion_name, given.user_name)
    changed = {item.entry: item.content for item in items if item.op in CHANGES and item.entry is not None}
    little = {
        number: share
        for number, text in changed.items()
        if (share := share_said(given.entries[number - 1].content, text, own=own)) < HALF
    }
    if not little:
        return set()
    named = {item.entry for item in items}
    others = (entry.content for number, entry in enumerate(given.entries, start=1) if number not in named)
    whole = said_whole(others, own=own, least=TELLING)
    return {
        number
        for number, share in little.items()
        for other in islice(whole(changed[number]), MOST_COMPARED)
        if share <= share_said(given.entries[number - 1].content, other, own=own)
    }


def _makes_two_one(update: Operation, given: IngestionInput) -> bool:
    """Return whether the entry is about somebody, and the update about another and nothing of the entry."""
    assert update.entry is not None, "an update names an entry"
    whose = given.entries[update.entry - 1].subject
    if whose == USER_SUBJECT or begins_with_another(update.content, whose, given) is None:
        return False
    return _is_of_another_thing(update, given)


def _replaced(
    items: list[Operation],
    lost: Lost,
    again: Mapping[int, Operation],
    given: IngestionInput,
    *,
    reasoned: bool,
) -> list[Operation]:
    """Replace each update by its new version. Those that merge entries, with the same text, still do."""
    updates = {item.entry: item for item in items if item.op in CHANGES and item.entry is not None}
    texts = {updates[entry].content: item.content for entry, item in again.items() if item.op == "update"}
    better = {
        entry: again.get(entry) or replace(item, content=texts.get(item.content, item.content))
        for entry, item in updates.items()
    }
    still = _lost_in(list(better.values()), given)
    for entry, details in lost.items():
        if entry in still:
            remark = (
                f"leaves out what the old text said, after it was sent back once: {', '.join(still[entry])}"
            )
        else:
            remark = f"was sent back once for what it left out: {', '.join(details)}"
        better[entry] = replace(better[entry], remarks=(*better[entry].remarks, remark))
    placed = dict(better)
    for entry in still:
        before, answered = updates[entry], again.get(entry)
        repeats = answered and (answered.op, answered.content) == (before.op, before.content)
        insists = answered is not None and (answered.reason or not repeats)
        if insists and not _makes_two_one(answered or before, given):
            continue
        remarks = better[entry].remarks
        if _is_of_another_thing(before, given):
            placed[entry] = _elsewhere(replace(before, remarks=remarks), items, given)
        elif answered is None and (reasoned or before.op == "replace"):
            placed[entry] = beside(better[entry], given, f"the {before.op} was not given again")
        elif reasoned and before.op == "update":
            placed[entry] = beside(better[entry], given, "nothing was said of why")
    return [item if item.entry is None else placed.get(item.entry, item) for item in items]
