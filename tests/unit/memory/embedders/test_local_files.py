from pathlib import Path
from typing import Any

import pytest

from memory.embedders.local_files import find_files, is_folder
from memory.providers.errors import ModelNotFound, ProviderMisconfigured
from tests.unit.memory.embedders.tiny_model import make_model
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

    with pytest.raises(ProviderMisconfigured, match="a part that is not read here: Dense"):
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


def test_a_folder_is_told_from_a_name_on_the_hub(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert is_folder("~/models/minilm")
    assert not is_folder("sentence-transformers/all-MiniLM-L6-v2")
