from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.peers.field import Field, Scale
from benchmarks.peers.findings import Finding
from benchmarks.peers.measures.erasure import measure
from benchmarks.peers.systems.base import House, Stores, System
from tests.unit.benchmarks.peers.measures.remembering import Remembering, Taught


class Filing(Remembering):
    """Keeps a file for each person, and a log of all that is said."""

    def __init__(self, model: Taught, folder: Path, *, logs: bool = False) -> None:
        super().__init__(model)
        self._folder = folder
        self._logs = logs

    def settle(self, timeout: float) -> None:
        for user, known in self._known.items():
            (self._folder / f"{user}.txt").write_text("\n".join(known))
            if self._logs:
                with (self._folder / "log").open("a") as log:
                    log.writelines(known)

    def delete_person(self, user: str) -> None:
        super().delete_person(user)
        (self._folder / f"{user}.txt").unlink()

    def stores(self) -> Stores:
        return Stores(folders=[self._folder])


class Purging(Filing):
    name = "rapport"

    def purge(self) -> None:
        (self._folder / "log").unlink()


class Logging(Filing):
    name = "logging"


class LoggingToo(Purging):
    """Keeps two logs of the same name in different folders, and purges one."""

    name = "rapport-retrieval"

    def settle(self, timeout: float) -> None:
        super().settle(timeout)
        (self._folder / "below").mkdir(exist_ok=True)
        (self._folder / "below" / "log").write_text((self._folder / "log").read_text())


def found(folder: Path, *kinds: type[Filing]) -> Finding:
    model = Taught()

    def maker(kind: type[Filing], own: Path) -> System:
        own.mkdir()
        return kind(model, own, logs=True)

    house = House("postgresql://nowhere", folder / "server", folder, model.url)
    systems: list[Callable[[], System]] = [partial(maker, kind, folder / kind.__name__) for kind in kinds]
    for make, kind in zip(systems, kinds, strict=True):
        make.name = kind.name  # type: ignore[attr-defined]
    return measure(Field(house, model, systems, {}, Scale(2, 0.1), lambda said: None))


def values(finding: Finding, name: str) -> dict[str, object]:
    return next(dict(line.values) for line in finding.lines if line.name == name)


def test_what_is_left_over_is_counted_and_named(tmp_path: Path) -> None:
    finding = found(tmp_path, Logging)

    assert values(finding, "left over in tables, at once") == {"logging": [0.0]}
    assert values(finding, "left over in files, at once") != {"logging": [0.0]}
    assert finding.remarks[0].startswith("logging: left over in log (")


def test_a_purge_is_looked_at_where_there_is_one(tmp_path: Path) -> None:
    finding = found(tmp_path, Purging, Logging)

    assert values(finding, "left over in raw files, after its own purge") == {
        "rapport": [0.0],
        "logging": "logging has no purge",
    }
    assert [goal.met for goal in finding.goals] == [False, True]


def test_files_of_the_same_name_are_not_taken_for_each_other(tmp_path: Path) -> None:
    (remark,) = found(tmp_path, LoggingToo).remarks

    assert "in below/log (" in remark
    assert ", log (" in remark


def test_the_goals_are_held_to_the_worst_of_rapports_systems(tmp_path: Path) -> None:
    finding = found(tmp_path, Purging, LoggingToo)

    assert [goal.met for goal in finding.goals] == [False, False]
    left = values(finding, "left over in raw files, after its own purge")
    assert left["rapport"] == [0.0]
    assert [finding.goals[1].value] == left["rapport-retrieval"]


def test_of_a_rapport_that_did_not_start_no_goal_is_said_to_be_met(tmp_path: Path) -> None:
    class Broken(Purging):
        name = "rapport-retrieval"

        def start(self, house: House) -> None:
            raise RuntimeError("no room")

    finding = found(tmp_path, Purging, Broken)

    assert [goal.met for goal in finding.goals] == [None, None]
