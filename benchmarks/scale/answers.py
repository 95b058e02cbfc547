"""What a tenant's process does when it is asked; Django is set up there."""

import shutil
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.core.management import call_command
from django.db import connections

from benchmarks.house import House
from benchmarks.machine import describe_machine
from benchmarks.scale import caches, reads
from benchmarks.scale.clone import Tell
from benchmarks.scale.expectation import Expectation, expect
from benchmarks.scale.place import Place
from benchmarks.scale.sample import check_sample
from benchmarks.scale.seed import seed
from benchmarks.scale.tables import Size, sizes
from config.embedded_postgres import start_if_used, stop
from memory.verification import verify

VERIFIED_UP_TO = 10_000  # whole; all are made alike
PROBE = 2000  # relationships from which the size of many is told


class Answers:
    """`folder`: the tenant's data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._house: House | None = None
        self._place: Place | None = None
        start_if_used()
        call_command("migrate", verbosity=0)

    def expectation(self, *, relationships: int, bound: float) -> Expectation:
        """Seeds a few and measures them. Raises DoesNotFit."""
        empty = {name: size.whole for name, size in sizes().items()}
        seed(PROBE, tell=lambda what, share: None)
        each = {
            name: max(0, size.whole - empty[name]) / PROBE
            for name, size in sizes().items()
            if name in empty and name != "memory_embedding"
        }
        return expect(relationships, each, free=shutil.disk_usage(self._folder).free, bound=bound)

    def seed(self, *, relationships: int, history_of_one_in: int, tell: Tell) -> float:
        """Seconds. Raises AssertionError when what was seeded is not as the services would have left it."""
        began = perf_counter()
        (self._folder / "place.json").unlink(missing_ok=True)
        place = seed(relationships, history_of_one_in=history_of_one_in, tell=tell)
        seconds = perf_counter() - began
        if relationships <= VERIFIED_UP_TO:
            report = verify()
            assert report.holds, "; ".join(report.lines())
        replace(place, seconds=seconds).save(self._folder)
        return seconds

    def open(self) -> Place:
        """The web server is up; what was seeded, without the IDs.

        Raises FileNotFoundError where nothing was, AssertionError where it is not as the services would have left it.
        """
        self._place = Place.load(self._folder)
        check_sample(self._place)
        self._house = House()
        self._house.start_web()
        reads.warm_up(self._place)
        return replace(self._place, relationships=())

    def sizes(self) -> dict[str, Size]:
        return sizes()

    def machine(self) -> dict[str, str]:
        return describe_machine()

    def in_process(self, *, calls: int, seed: int) -> reads.Times:
        caches.fill_cache()
        return reads.in_process(self._known(), calls=calls, seed=seed)

    def over_http(self, *, calls: int, seed: int) -> reads.Times:
        assert self._house is not None
        caches.fill_cache()
        address = self._house.address
        return reads.over_http(self._known(), address.host, address.port, calls=calls, seed=seed)

    def from_disk(self, *, calls: int, seed: int) -> reads.Times:
        caches.empty_caches()
        return reads.after_nothing(self._known(), calls=calls, seed=seed)

    def close(self) -> None:
        if self._house is not None:
            self._house.close()
        connections.close_all()
        if settings.EMBEDDED_POSTGRES_DIR:
            stop(settings.EMBEDDED_POSTGRES_DIR)

    def _known(self) -> Place:
        assert self._place is not None, "it was opened"
        return self._place
