"""The offline embedder: near means sharing words, in any script, on every machine alike."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.embeddings.base import Space
from providers.embeddings.offline import DIMENSIONS, OfflineEmbedder

EMBEDDER = OfflineEmbedder(alias="offline")


def cosine(first: str, second: str) -> float:
    one, two = EMBEDDER.embed([first, second], purpose="document").vectors
    return float(one @ two)


def test_it_names_its_space() -> None:
    embedded = EMBEDDER.embed(["hello"], purpose="query")

    assert embedded.space == Space("offline-ngrams-1", DIMENSIONS)


def test_texts_that_share_words_are_nearer_than_those_that_share_none() -> None:
    fact = "Ana moved to Porto last year"

    assert cosine(fact, "When did she move to Porto?") > cosine(fact, "My cat likes fish") + 0.2


def test_parts_of_words_count_so_that_endings_and_slips_do_little_harm() -> None:
    assert cosine("gardening", "gardens") > 0.3
    assert cosine("photography", "photografy") > 0.4


def test_case_and_width_and_accents_in_two_spellings_make_no_difference() -> None:
    assert cosine("CAFÉ", "cafe\u0301") == pytest.approx(1)
    assert cosine("Ｐｏｒｔｏ", "porto") == pytest.approx(1)


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (("我住在上海", "上海是我住的城市"), "他喜欢吃鱼"),
        (("私は東京に住んでいます", "東京に引っ越した"), "猫が好きです"),
        (("ฉันอาศัยอยู่ในกรุงเทพ", "กรุงเทพเป็นบ้านของฉัน"), "แมวชอบปลา"),
        (("Я живу в Москве", "Она переехала в Москву"), "кошка любит рыбу"),
        (("أعيش في القاهرة", "القاهرة مدينتي"), "قطتي تحب السمك"),
    ],
    ids=["Chinese", "Japanese", "Thai", "Russian", "Arabic"],
)
def test_it_works_in_every_script(near: tuple[str, str], far: str) -> None:
    assert cosine(*near) > 2 * cosine(near[0], far) > -0.1


def test_emoji_alone_are_texts_too() -> None:
    assert cosine("🎉🎂", "🎂🎉🎂") > 0.9
    assert cosine("🎉🎂", "😢") < 0.5


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\ufeff", "\u0301", "...", "\x00", "\ud83d", "-" * 1000])
def test_even_a_text_without_words_has_a_vector(text: str) -> None:
    vectors = EMBEDDER.embed([text], purpose="document").vectors

    assert np.linalg.norm(vectors[0]) == pytest.approx(1)


@given(st.text(max_size=60))
def test_any_text_has_a_finite_vector_of_length_one(text: str) -> None:
    vectors = EMBEDDER.embed([text], purpose="document").vectors

    assert vectors.shape == (1, DIMENSIONS)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)


def test_a_hundred_kilobytes_are_read_without_a_pause() -> None:
    embedded = EMBEDDER.embed(["lorem ipsum dolor " * 6000], purpose="query")

    assert embedded.milliseconds < 1000


def test_another_process_gives_the_same_vectors() -> None:
    script = (
        "import django; django.setup()\n"
        "from providers.embeddings.offline import OfflineEmbedder\n"
        "vectors = OfflineEmbedder(alias='o').embed(['Ana moved to Porto', '上海'], purpose='query').vectors\n"
        "print(vectors.tobytes().hex())\n"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONHASHSEED": "1"}
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True)

    ours = EMBEDDER.embed(["Ana moved to Porto", "上海"], purpose="query").vectors
    assert told.stdout.decode().split()[-1] == ours.tobytes().hex()
