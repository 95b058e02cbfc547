"""The peers: what a user would pick instead, from PyPI, each by its own documented setting."""

import json
import subprocess
from collections.abc import Mapping
from functools import cache

from benchmarks.peers.places import PEERS_PYTHON
from benchmarks.peers.systems.base import NotThere
from benchmarks.peers.systems.hosted import PROCESSES, Hosted

_POOL = f"{PROCESSES} processes with a thread for each client"


class Mem0(Hosted):
    name, title = "mem0", "mem0 (library, pgvector)"
    module = "benchmarks.peers.hosted.mem0_peer"

    def version(self) -> str:
        return f"mem0ai {version_of('mem0ai')}"

    def settings(self) -> Mapping[str, str]:
        return {
            "hosted as": _POOL,
            "vector_store": "pgvector with its HNSW index (default); maxconn 20 instead of 5: no thread waits",
            "llm, embedder": "openai, at the model server; embedding_dims as for all",
            "search": "top_k 20, threshold 0.1 (defaults)",
            "history": "SQLite, below the run's folder",
            "telemetry": "off",
            "without": "the extra [nlp]: no spaCy, so neither lemmas nor entities, which would cost time",
        }


class LangMem(Hosted):
    name, title = "langmem", "LangMem (store manager, AsyncPostgresStore)"
    module = "benchmarks.peers.hosted.langmem_peer"

    def version(self) -> str:
        return (
            f"langmem {version_of('langmem')}, postgres store {version_of('langgraph-checkpoint-postgres')}"
        )

    def settings(self) -> Mapping[str, str]:
        return {
            "hosted as": _POOL,
            "store": "AsyncPostgresStore (the other serves one caller at a time), HNSW index (default)",
            "manager": "create_memory_store_manager, invoked in the request (its hot path); enable_deletes",
            "query_limit": "20 instead of 5: it searches by the whole turn then, not by its last message only",
            "search": "limit 20",
        }


class Baseline(Hosted):
    name, title = "baseline", "Baseline (one table, every message, cosine)"
    module = "benchmarks.peers.hosted.baseline"

    def version(self) -> str:
        return f"80 lines, pgvector {version_of('pgvector')}"

    def settings(self) -> Mapping[str, str]:
        return {"hosted as": _POOL, "index": "a B-tree by person, exact cosine", "search": "the nearest 20"}


@cache
def version_of(package: str) -> str:
    """Raises NotThere."""
    if not PEERS_PYTHON.exists():
        raise NotThere("there is no environment for the peers; `make bench-peers` makes it")
    asked = f"import json, importlib.metadata as m; print(json.dumps(m.version({package!r})))"
    done = subprocess.run([PEERS_PYTHON, "-c", asked], capture_output=True, text=True)
    if done.returncode:
        raise NotThere(f"{package} is not installed")
    return str(json.loads(done.stdout))
