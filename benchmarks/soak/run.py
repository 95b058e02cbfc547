"""One soak: use the service at a steady rate, then check what became of it."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from benchmarks.report import Figure, Goal, Section, number
from benchmarks.runner import say
from benchmarks.seed import client_of, make_companion
from benchmarks.service import Service
from benchmarks.soak.actions import COMPANION, People, arrive
from benchmarks.soak.pace import SAMPLED_EVERY_SECONDS, Done, Sample, keep_pace, watched
from benchmarks.timing import percentile
from memory.models import EntryRevision, RevisionEvent
from relationships.models import EndUser, Relationship
from upkeep.verification import verify

WARM_UP_SECONDS = 20.0  # to open connections, prepare statements and load code; not counted
LATE_SECONDS = 0.1
FLAT_LATENCY, FLAT_TAIL, FLAT_MEMORY = 1.25, 1.5, 1.1
_ENOUGH = 800  # calls; with fewer, a quarter's p95 rests on ten or less, and has no goal
WATCHED = ("fetch_context", "hand_over_turn", "search_entries", "search_messages", "edit_entry")
_NONE = Goal(0)
_CONFIG = {"ingestion": {"provider": "instant"}, "retrieval": {"embedder": "offline", "embed_messages": True}}
Points = Sequence[tuple[float, float]]  # (seconds from the beginning, value)


def soak(service: Service, *, seconds: float, rate: float, people: int) -> list[Section]:
    companion = make_companion(COMPANION, _CONFIG)
    service.start_worker()
    there = People(client_of(companion.project_id, service.port))
    say(f"{people} people arrive")
    for _ in range(people):
        arrive(there)
    say("warming up")
    warm_up = keep_pace(there, rate=rate, seconds=min(seconds, WARM_UP_SECONDS))
    say("soaking")
    with watched(service.processes, every=min(SAMPLED_EVERY_SECONDS, seconds / 5)) as samples:
        done = keep_pace(there, rate=rate, seconds=seconds)
    say("looking it over")
    with suppress(TimeoutError):  # turns that still wait then are counted as not applied
        service.settle(600)
    return [
        _requests(done, warm_up, seconds=seconds, rate=rate),
        _latency(done),
        _memory(samples),
        _afterwards(service, there),
    ]


def _requests(done: Sequence[Done], warm_up: Sequence[Done], *, seconds: float, rate: float) -> Section:
    """Counts of actions and errors. Of `warm_up` only the errors count."""
    errors = [one.error for one in (*warm_up, *done) if one.error]
    late = sum(one.late > LATE_SECONDS for one in done)
    return Section(
        "Requests",
        f"{rate:g} actions a second for {seconds / 60:g} minutes, each at its own time whatever became of the others.",
        [
            Figure("actions", len(done)),
            Figure("errors", len(errors), goal=_NONE),
            Figure(f"left more than {LATE_SECONDS * 1000:g} ms late", late, goal=Goal(len(done) / 1000)),
        ],
        remarks=[f"{count} x {error}" for error, count in Counter(errors).most_common(5)],
    )


def _latency(done: Sequence[Done]) -> Section:
    figures = []
    for action in WATCHED:
        points = [(one.at, one.milliseconds) for one in done if one.action == action and not one.error]
        if len({at for at, _ in points}) > 1:
            tail = Goal(FLAT_TAIL) if len(points) >= _ENOUGH else None
            figures.append(_steadiness(f"{action}, p50", points, "ms", Goal(FLAT_LATENCY)))
            figures.append(_steadiness(f"{action}, p95", points, "ms", tail, share=0.95))
    how = "Over HTTP, as the client sees it."
    return Section("Latency, the last quarter beside the first", how, figures)


def _memory(samples: Sequence[Sample]) -> Section:
    ended = len(samples[0].lasting - samples[-1].lasting)
    figures = [Figure("processes that ended, readers apart", ended, goal=_NONE)]
    for name in samples[0].memory:
        points = [(sample.at, sample.memory[name]) for sample in samples]
        goal = Goal(FLAT_MEMORY) if name != "database" else None
        figures.append(_steadiness(name, points, "MB", goal))
    how = (
        "Of each service's processes together, shared pages split. The database's cache of 256 MB fills as it reads, "
        "so it has no goal."
    )
    return Section("Memory, the last quarter beside the first", how, figures)


def _steadiness(name: str, points: Points, unit: str, goal: Goal | None, *, share: float = 0.5) -> Figure:
    """The percentile `share` of the values in the last quarter of the time, as a multiple of that in the first.

    Needs two points with different times.
    """
    begin, end = min(at for at, _ in points), max(at for at, _ in points)
    quarter = (end - begin) / 4
    first = percentile([value for at, value in points if at <= begin + quarter], share)
    last = percentile([value for at, value in points if at >= end - quarter], share)
    told = f"{name}: {number(last)} {unit} / {number(first)} {unit}"
    return Figure(told, last / first if first else 1.0, "x", goal)


def _afterwards(service: Service, people: People) -> Section:
    """Check that every accepted turn was applied once, that nothing of erased people is left, and all invariants.

    The invariants are checked with the worker running, as only then a row that no worker handles is an error, and again
    without it.
    """
    verified = verify()
    service.stop_worker()
    at_rest = verify()
    accepted = [turn for person in people.there for turn in person.turns]
    owners = [person.relationship_id for person in people.there]
    # The model makes one entry of each message of the person, and each turn has one such message.
    adds = EntryRevision.objects.filter(relationship_id__in=owners, event=RevisionEvent.ADD)
    times = Counter(map(str, adds.values_list("turn_id", flat=True)))
    gone = people.erased
    left = Relationship.objects.filter(id__in=[one.relationship_id for one in gone]).count()
    left += EndUser.objects.filter(id__in=[one.user_id for one in gone]).count()
    not_once = sum(times[turn] != 1 for turn in accepted)
    return Section(
        "Afterwards",
        "Turns are those of people who are still there; then `manage.py verify`'s invariants over the whole database.",
        [
            Figure("turns accepted", len(accepted)),
            Figure("accepted turns that are not applied exactly once", not_once, goal=_NONE),
            Figure("people erased", len(gone)),
            Figure("rows left of them", left, goal=_NONE),
            Figure("relationships verified", verified.relationships),
            Figure("invariants", verified.invariants),
            Figure("problems found", verified.found, goal=_NONE),
            Figure("problems found with the worker stopped", at_rest.found, goal=_NONE),
        ],
        remarks=[line for report in (verified, at_rest) if report.found for line in report.lines()],
    )
