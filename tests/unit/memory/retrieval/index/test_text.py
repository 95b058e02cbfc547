import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.retrieval.index.text import LONGEST, first_words, without_names, words_for_index


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Lives in Porto.", "lives in porto.", id="ascii stays, in lower case"),
        pytest.param(
            "東京に行った",
            "東京 京に に行 行っ った 東 京 行",
            id="japanese becomes overlapping pairs, and its han signs",
        ),
        pytest.param("我喜欢茶", "我喜 喜欢 欢茶 我 喜 欢 茶", id="chinese"),
        pytest.param("학교에서", "학교 교에 에서", id="korean, whose particles are glued on"),
        pytest.param("ภาษาไทยก็ดี", "ภา าษ ษา าไ ไท ทย ยก็ ก็ดี", id="thai, with its marks on their letters"),
        pytest.param("犬", "犬 犬", id="a sign by itself"),
        pytest.param("iPhoneを買った", "iphone を買 買っ った 買", id="two scripts in one run"),
        pytest.param("So happy😀!", "so happy u1f600 !", id="an emoji is a word"),
        pytest.param("👍🏽 ❤️", "u1f44d u2764", id="without its skin tone and its variation"),
        pytest.param("👩‍👧", "u1f469 u1f467", id="a family is its members"),
        pytest.param("“Don’t”…", "don't ...", id="typographic signs"),
        pytest.param("ＡＢＣ　ｶﾅ", "abc カナ", id="full and half width"),
        pytest.param("E\u0301cole", "école ecole", id="composed, and without its accent"),
        pytest.param(
            "+49 30 1234567", "+49 30 1234567 tel1234567 tel301234567 tel9301234567", id="telephone abroad"
        ),
        pytest.param("at 030/1234567", "at 030/1234567 tel301234567", id="telephone at home"),
        pytest.param(
            "ORD-17, not ORD170", "ord-17, not ord170 ord17", id="a ticket, by what its spellings share"
        ),
        pytest.param("Order AB 1234", "order ab 1234 ab1234", id="a ticket with a space"),
        pytest.param("at 17 in room 3, SKU12", "at 17 in room 3, sku12", id="numbers that are none"),
        pytest.param("1.200,50 or 1,200.50", "1.200,50 or 1,200.50 1200.50", id="an amount"),
        pytest.param(
            "https://www.Maya.dev/a/",
            "https://www.maya.dev/a/ maya.dev/a",
            id="a web address",
        ),
        pytest.param(
            "See src/böse.ts", "see src/böse.ts src böse.ts böse ts bose boese", id="a path, by its parts"
        ),
        pytest.param("Müller", "müller muller mueller", id="a name, in every spelling"),
        pytest.param("at 10:30 on 3.5.2024", "at 10:30 on 3.5.2024", id="times that are no amounts"),
        pytest.param("İzmir'de, IZMIR", "izmir'de, izmir", id="the dotted capital of turkish"),
        pytest.param("ısparta", "ısparta isparta", id="and its letter without a dot"),
        pytest.param("Ёлка", "елка", id="russian, whose dots are mostly left out"),
        pytest.param("هُدى", "هدى", id="arabic without its vowels"),
        pytest.param("ليوسف ويوسف", "ليوسف ويوسف يوسف", id="and without what is joined to a word"),
        pytest.param("الشركه", "الشركه الشركة", id="and an ending in both spellings"),
        pytest.param("फ़ौज", "फौज", id="hindi without its dots"),
        pytest.param("nul\x00byte", "nul byte", id="a NUL byte"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_text_becomes_words_with_spaces_between_them(text: str, words: str) -> None:
    assert words_for_index(text).split() == words.split()


@given(st.text(max_size=200))
@example("\ud800")
def test_any_text_has_words_postgresql_can_read(text: str) -> None:
    words = words_for_index(text)

    assert "\x00" not in words
    assert words_for_index(text) == words
    assert not any(unicodedata.category(sign) == "Cs" for sign in words)


def test_the_end_of_an_endless_text_is_left_out() -> None:
    assert words_for_index("a " * LONGEST).count("a") == LONGEST // 2


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("one two one two three four", "one two one two three "),
        ("one,two.three/four", "one,two.three/"),
        ("one two", "one two"),
        ("one one one one", "one one one one"),
        ("", ""),
    ],
    ids=["a word said again", "no spaces", "fewer", "one alone", "none"],
)
def test_a_text_of_very_many_words_is_cut_after_the_first(words: str, kept: str) -> None:
    assert first_words(words, 3) == kept


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param("Hey Caroline, how are you?", "Hey, how are you?", id="a name"),
        pytest.param("caroline's dog", "dog", id="in any case, with its 's"),
        pytest.param("Mel’s new job", "new job", id="part of a name"),
        pytest.param("Same old sam", "Same old", id="whole words only"),
        pytest.param("Caroline!", "Caroline!", id="nothing but a name stays"),
        pytest.param("I like tea", "I like tea", id="no name"),
    ],
)
def test_names_are_taken_out_of_what_a_model_reads(text: str, rest: str) -> None:
    assert without_names(text, ["Caroline", "Mel Smith", "Sam"]) == rest


def test_a_name_with_vowels_on_its_letters_is_one_word() -> None:
    assert without_names("सोफिया का समोसा", ["सोफिया"]) == "का समोसा"


def test_without_names_to_take_out_a_text_stays() -> None:
    assert without_names("Hello  there", ["", " "]) == "Hello  there"


def test_a_name_may_hold_any_sign() -> None:
    assert without_names("Ask (Bob*) again", ["(Bob*)"]) == "Ask again"
