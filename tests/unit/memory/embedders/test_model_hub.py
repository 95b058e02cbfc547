"""Downloads from a hub on loopback, through the real huggingface_hub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.embedders.model_hub import fetch_files
from memory.providers.errors import ExternalRefused, ModelNotFound, ProviderUnavailable
from tests.vendor_servers.hub_server import HubServer

MODEL = "someone/tiny"
NAMES = ("config.json", "onnx/model.onnx", "modules.json")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    """It has a model of two files."""
    files = tmp_path / "on the hub"
    (files / "onnx").mkdir(parents=True)
    (files / "config.json").write_text("{}")
    (files / "onnx" / "model.onnx").write_bytes(b"weights")
    with HubServer({MODEL: files}) as server:
        yield server


def test_the_files_that_a_model_has_are_downloaded(hub: HubServer, tmp_path: Path) -> None:
    found = fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub=hub.url)

    assert set(found) == {"config.json", "onnx/model.onnx"}
    assert found["onnx/model.onnx"].read_bytes() == b"weights"
    assert found["onnx/model.onnx"].is_relative_to(tmp_path / "models")


def test_afterwards_the_hub_is_not_asked_even_for_what_it_does_not_have(
    hub: HubServer, tmp_path: Path
) -> None:
    first = fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub=hub.url)
    hub.asked.clear()

    assert fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub="https://hub.example") == first
    assert hub.asked == []


def test_no_hub_beyond_this_machine_is_asked_while_the_switch_is_off(tmp_path: Path) -> None:
    with pytest.raises(ExternalRefused, match=r"huggingface\.co is not this machine"):
        fetch_files(MODEL, NAMES, folder=tmp_path, hub="https://huggingface.co")


@pytest.mark.parametrize("model", ["someone/else", "no name at all", "a/b/c"])
def test_a_model_that_is_not_there_is_named(model: str, hub: HubServer, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=model):
        fetch_files(model, NAMES, folder=tmp_path / "models", hub=hub.url)


def test_a_hub_that_fails_is_tried_again_later(hub: HubServer, tmp_path: Path) -> None:
    hub.failing = True
    with pytest.raises(ProviderUnavailable, match="could not be downloaded"):
        fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub=hub.url)

    hub.failing = False
    assert fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub=hub.url)


def test_a_hub_that_is_away_is_noticed_at_once(hub: HubServer, tmp_path: Path) -> None:
    with HubServer({}) as gone:
        url = gone.url

    with pytest.raises(ProviderUnavailable, match="could not be downloaded"):
        fetch_files(MODEL, NAMES, folder=tmp_path / "models", hub=url)


def test_a_folder_that_can_not_be_written_is_said(hub: HubServer, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("in the way")

    with pytest.raises(ProviderUnavailable, match="could not be downloaded"):
        fetch_files(MODEL, NAMES, folder=tmp_path / "a file", hub=hub.url)
