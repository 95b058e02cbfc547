from pathlib import Path

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from providers.cross_encoder import CrossEncoder, get_cross_encoder
from providers.embeddings.options import LocalEmbedderOptions
from providers.errors import ProviderMisconfigured
from tests.unit.providers.embeddings.tiny_model import make_cross_encoder, make_model
from tests.vendor_servers.hub_server import HubServer

TEXTS = ["cats like fish", "I live in Porto", "Porto"]


def cross_encoder(folder: Path) -> CrossEncoder:
    return CrossEncoder(LocalEmbedderOptions(model=str(folder), threads=1))


def test_a_texts_score_does_not_depend_on_its_batch(tmp_path: Path) -> None:
    scores = cross_encoder(make_cross_encoder(tmp_path)).scores("Porto Porto Porto?", TEXTS, timeout=None)

    assert scores.tolist() == [0.0, 5.0, 3.0]


def test_a_folder_and_the_hub_give_the_same_scores(tmp_path: Path) -> None:
    model = make_cross_encoder(tmp_path / "tiny")
    with HubServer({"someone/tiny": model}) as hub:
        options = LocalEmbedderOptions(model="someone/tiny", hub=hub.url, folder=tmp_path / "kept", threads=1)
        downloaded = CrossEncoder(options).scores("live?", TEXTS, timeout=None)

    assert np.array_equal(downloaded, cross_encoder(model).scores("live?", TEXTS, timeout=None))


def test_a_model_that_gives_no_single_number_is_refused_with_the_way_out(tmp_path: Path) -> None:
    for name, folder in {
        "classes": make_cross_encoder(tmp_path / "classes", outputs=2),
        "vectors": make_model(tmp_path / "vectors"),
    }.items():
        with pytest.raises(
            ProviderMisconfigured, match=f"{name}' is not a cross-encoder.*Choose another model"
        ):
            cross_encoder(folder).scores("Porto?", TEXTS, timeout=None)


def test_the_one_of_the_settings_is_made_once(tmp_path: Path, settings: Settings) -> None:
    settings.CROSS_ENCODER = {"model": str(make_cross_encoder(tmp_path)), "threads": 1}

    assert get_cross_encoder() is get_cross_encoder()
    assert get_cross_encoder().scores("?", ["live"], timeout=1).tolist() == [2.0]
