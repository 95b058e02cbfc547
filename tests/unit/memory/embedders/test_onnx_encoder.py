from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory.embedders.local_files import find_files
from memory.embedders.onnx_encoder import TEXTS_AT_ONCE, OnnxEncoder
from tests.unit.memory.embedders.tiny_model import DIMENSIONS, WORDS, make_model


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


def test_threads_may_ask_at_once(tmp_path: Path) -> None:
    make_model(tmp_path)
    model = encoder(tmp_path)
    texts = [WORDS[4 + number % 7] for number in range(64)]
    expected = model.encode(texts)

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda text: model.encode([text])[0], texts))

    assert np.allclose(np.stack(given), expected)


def test_files_that_are_no_model_can_not_be_loaded(tmp_path: Path) -> None:
    make_model(tmp_path)
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"<html>Not found</html>")

    with pytest.raises(Exception, match="onnx"):
        encoder(tmp_path)
