"""Words are the same that people would call the same, and no others; in linear time, whatever the text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.aliases import aliases_in
from memory.mending.judging import Verdict, judge, subject_of_text
from memory.mending.prefilter import FirstLook
from memory.mending.remainders import without
from memory.mending.wishes import read_wish, wish_in
from memory.words import is_in, normal, spelt, words_of


def has(text: str, asked: str) -> bool:
    there = spelt(words_of(text), {})
    return all(is_in(word, there, {}) for word in words_of(asked))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("020-7946-0018", "02079460018"),
        ("020-7946-0018", "+44 20 7946 0018"),
        ("(555) 123-4567", "+1 555 123 4567"),
        ("renee muller", "Renée Müller"),
        ("Mueller", "MÜLLER"),
        ("ＯＲＤ－17", "ord 17"),
        ("eva@firm.org", "EVA@firm.org."),
        ("https://www.maya.dev/", "maya.dev"),
        ("€1,200", "1200 euros".split(maxsplit=1)[0]),
        ("1.200,50", "1200.50"),
        ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("Tom's", "Tom"),
        ("O’Brien", "O'Brien"),
        ("Jo-Anne", "JoAnne"),
        ("Al-Sayed", "Al-Sayed"),
        ("A-A", "A-A"),
        ("J-Lo", "JLo"),
        ("東京", "東京"),
        ("هُدى", "هدى"),
        ("أحمد", "احمد"),
        ("الشركة", "الشركه"),
        ("फ़ौज", "फौज"),
        ("שָׁלוֹם", "שלום"),
        ("٠٢٠-٧٩٤٦-٠٠١٨", "020-7946-0018"),
        ("١٬٢٠٠٫٥٠", "1200.50"),
        ("१९८४", "1984"),
    ],
)
def test_spellings_of_one_thing_are_the_same(one: str, other: str) -> None:
    assert has(one, other) or has(other, one)
    assert FirstLook(words_of(other)).may_have_all(one)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("ORD-170", "ORD-17"),
        ("ORD-17", "ORD-170"),
        ("eva@firm.org.br", "eva@firm.org"),
        ("maya.dev/blog", "maya.dev"),
        ("Anne-Marie", "Anne"),
        ("45.50", "45"),
        ("12000", "1200"),
        ("020-7946-00181", "020-7946-0018"),
        ("2026-03-02", "2026"),
    ],
)
def test_an_identifier_is_whole(text: str, asked: str) -> None:
    assert not has(text, asked)


@given(st.text(max_size=200))
def test_every_text_has_its_own_words_where_they_stand(text: str) -> None:
    words = words_of(text)
    there = spelt(words, {})
    assert all(is_in(word, there, {}) for word in words)
    assert FirstLook(words).may_have_all(text)
    assert all(0 <= word.start < word.end <= len(normal(text)) for word in words)
    assert [word.start for word in words] == sorted(word.start for word in words)


@given(st.text(max_size=200))
def test_any_text_can_be_asked_for_and_judged(text: str) -> None:
    wish = read_wish(text)
    judged = judge(wish, text, stems={})
    assert 0 <= judged.score <= 1
    assert wish_in(text) is None or isinstance(wish_in(text), str)
    without(wish, text, stems={})
    subject_of_text(text, ())
    aliases_in([text])


@pytest.mark.parametrize(
    "piece",
    ["1 ", "(0", "a-", "A.", "0-0 ", "please ", "AB12 ", "é, ", "कि", "هُ ", "a and ", "Ab (Cd) ", "1,2"],
)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def seconds(times: int) -> float:
        text = piece * times
        began = time.process_time()
        words_of(text)
        wish_in(text)
        aliases_in([text])
        return time.process_time() - began

    seconds(50)
    small = max(min(seconds(1500) for _ in range(3)), 0.02)
    assert min(seconds(12_000) for _ in range(2)) < 30 * small  # of squares it would be 64 times


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Please forget what I said about my sister's job.", "what I said about my sister's job"),
        ("Forget that.", ""),
        ("Can you delete my phone number?", "my phone number"),
        ("Vergiss bitte, dass ich in Wien wohne.", "bitte, dass ich in Wien wohne"),
        ("Don't forget my birthday", None),
        ("I'll never forget you", None),
        ("Remove the onions from the recipe.", None),
        ("forget it", None),
        ("I forgot my keys", None),
        ("Nadia would mind. Forget that she has asthma, please.", "that she has asthma (Nadia)"),
        ("Forget that she has asthma.", "that she has asthma (them)"),
        ("Gert paid, so forget what he owes me.", "what he owes me (Gert)"),
        ("The interview was cancelled, please forget about it.", "The interview about it"),
        ("You were late? Forget about it!", None),
        ("Lejla's divorce is not my business, erase it please.", "Lejla's divorce is not my business it"),
        ("Leave my law studies out of your notes from now on.", "my law studies"),
        ("Das mit der Affäre streich bitte wieder.", "der Affäre"),
        ("Can we strike the gambling from the record?", "the gambling"),
        ("I sold it, so delete the number 0612345678.", "the number 0612345678"),
        ("Keep the dog off the couch.", None),
        ("Could you please not remember that Ingrid is ill?", "that Ingrid is ill"),
        ("Don't write that down.", ""),
        ("I think I love Walt. Please don't write that down!", "I think I love Walt"),
        ("I think I love Walt, don't note that down ok?", "I think I love Walt"),
        ("Don't write that down wrong.", None),
        ("I never write that down in my diary.", None),
        ("A great book, never put it down.", None),
        ("The token is in the header. Don't log it.", None),
        ("Ich mag Jan. Merk dir das bitte nicht.", "Ich mag Jan"),
        ("Das musst du dir nicht merken.", ""),
        ("J'aime Jean, ne note pas ça stp", "J'aime Jean"),
        ("Me gusta Juan. No lo anotes.", "Me gusta Juan"),
        ("Gosto do João. Não guarde isso.", "Gosto do João"),
        ("Mi piace Ugo, non scriverlo per favore", "Mi piace Ugo"),
        ("ワルトが好き。これはメモしないでね", "ワルトが好き"),
        ("我喜欢他。别记下来", "我喜欢他"),
        ("Leave out that I speak Finnish.", "that I speak Finnish"),
        ("There I can rest, forget my worries, and be somewhere else.", None),
        ("I can come, forget my old address, please.", "my old address"),
        ("I need to go, forget what I said about Tom, and sorry.", "what I said about Tom, and sorry"),
        ("Olvida lo que te dije, por favor.", ""),
        ("Oublie ce que je t'ai dit.", ""),
        ("Esqueça o que eu disse", ""),
        ("Mi abuela está mayor. Olvida mi nombre y se pierde.", None),
        ("Mio nonno è malato, dimentica il mio nome", None),
        ("Mi jefe me llamó. Olvida lo que te dije de él", "lo que te dije de él"),
        ("Hola Luna. Olvida mi dirección", "mi dirección"),
        ("请忘掉我的地址", "我的地址"),
        ("别记住我的电话", "我的电话"),
        ("忘记密码怎么办", None),
        ("あと、私の年収は忘れてください。", "私の年収"),
        ("さっきも言いましたが、佐々木さんのことは全部忘れてください。", "佐々木さん"),
        ('"Forget Kell Ford," I told him. "Forget the rope."', None),
        ("What does this do?\n```\nforget everything\n```", None),
        ("Er schrieb: „Lass mich. Vergiss meine Nummer.“ So ein Esel.", None),
        ("«Vai via. Dimentica il mio nome.» Che tipo.", None),
        ('"Forget my number."', "my number"),
        ('Forget that I said "forget my number".', 'that I said "forget my number"'),
        ('Forget what I said about "Blue Harbour".', 'what I said about "Blue Harbour"'),
        ('My pan is 12" wide. Forget my old 10" one.', 'my old 10" one'),
        ("Is this yours?\n\nFrom: a@b.example\nSubject: Hi\n\nPlease forget all his allergies.", None),
        ("Betreff: Hallo\nVon: Eva\n\nVergiss bitte, dass er in Wien wohnt.", None),
        ("They wrote:\n> Delete my notes on reviews.\nCheeky!", None),
        ("Please forget my address.\n> a quoted line", "my address"),
        ("Delete my note to: mum.\nThanks", "my note to: mum"),
    ],
)
def test_a_wish_is_told_from_what_sounds_like_one(said: str, asked: str | None) -> None:
    assert wish_in(said) == asked


@pytest.mark.parametrize(
    ("asked", "text", "verdict"),
    [
        pytest.param("that I am married", "Tomas married in Bonn", Verdict.PERHAPS, id="a name in -as"),
        pytest.param("that I like jazz", "James likes jazz", Verdict.PERHAPS, id="a name in -s"),
        pytest.param("that I like jazz", "Loves jazz", Verdict.SAYS, id="a verb in -s"),
        pytest.param(
            "that I studied in Graz", "Studied in Graz; hates mornings", Verdict.SAYS, id="denied after"
        ),
        pytest.param(
            "that I like jazz", "Hates mornings; likes jazz", Verdict.SAYS, id="denied before a semicolon"
        ),
        pytest.param("that I like jazz", "Hates tea and jazz", Verdict.PERHAPS, id="denied with it"),
        pytest.param(
            "that I used to work at Bosch", "Worked at Bosch until 2022", Verdict.SAYS, id="over by its verb"
        ),
        pytest.param("that I used to be engaged", "Is engaged to Paul", Verdict.PERHAPS, id="not over"),
        pytest.param("what car I drive", "I drive to Bath every other week", Verdict.NOT, id="a way, no car"),
        pytest.param("what car I drive", "Drives a Skoda", Verdict.SAYS, id="a car"),
        pytest.param(
            "大阪に住んでいること", "大阪に住んでいる", Verdict.SAYS, id="a statement that ends as a noun"
        ),
    ],
)
def test_what_only_shares_words_is_not_taken(asked: str, text: str, verdict: Verdict) -> None:
    assert judge(read_wish(asked), text, stems={}).verdict == verdict


def test_the_score_is_the_same_whatever_else_is_there() -> None:
    """Nothing is stretched to the best of a small relationship."""
    wish = read_wish("everything about Noor")
    assert judge(wish, "Sara works at Philips", stems={}).verdict == Verdict.NOT
    assert judge(wish, "Sara works at Philips", stems={}).score == 0


def test_a_friend_called_mia_is_not_italian_for_mine() -> None:
    wish = read_wish("that Mia has diabetes")
    assert judge(wish, "Has diabetes", stems={}, subject="Mia").verdict == Verdict.SAYS
    assert read_wish("la mia allergia").mine


@pytest.mark.parametrize(
    "said",
    (
        "what I said about Hanna; i ever mentioned Hanna; was ich über Hanna gesagt habe; ce que je t'ai dit sur Hanna; "
        "o que eu disse sobre Hanna; wat ik over Hanna heb gezegd; quello che ti ho detto su Hanna; lo que te conté de Hanna"
    ).split("; "),
)
def test_what_somebody_said_of_others_is_theirs(said: str) -> None:
    wish = read_wish(said)
    assert judge(wish, "Hanna hates climbing", stems={}, subject="Hanna").verdict == Verdict.SAYS
    assert read_wish("was ich über meine Allergie gesagt habe").mine


def test_a_wish_about_somebody_without_a_name_takes_nothing() -> None:
    assert judge(read_wish("that she has asthma"), "Omar has asthma", stems={}).verdict == Verdict.PERHAPS
    assert (
        judge(read_wish("that she has asthma (Nadia)"), "Nadia has asthma", stems={}).verdict == Verdict.SAYS
    )


@pytest.mark.parametrize(
    ("asked", "text", "subject", "verdict"),
    [
        ("my dad", "Ana's father is a baker", "", Verdict.PERHAPS),
        ("what I said about my dad", "Ana’s old father is a baker", "", Verdict.PERHAPS),
        ("my dad", "Marcus moves to Phoenix for his father's job", "Marcus", Verdict.PERHAPS),
        ("that my dad is a baker", "Ana's father is a baker", "", Verdict.PERHAPS),
        ("my dad", "The father lives in Memphis", "father", Verdict.SAYS),
        ("my dad", "Jay's father lives in Memphis", "", Verdict.SAYS),
        ("my dad", "Ana's brother knows the father", "", Verdict.SAYS),
        ("my dad", "Moved in with his father", "", Verdict.SAYS),
        ("my dad's job", "The father's job is in Memphis", "", Verdict.SAYS),
        ("Ana's dad", "Ana's father is a baker", "", Verdict.SAYS),
        ("her dad", "Ana works for her father", "", Verdict.SAYS),
        ("my sister's dog", "The sister's dog is ill", "", Verdict.SAYS),
        ("my sister's dog", "Leo's sister's dog is ill", "", Verdict.PERHAPS),
    ],
)
def test_somebody_elses_father_is_not_the_persons(
    asked: str, text: str, subject: str, verdict: Verdict
) -> None:
    assert judge(read_wish(asked), text, stems={}, subject=subject, owners=("Jay",)).verdict == verdict


def test_names_that_entries_call_one_are_one() -> None:
    aliases = aliases_in(["Colleague is Юлия (Yulia)"])
    wish = read_wish("everything about Yulia")
    assert judge(wish, "Юлия lives in Perm", stems={}, aliases=aliases).verdict == Verdict.SAYS


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Tom likes jazz", "Tom"),
        ("Likes jazz (about Tom)", "Tom"),
        ("Lives in Vienna", ""),
        ("Maya likes tea", ""),
        ("Sister Ana lives in Porto", ""),
    ],
)
def test_a_subject_is_read_off_the_text(text: str, subject: str) -> None:
    assert subject_of_text(text, ["Maya"]) == subject


def test_a_kind_of_fact_is_not_said_by_a_loose_word() -> None:
    wish = read_wish("my name")
    assert judge(wish, "keeps a tame raven called Huginn", stems={}).verdict != Verdict.SAYS
    assert judge(wish, "Name is Zoe", stems={}).verdict == Verdict.SAYS
