"""One soak: the service is started, used at a steady rate, and looked over."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmarks.figures import Run, Section
from benchmarks.house import House, instant_model, open_house
from benchmarks.machine import describe_machine
from benchmarks.plots import draw
from benchmarks.report import save, show_section
from benchmarks.scene import everything_applied
from benchmarks.soak import sections
from benchmarks.soak.actions import COMPANION, arrive
from benchmarks.soak.afterwards import Reckoning, reckon
from benchmarks.soak.client import Caller
from benchmarks.soak.pace import Done, Pace
from benchmarks.soak.people import People
from benchmarks.soak.watch import Sample, Watch
from relationships.actor import Actor
from relationships.models import Companion, Project, Scope
from relationships.services.api_keys import create_api_key

WARM_UP_SECONDS = (
    20.0  # connections, prepared statements, and what Python loads at its first use: not counted
)
RESULTS = Path(__file__).parent.parent / "results"
_CONFIG = {
    "ingestion": {"provider": "instant_http"},
    "retrieval": {"embedder": "offline", "embed_messages": True},
}


@dataclass(frozen=True, slots=True)
class Soaked:
    """`warm_up`: of which only the errors count."""

    warm_up: list[Done]
    done: list[Done]
    samples: list[Sample]
    reckoning: Reckoning


def run(*, minutes: float, rate: float, people: int, save_it: bool) -> None:
    """Raises SystemExit when something is not as it must be; a missed goal of memory or latency too."""
    console = Console(width=None if os.isatty(1) else 130)
    seconds = minutes * 60
    with instant_model() as model_url:
        os.environ["BENCH_MODEL_URL"] = model_url
        with open_house() as house:
            soaked = _soak(house, seconds, rate, people, console)
            machine = describe_machine()
    result = Run(f"soak-{datetime.now():%Y-%m-%d %H:%M}", machine, _sections(soaked, seconds, rate))
    for section in result.sections:
        show_section(section, console)
    for when, report in (("running", soaked.reckoning.verified), ("stopped", soaked.reckoning.at_rest)):
        console.print("\n".join([f"With the worker {when}:", *report.lines()]))
    if save_it:
        files = save(result, RESULTS)
        panels = sections.panels(soaked.done, soaked.samples, seconds=seconds)
        files += draw(panels, files[0].with_suffix(""))
        console.print(f"Written to benchmarks/results: {', '.join(file.name for file in files)}.")
    missed = [f"{section.name}: {figure.name}" for section in result.sections for figure in section.missed()]
    if missed:
        raise SystemExit("Missed: " + "; ".join(missed))
    console.print("Every goal is met.")


def _soak(house: House, seconds: float, rate: float, count: int, console: Console) -> Soaked:
    key = _companion()
    house.start_worker()

    def call() -> Caller:
        return Caller(house.address.host, house.address.port, key)

    people = People()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("people arrive", total=count)
        caller, random = call(), Random(0)
        for _ in range(count):
            arrive(caller, people, random)
            progress.advance(task)
        warm_up = _use(rate, WARM_UP_SECONDS, people, call, progress, "warming up")
        with Watch(house.processes) as watch:
            done = _use(rate, seconds, people, call, progress, "soaking")
        progress.add_task("looking it over", total=None)
        with suppress(TimeoutError):  # what is still owed then is told as not applied
            everything_applied()
        return Soaked(warm_up, done, watch.samples, reckon(people, stop_worker=house.stop_worker))


def _companion() -> str:
    """Everybody's; a key of its project."""
    project = Project.objects.create(name="Soak")
    Companion.objects.create(project=project, slug=COMPANION, name="Ada", config=_CONFIG)
    by = Actor.policy("benchmark")
    _, key = create_api_key(project_id=project.id, name="soak", scopes=[Scope.READ, Scope.WRITE], by=by)
    return key


def _sections(soaked: Soaked, seconds: float, rate: float) -> list[Section]:
    return [
        sections.requests_section(soaked.done, warm_up=soaked.warm_up, seconds=seconds, rate=rate),
        sections.latency_section(soaked.done),
        sections.memory_section(soaked.samples, tasks=soaked.reckoning.tasks),
        sections.afterwards_section(soaked.reckoning),
    ]


def _use(
    rate: float, seconds: float, people: People, call: Callable[[], Caller], progress: Progress, name: str
) -> list[Done]:
    task = progress.add_task(name, total=seconds)
    pace = Pace(rate=rate, seconds=seconds, people=people, call=call)
    pace.run(lambda passed: progress.update(task, completed=passed))
    return pace.done
