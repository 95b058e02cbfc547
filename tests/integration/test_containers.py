"""The container files, as far as they can be checked without a container."""

import re
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


def test_the_image_installs_what_is_locked_by_hash_and_builds_nothing() -> None:
    installs = [line for line in lines("Dockerfile") if "pip install" in line]
    assert len(installs) == 2
    for line in installs:
        assert re.search(
            r"pip install --require-hashes --only-binary=:all: -r requirements(-\$extra)?\.lock", line
        )


def test_the_image_gets_every_part_of_the_code() -> None:
    let_in = {line.removeprefix("!") for line in lines(".dockerignore") if line.startswith("!")}
    assert {
        "admin_ui",
        "demo",
        "upkeep",
        "context",
        "knowledge",
        "memory",
        "relationships",
        "worker",
        "providers",
        "web",
        "config",
        "templates",
        "manage.py",
    } <= let_in
    assert all((ROOT / name).exists() for name in let_in)
