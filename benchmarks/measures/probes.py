from benchmarks.figures import Figure, Section, of_rounds
from benchmarks.scene import Scene
from benchmarks.timing import spread

PATHS = ("/healthz", "/readyz", "/readyz/worker", "/metrics")
REQUESTS = 100


def measure(scene: Scene) -> Section:
    """What a load balancer and a scraper ask, one request after the other."""
    scene.house.start_worker()
    figures: list[Figure] = []
    for path in PATHS:
        request = scene.client.request("GET", path)
        rounds = [
            scene.client.drive([request], connections=1, count=REQUESTS).require(200)
            for _ in range(scene.scale.rounds)
        ]
        figures += [
            of_rounds(f"{path}, p50", spread([answers.p50 for answers in rounds]), "ms"),
            of_rounds(f"{path}, p99", spread([answers.p99 for answers in rounds]), "ms"),
        ]
    return Section(
        "probes",
        "Probes",
        f"One connection, {scene.scale.rounds} rounds of {REQUESTS} requests; the worker is up and idle.",
        figures,
    )
