import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from providers.embeddings.base import Space
from providers.embeddings.local import TEXTS_AT_ONCE, LocalEmbedder, OnnxEncoder, local_problems
from providers.embeddings.model_files import find_files
from providers.embeddings.options import LocalEmbedderOptions
from providers.errors import ProviderMisconfigured, ProviderTimeout
from tests.unit.providers.embeddings.tiny_model import DIMENSIONS, WORDS, make_model
from tests.vendor_servers.hub_server import HubServer


def local(model: Path | str, **options: Any) -> LocalEmbedder:
    return LocalEmbedder(alias="local", options={"model": str(model), "threads": 1, **options})


def test_a_model_in_a_folder_embeds_without_asking_anybody(tmp_path: Path) -> None:
    model = make_model(tmp_path / "tiny-words")

    embedded = local(model).embed(["I live in Porto", "cats like fish", "Porto"], purpose="document")

    assert embedded.space == Space("tiny-words", DIMENSIONS)
    assert np.allclose(np.linalg.norm(embedded.vectors, axis=1), 1)
    near, far = embedded.vectors[0] @ embedded.vectors[2], embedded.vectors[1] @ embedded.vectors[2]
    assert near > far


def test_a_folder_and_the_hub_give_the_same_space(tmp_path: Path) -> None:
    model = make_model(tmp_path / "tiny")
    with HubServer({"someone/tiny": model}) as hub:
        downloaded = local("someone/tiny", hub=hub.url, folder=tmp_path / "models").embed(
            ["Porto"], purpose="query"
        )

    kept = local(model).embed(["Porto"], purpose="query")

    assert downloaded.space == kept.space
    assert np.array_equal(downloaded.vectors, kept.vectors)


def test_a_model_that_wants_prefixes_gets_them(tmp_path: Path) -> None:
    model = make_model(tmp_path / "tiny-e5-small")

    question, text = (local(model).embed(["porto"], purpose=purpose) for purpose in ("query", "document"))
    stated = local(model, document_prefix="query: ").embed(["porto"], purpose="document")

    assert not np.allclose(question.vectors, text.vectors)
    assert np.allclose(question.vectors, stated.vectors)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers", "huggingface_hub"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(
        ProviderMisconfigured, match=f"{package}: .venv/bin/pip install -r requirements-local.txt"
    ):
        local(make_model(tmp_path)).embed(["hello"], purpose="query")


def test_a_folder_that_is_not_there_is_said_without_loading_anything(tmp_path: Path) -> None:
    [problem] = local_problems(LocalEmbedderOptions(model=str(tmp_path / "nowhere")))

    assert "there is no folder" in problem
    assert local_problems(LocalEmbedderOptions(model=str(tmp_path))) == []
    assert local_problems(LocalEmbedderOptions(model="someone/tiny")) == []


@pytest.mark.parametrize("broken", ["tokenizer.json", "onnx/model.onnx"])
def test_files_that_are_broken_ask_for_the_operator(broken: str, tmp_path: Path) -> None:
    (make_model(tmp_path) / broken).write_text("<html>Not found</html>")

    with pytest.raises(ProviderMisconfigured, match="Are its files complete"):
        local(tmp_path).embed(["hello"], purpose="query")


def test_threads_that_come_at_once_load_one_model(tmp_path: Path) -> None:
    embedder = local(make_model(tmp_path))

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: embedder.embed(["porto"], purpose="query").vectors[0], range(16)))

    assert np.allclose(given, given[0])


def test_a_thread_waits_for_loading_no_longer_than_its_timeout(tmp_path: Path) -> None:
    loading, may_load = threading.Event(), threading.Event()

    class SlowlyDownloading(HubServer):
        @property
        def failing(self) -> bool:
            loading.set()
            may_load.wait(timeout=10)
            return False

        @failing.setter
        def failing(self, value: bool) -> None:
            pass

    model = make_model(tmp_path / "tiny")
    with SlowlyDownloading({"someone/tiny": model}) as hub, ThreadPoolExecutor(1) as pool:
        embedder = local("someone/tiny", hub=hub.url, folder=tmp_path / "models")
        texts: Sequence[str] = ["porto"]
        first = pool.submit(embedder.embed, texts, purpose="document")
        assert loading.wait(timeout=10)
        with pytest.raises(ProviderTimeout, match="still being loaded"):
            embedder.embed(["porto"], purpose="query", timeout=0.05)
        may_load.set()

        assert first.result(timeout=10).vectors.shape == (1, DIMENSIONS)


def encoder(folder: Path) -> OnnxEncoder:
    return OnnxEncoder(find_files(str(folder), folder=None, hub=""), threads=1)


def parts(vector: np.ndarray) -> dict[str, float]:
    """What a vector consists of, by the tiny model's words."""
    return {WORDS[number]: round(float(share), 3) for number, share in enumerate(vector) if share}


def test_the_mean_is_over_a_texts_own_tokens_and_not_the_padding(tmp_path: Path) -> None:
    make_model(tmp_path)

    short, long = encoder(tmp_path).encode(["Porto", "I live in Porto cats like fish"])

    assert parts(short) == {"[CLS]": 0.333, "porto": 0.333, "[SEP]": 0.333}
    assert len(parts(long)) == 9


def test_the_first_tokens_vector_stands_for_the_text_where_the_model_says_so(tmp_path: Path) -> None:
    make_model(tmp_path, pooling={"pooling_mode_cls_token": True})

    [vector] = encoder(tmp_path).encode(["I live in Porto"])

    assert parts(vector) == {"[CLS]": 1.0}


def test_a_network_that_pools_by_itself_is_left_to_it(tmp_path: Path) -> None:
    make_model(tmp_path, pools_itself=True)

    [vector] = encoder(tmp_path).encode(["porto"])

    assert parts(vector) == {"[CLS]": 1.0, "porto": 1.0, "[SEP]": 1.0}


def test_a_long_text_is_cut_where_the_model_stops_reading(tmp_path: Path) -> None:
    make_model(tmp_path, most_tokens=4)

    [vector] = encoder(tmp_path).encode(["cats like porto fish i live"])

    assert parts(vector) == {"[CLS]": 0.25, "cats": 0.25, "like": 0.25, "[SEP]": 0.25}


def test_many_texts_of_all_lengths_keep_their_order(tmp_path: Path) -> None:
    make_model(tmp_path)
    texts = [" ".join(WORDS[4:][: 1 + number % 7]) for number in range(3 * TEXTS_AT_ONCE + 5)]
    model = encoder(tmp_path)

    together = model.encode(texts)

    assert together.shape == (len(texts), DIMENSIONS)
    assert np.allclose(together, np.stack([model.encode([text])[0] for text in texts]), atol=1e-6)
