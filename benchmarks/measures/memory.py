from benchmarks.figures import Figure, Section
from benchmarks.scene import Scene
from benchmarks.usage import memory_of


def measure(scene: Scene) -> Section:
    """After all the work above, with the worker's processes warm too."""
    scene.house.start_worker()
    found = scene.house.processes()
    figures: list[Figure] = []
    for service, processes in found.items():
        used = [memory_of(process) for process in processes]
        figures += [
            Figure(f"{service}: processes", len(used)),
            Figure(f"{service}: largest resident set", max(one.rss for one in used), "MB"),
            Figure(f"{service}: in all, shared pages split", sum(one.pss for one in used), "MB"),
        ]
    return Section(
        "memory",
        "Memory",
        "Resident sets count shared pages in every process; the sum counts each page once (PSS).",
        figures,
    )
