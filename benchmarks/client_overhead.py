"""What a client adds to a call, beside bare httpx and bare fetch: `python -m benchmarks.client_overhead`.

Both ask the same server on loopback, in turns, so that a busy machine slows both.
"""

import json
import shutil
import subprocess
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx
from rapport_client import Rapport

from tests.environments import node, node_with, typescript_client
from tests.unit.clients.server import Server, Told

CALLS = 2000
ANSWER = {
    "items": [{"id": str(number), "content": "A fact." * 4} for number in range(20)],
    "next_cursor": None,
}


def main() -> None:
    python()
    typescript()


def typescript() -> None:
    folder = node_with(typescript_client())
    script = shutil.copy(Path(__file__).with_suffix(".mjs"), folder)
    subprocess.run([str(node()), script], cwd=folder, check=True)


def python() -> None:
    told = Told(body=ANSWER)
    with Server() as server, Rapport(server.url, "rk_x") as client, httpx.Client(base_url=server.url) as bare:
        headers = {"Authorization": "Bearer rk_x"}
        own, beside = list[float](), list[float]()
        for _ in range(CALLS):
            server.answers.extend((told, told))
            began = perf_counter()
            json.loads(bare.get("/v1/relationships/r/entries", params={"limit": 20}, headers=headers).content)
            between = perf_counter()
            client.entries_list("r", limit=20)
            beside.append(between - began)
            own.append(perf_counter() - between)
    added = 1000 * (median(own) - median(beside))
    print(
        f"bare httpx {1000 * median(beside):.3f} ms, client {1000 * median(own):.3f} ms: {added:+.3f} ms a call (p50)"
    )


if __name__ == "__main__":
    main()
