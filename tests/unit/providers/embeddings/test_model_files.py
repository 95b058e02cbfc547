from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from providers.embeddings.model_files import fetch_files, find_files, is_folder
from providers.errors import (
    ExternalRefused,
    ModelNotFound,
    ProviderMisconfigured,
    ProviderUnavailable,
)
from tests.unit.providers.embeddings.tiny_model import make_model
from tests.vendor_servers.hub_server import HubServer

HUB = "https://hub.example"


@pytest.mark.parametrize("network", ["onnx/model.onnx", "model.onnx"])
def test_a_folder_says_how_its_model_is_to_be_read(network: str, tmp_path: Path) -> None:
    make_model(tmp_path, network=network, most_tokens=9, pooling={"pooling_mode_cls_token": True})

    files = find_files(str(tmp_path), folder=None, hub=HUB)

    assert files.network == tmp_path / network
    assert (files.most_tokens, files.pooling, files.pad_id) == (9, "cls", 0)


def test_no_model_reads_more_than_512_tokens(tmp_path: Path) -> None:
    make_model(tmp_path, most_tokens=8192)

    assert find_files(str(tmp_path), folder=None, hub=HUB).most_tokens == 512


def test_without_settings_the_tokens_are_averaged(tmp_path: Path) -> None:
    make_model(tmp_path)
    for name in ("config.json", "modules.json", "sentence_bert_config.json"):
        (tmp_path / name).unlink()

    files = find_files(str(tmp_path), folder=None, hub=HUB)

    assert (files.most_tokens, files.pooling) == (512, "mean")


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode": "mean"}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"word_embedding_dimension": 384, "include_prompt": True}, "mean"),
    ],
    ids=str,
)
def test_both_spellings_of_the_pooling_are_read(
    pooling: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    make_model(tmp_path, pooling=pooling)

    assert find_files(str(tmp_path), folder=None, hub=HUB).pooling == expected


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode": "lasttoken"},
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
    ],
    ids=str,
)
def test_a_pooling_that_is_not_read_here_is_named(pooling: dict[str, Any], tmp_path: Path) -> None:
    make_model(tmp_path, pooling=pooling)

    with pytest.raises(ProviderMisconfigured, match="pools by"):
        find_files(str(tmp_path), folder=None, hub=HUB)


def test_a_part_that_is_not_read_here_is_named(tmp_path: Path) -> None:
    make_model(tmp_path)
    (tmp_path / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')

    with pytest.raises(ProviderMisconfigured, match="a part that is not supported here: Dense"):
        find_files(str(tmp_path), folder=None, hub=HUB)


@pytest.mark.parametrize("missing", ["tokenizer.json", "onnx/model.onnx"])
def test_a_folder_without_a_model_says_what_it_lacks(missing: str, tmp_path: Path) -> None:
    make_model(tmp_path)
    (tmp_path / missing).unlink()

    with pytest.raises(ProviderMisconfigured, match=r"it needs tokenizer\.json and onnx/model\.onnx"):
        find_files(str(tmp_path), folder=None, hub=HUB)


@pytest.mark.parametrize("content", ["no JSON", "[1]", '{"max_seq_length": "many"}'])
def test_settings_that_can_not_be_read_are_said(content: str, tmp_path: Path) -> None:
    make_model(tmp_path)
    (tmp_path / "sentence_bert_config.json").write_text(content)

    with pytest.raises(ProviderMisconfigured, match="can't be read"):
        find_files(str(tmp_path), folder=None, hub=HUB)


def test_a_model_of_the_hub_is_downloaded_wherever_its_network_lies(tmp_path: Path) -> None:
    model = make_model(tmp_path / "on the hub", network="model.onnx")
    with HubServer({"someone/tiny": model}) as hub:
        files = find_files("someone/tiny", folder=tmp_path / "models", hub=hub.url)

    assert files.network.is_relative_to(tmp_path / "models")
    assert files.network.read_bytes() == (model / "model.onnx").read_bytes()


def test_a_model_of_the_hub_without_onnx_is_no_use(tmp_path: Path) -> None:
    model = make_model(tmp_path / "on the hub")
    (model / "onnx" / "model.onnx").unlink()

    with (
        HubServer({"someone/tiny": model}) as hub,
        pytest.raises(ModelNotFound, match="choose another model"),
    ):
        find_files("someone/tiny", folder=tmp_path / "models", hub=hub.url)


def test_a_folder_is_distinguished_from_a_name_on_the_hub(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert is_folder("~/models/minilm")
    assert not is_folder("sentence-transformers/all-MiniLM-L6-v2")


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
