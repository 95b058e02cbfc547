"""The container files, as far as they can be checked without a container."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.guards.sources import ROOT


@pytest.fixture
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return parsed


def lines(name: str) -> list[str]:
    return (ROOT / name).read_text().splitlines()


def test_nothing_of_ours_starts_before_the_database_and_the_migrations(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("web", "worker"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert "pg_isready" in services["postgres"]["healthcheck"]["test"][1]
    assert "/healthz" in services["web"]["healthcheck"]["test"][-1]
    assert services["worker"]["healthcheck"]["test"][1:5] == ["python", "manage.py", "worker", "--check"]


def test_every_part_has_time_to_stop_and_a_way_to_its_secrets(compose: dict[str, Any]) -> None:
    for name in ("postgres", "web", "worker"):
        assert "stop_grace_period" in compose["services"][name]
    for name in ("migrate", "web", "worker"):
        told = compose["services"][name]["environment"]
        assert told["RAPPORT_SECRET_KEY"].startswith("${RAPPORT_SECRET_KEY:?")
        assert "${POSTGRES_PASSWORD:?" in told["DATABASE_URL"]


def test_the_image_runs_as_somebody_without_rights() -> None:
    assert "USER rapport" in lines("Dockerfile")


def test_no_container_has_rights_or_writes_that_it_does_not_need(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        assert any(place.startswith("/tmp") for place in service["tmpfs"]), name
        assert "privileged" not in service
    # what its entry point needs to own its folder and to become somebody without rights
    assert compose["services"]["postgres"]["cap_add"] == [
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "SETGID",
        "SETUID",
    ]
    assert all("cap_add" not in compose["services"][name] for name in ("migrate", "web", "worker"))


def test_the_image_holds_our_code_compiled_as_its_processes_write_no_bytecode() -> None:
    image = lines("Dockerfile")
    assert (
        image.index("COPY . .") < image.index("RUN python -m compileall -q .") < image.index("USER rapport")
    )


def test_the_image_installs_what_is_locked_by_hash_and_builds_nothing() -> None:
    installs = [line for line in lines("Dockerfile") if "pip install" in line]
    assert len(installs) == 2
    for line in installs:
        assert re.search(
            r"pip install --require-hashes --only-binary=:all: -r requirements(-\$extra)?\.lock", line
        )


def test_both_images_are_named_by_their_digests_and_a_newer_one_can_be(compose: dict[str, Any]) -> None:
    pinned = r"\S+:[\d.]+-\S+@sha256:[0-9a-f]{64}"
    build = compose["services"]["web"]["build"]["args"]["PYTHON_IMAGE"]
    python = re.fullmatch(rf"\$\{{PYTHON_IMAGE:-({pinned})\}}", build)

    assert re.fullmatch(rf"\$\{{POSTGRES_IMAGE:-{pinned}\}}", compose["services"]["postgres"]["image"])
    assert python and f"ARG PYTHON_IMAGE={python[1]}" in lines("Dockerfile")


def test_the_image_gets_every_part_of_the_code_and_needs_no_other(tmp_path: Path) -> None:
    let_in = {line.removeprefix("!") for line in lines(".dockerignore") if line.startswith("!")}
    assert {path.name for path in ROOT.glob("requirements*.lock")} <= let_in
    for name in let_in:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, tmp_path)

    told = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RAPPORT_DATA_DIR": str(tmp_path / "data"),
    }
    load = "import django; django.setup(); import config.asgi, worker.supervisor, providers.llm.offline"
    loaded = subprocess.run(
        [sys.executable, "-c", load], cwd=tmp_path, env=told, capture_output=True, text=True, check=False
    )
    assert loaded.returncode == 0, loaded.stderr
