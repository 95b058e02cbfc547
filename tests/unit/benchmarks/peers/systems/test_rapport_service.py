from pathlib import Path

import environ

from benchmarks.peers.systems.base import House
from benchmarks.peers.systems.rapport_service import environment


def test_the_service_is_told_of_its_own_database_and_of_the_model_server() -> None:
    house = House(
        "postgresql://postgres@%2Ftmp%2Fplace%2Fpostgres:5432",
        Path("/tmp/place/postgres"),
        Path("/tmp/place/systems/001-rapport"),
        "http://127.0.0.1:9/v1",
    )

    told = environment(house, "001_rapport", "rapport")

    database = environ.Env.db_url_config(told["DATABASE_URL"])
    assert (database["HOST"], database["NAME"], database["USER"]) == (
        "/tmp/place/postgres",
        "001_rapport",
        "postgres",
    )
    assert (told["OPENAI_BASE_URL"], told["OPENAI_API_KEY"]) == ("http://127.0.0.1:9/v1", "rapport")
    assert told["RAPPORT_LLM_PROVIDER"] == told["RAPPORT_EMBEDDING_PROVIDER"] == "openai"
    assert (
        "RAPPORT_LOG_LEVEL" not in told
    )  # the log that is searched after an erasure is the log of every day
