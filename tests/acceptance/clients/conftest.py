"""The real service, for clients that know only its URL and a key."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rapport_client import Rapport

from tests.acceptance.drills.talk import scaled
from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.environments import python_with, uv

# The frameworks with an adapter, and mem0's client, in one environment as far as their requirements agree.
FRAMEWORKS = (
    "google-adk==2.13.0",
    "llama-index-core==0.14.25",
    "langgraph==1.2.22",
    "langgraph-checkpoint-postgres==3.2.0",
    "psycopg-binary==3.3.9",
    "mem0ai==2.2.1",
    "pytest==9.2.0",
)
SECONDS = scaled(300, 1800)


class Door:
    """A client's URL and key. `run` runs a program of another environment with both in its environment variables."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    @property
    def environment(self) -> dict[str, str]:
        return {"RAPPORT_URL": self.url, "RAPPORT_API_KEY": self.key, "PATH": "/usr/bin:/bin", "HOME": "/tmp"}

    def run(self, *command: str | Path, folder: Path | None = None, **settings: str) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            env={**self.environment, **settings},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def door(live_service: LiveService) -> Door:
    live_service.new_relationships(1)  # so that there is the companion ada
    return Door(live_service.web.url, live_service.new_api_key())


@pytest.fixture
def rapport(door: Door) -> Iterator[Rapport]:
    with Rapport(door.url, door.key) as client:
        yield client


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python client, built as for PyPI."""
    folder = tmp_path_factory.mktemp("wheel")
    uv("build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT / "clients/python"))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def client_python(wheel: Path) -> Path:
    """The interpreter of an environment with the client and its requirements, and nothing else."""
    return python_with(str(wheel))
