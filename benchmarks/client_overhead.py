"""`python -m benchmarks.client_overhead`: what the clients add to a call, compared with bare httpx and bare fetch.

Both call the same server on loopback and alternate, so that a busy machine slows both alike.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx

from benchmarks.timing import p50, time_calls
from tests.environments import ROOT, node, node_with, typescript_client
from tests.unit.clients.server import Server, Told

MOST_ADDED = 0.5  # milliseconds
ANSWER = {
    "items": [{"id": str(number), "content": "A fact." * 4} for number in range(20)],
    "next_cursor": None,
}
Times = tuple[float, float]  # milliseconds of a bare call and of the client's, p50


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=2000)
    calls = options.parse_args().calls
    missed = []
    for name, (bare, own) in {"httpx": python(calls), "fetch": typescript(calls)}.items():
        print(f"bare {name} {bare:.3f} ms, client {own:.3f} ms: {own - bare:+.3f} ms a call (p50)")
        if own - bare > MOST_ADDED:
            missed.append(name)
    if missed:
        print(f"Missed: at most {MOST_ADDED} ms over {' and '.join(missed)}")
        sys.exit(1)


def typescript(calls: int) -> Times:
    folder = node_with(typescript_client())
    script = shutil.copy(Path(__file__).with_suffix(".mjs"), folder)
    command = [str(node()), script, str(calls)]
    bare, own = json.loads(subprocess.check_output(command, cwd=folder))
    return bare, own


def python(calls: int) -> Times:
    sys.path.insert(0, str(ROOT / "clients/python/src"))  # it is not installed in the service's environment
    from rapport_client import Rapport

    with Server() as server, Rapport(server.url, "rk_x") as client, httpx.Client(base_url=server.url) as bare:
        headers = {"Authorization": "Bearer rk_x"}

        def ask() -> None:
            server.answers.append(Told(body=ANSWER))
            json.loads(bare.get("/v1/relationships/r/entries", params={"limit": 20}, headers=headers).content)

        def ask_by_client() -> None:
            server.answers.append(Told(body=ANSWER))
            client.entries_list("r", limit=20)

        times = time_calls(ask, ask_by_client, times=calls)
    return p50(times[0]), p50(times[1])


if __name__ == "__main__":
    main()
