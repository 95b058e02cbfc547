import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.dates import Period
from memory.ingestion.lost_details import lost_details, names_in, says_name_of
from tests.growth import MOST, growth

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
NAMES = st.from_regex(r"[A-ZÄÉŁΩЖ][a-zäéłωж]{3,8}[b-dkm]", fullmatch=True)
NUMBERS = st.integers(32, 10**9).map(str)
DATES = st.dates().map(lambda day: day.isoformat())


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("Has 2 cats, Tom and Mia", "Has some cats", ("2", "Tom", "Mia")),
        ("Lives in Lisbon", "Lives in Porto", ()),
        ("Works in Lisbon for Acme", "Works in Porto", ("Acme",)),
        ("Has 2 cats", "Has 3 cats", ()),
        ("Owes 250, after 200 and 150 of 600", "Owes 150, after 200, 150 and 100 of 600", ()),
        ("Has 3 cats and 5 dogs", "Has 5 dogs", ("3",)),
        ("Was born on 4 May 1990 and has 2 cats", "Was born on 1990-05-04 and has 3 cats", ()),
        ("Interview on 2026-03-14 at Acme", "Interview on 2026-03-21", ("Acme",)),
        ("Planned for 2023-03", "Planned for 2023", ("2023-03",)),
        ("Paid 1,000 euros on 14 March 2023", "Paid 1000 euros on 2023-03-14", ()),
        ("Gagne 4 500 euros, Léa 1 234 567", "Gagne 4500 euros, Léa 1\u202f234\u202f567", ()),
        ("Verdient 4'500 Franken, Léa 1’234’567", "Verdient 4500 Franken, Léa 1 234 567", ()),
        ("Wog 3.420 Gramm und 1,5 kg", "Wog 3420 Gramm und 1,5 kg", ()),
        ("Paid 12 500 euros", "Paid too much", ("12500",)),
        ("Hat die Nummer 0171 234 567", "Hat die Nummer 0171-234-567", ()),
        ("Won on 14 March", "Won in spring", ("14", "March")),
        ("Went to Rome in May 2023 with Ana's dog", "Went to Rome in 2023-05 with Ana and the dog", ()),
        ("Reads an iPhone manual by McKay", "Reads a manual", ("iPhone", "McKay")),
        ("Liest gern Kafka in Zürich", "Liest gern", ("Kafka", "Zürich")),
        ("Wohnt in der Straße 12b", "Wohnt in der STRASSE 12b", ()),
        ("Hat ٣ Katzen", "Hat 3 Katzen", ()),
        ("May be late", "Is often late", ()),
        ("Interview on Tuesday, 2026-09-08 at Acme", "Had it at Acme on 2026-09-08", ()),
        ("Plays chess on Tuesday with Tom", "Plays chess with Tom", ("Tuesday",)),
        ("Weighs 76 kg (2026-02-10)", "Weighs 165 lb (2026-03-24)", ()),
        ("Weighs 76 kg (2026-02-10)", "Weighs 165 lb now", ("2026-02-10",)),
        ("Broke a leg (2019-03-02)", "Broke a leg, cast off (2026-04-01)", ("2019-03-02",)),
        (
            "Married Ana (2014-05-01) in Faro",
            "Married Ana in Faro, moved to Porto (2020-06-01)",
            ("2014-05-01",),
        ),
        (
            "Hat am Dienstag, 8. September 2026 einen Termin bei Dr. Weiß",
            "War am 2026-09-08 bei Dr. Weiß",
            (),
        ),
        ("Wohnt mit der großen Katze Mia in Hiltrup", "Wohnt mit einem Tier dort", ("Mia", "Hiltrup")),
        ("Плывёт 14 марта 2026 с Юлией в Москву", "2026-03-14 Юлия и он плыли к Москве", ()),
        ("Плывёт с Юлией в Москву", "Плывёт в Тверь", ("Юлией",)),
        ("14 Mart 2026'da Ankara'ya gidecek", "2026-03-14'te Ankara'daydı", ()),
        ("2026年10月24日に結婚式", "2026-10-24に結婚した", ()),
        ("毎週３回、５キロ走る", "週に3回走る", ("5",)),
        ("سافر في 2026-10-14", "سافر في ١٤ أكتوبر ٢٠٢٦", ()),
        ("内科の田中先生に通う。佐々木さんも", "内科に通う", ("田中", "佐々木")),
        ("田中先生とミナちゃん", "田中とミナ", ()),
        ("お母さんと奥さん", "家族", ()),
        ("मीरा ने 2026-03-14 को जीता", "मीरा ने 14 मार्च 2026 को जीता", ()),
    ],
)
def test_names_numbers_and_dates_that_are_neither_said_nor_contradicted_are_lost(
    old: str, new: str, lost: tuple[str, ...]
) -> None:
    assert lost_details(old, new) == lost


def test_dates_that_may_go_are_not_lost_however_they_are_written() -> None:
    def may_go(period: Period) -> bool:
        return period.month == 8

    for told in ("2026-08", "3. August 2026", "3 août", "3 de agosto de 2026", "août 2026", "8月3日"):
        assert lost_details(f"Prévu {told} ß : Rome", "Rome", may_go=may_go) == ()
    assert lost_details("Prévu le 3 septembre 2026", "Rome", may_go=may_go) == ("3", "septembre", "2026")
    assert lost_details("Ana comes on Monday, 2026-08-03", "Ana came", may_go=may_go) == ()


def test_a_word_that_opens_a_sentence_is_a_name_where_it_is_known_to_be_one() -> None:
    assert lost_details("Ana lives in a flat", "Lives in a house") == ()
    assert lost_details("Ana lives in a flat", "Lives in a house", names=["Ana"]) == ("Ana",)


def test_a_known_name_is_one_word_with_its_vowels_and_is_the_same_without_them() -> None:
    assert lost_details("هُدى زوجته", "هدى زوجته وأم يوسف", names=["هُدى"]) == ()
    assert lost_details("هُدى زوجته", "عنده زوجة", names=["هُدى"]) == ("هُدى",)
    assert lost_details("सोफिया बहन है", "बहन है", names=["सोफिया"]) == ("सोफिया",)


@pytest.mark.parametrize(
    ("old", "new", "name", "lost"),
    [
        ("蓮は息子で5歳", "息子は5歳", "蓮", ("蓮",)),
        ("蓮は息子で5歳", "息子の蓮は5歳", "蓮", ()),
        ("睡蓮が好きな息子", "息子", "蓮", ()),
        ("マイケル・チェンさんは上司", "上司はアメリカ人", "マイケル・チェン", ("チェン", "マイケル")),
        ("ﾏｲｹﾙは上司", "上司のマイケルさん", "マイケル", ()),
        ("สมชายเป็นพี่ชาย", "พี่ชายอายุ 30", "สมชาย", ("สมชาย",)),
        ("يعمل خالد في دبي", "سافر إلى دبي وخالد معه", "خالد", ()),
        ("سافر وخالد إلى دبي", "سافر إلى دبي", "خالد", ("خالد",)),
        ("الدين عليه كبير", "الدين كبير", "علي", ()),
    ],
)
def test_a_known_name_is_found_with_what_its_script_attaches_to_it(
    old: str, new: str, name: str, lost: tuple[str, ...]
) -> None:
    assert tuple(sorted(lost_details(old, new, names=[name]))) == lost


def test_a_name_with_a_title_is_said_without_it_and_with_particles() -> None:
    said = [names_in("佐藤の話は消しておいて")]
    assert says_name_of(said, "同僚の佐藤さんと合わない")
    assert not says_name_of(said, "同僚の佐々木さんと合わない")


def test_numbers_are_the_same_in_the_digits_and_with_the_separators_of_any_script() -> None:
    assert lost_details("السعر ١٬٢٠٠٫٥٠ دينار", "السعر 1200.50 دينار") == ()
    assert lost_details("السعر ١٬٢٠٠٫٥٠ دينار", "السعر معروف") == ("١٬٢٠٠٫٥٠",)


def test_the_names_of_the_two_who_talk_need_not_be_said_again() -> None:
    old, new = "Drove to Rome in May 2023 (Ada took it for Coach 7's idea)", "Drove to Rome"

    assert lost_details(old, new) == ("May", "2023", "Ada", "Coach", "7")
    assert lost_details(old, new, own=["Coach Ada 7"]) == ("May", "2023", "7")


@given(TEXTS, TEXTS)
def test_what_the_new_text_holds_whole_is_never_lost(old: str, more: str) -> None:
    assert lost_details(old, old) == ()
    assert lost_details(old, f"{old} {more}") == ()


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_only_what_stands_in_the_old_text_is_lost_each_once(old: str, new: str, names: list[str]) -> None:
    lost = lost_details(old, new, names=names)

    assert all(detail in unicodedata.normalize("NFKC", old) for detail in lost)
    assert len(set(lost)) == len(lost)


@given(st.lists(NAMES | NUMBERS | DATES, min_size=1, max_size=6, unique_by=str.casefold), st.data())
def test_a_detail_that_is_left_out_is_named_whatever_the_others(
    details: list[str], data: st.DataObject
) -> None:
    left_out = data.draw(st.sampled_from(details))
    parts = set(left_out.split("-"))
    kept = [detail for detail in details if detail != left_out and not parts & set(detail.split("-"))]

    lost = lost_details("it says " + " or ".join([left_out, *kept]), "it told " + ", ".join(kept))

    assert lost == (left_out,)


@given(st.lists(NAMES, min_size=1, max_size=6, unique_by=str.casefold), st.randoms())
def test_order_and_case_are_no_matter(names: list[str], random: object) -> None:
    old = "it says " + " and ".join(names)
    shuffled = sorted(names, key=lambda _: random.random())  # type: ignore[attr-defined]

    assert lost_details(old, f"so {', '.join(shuffled)}") == ()
    assert lost_details(old, f"so {' '.join(shuffled).upper()}") == ()


def test_many_names_in_other_letters_are_looked_up_in_time_that_grows_with_them() -> None:
    names = ["".join("абвгдежзик"[int(digit)] for digit in f"{number:04}").title() for number in range(8000)]

    def lose(count: int) -> None:
        assert len(lost_details(f"Это {' и '.join(names[:count])}", " да ".join(names[-count:]))) == count

    assert growth(lose, lambda count: count, size=500) < MOST


@pytest.mark.parametrize(
    "text", ["A" * 50_000, "A b " * 20_000, "1," * 30_000, "1-" * 30_000, "Ä'" * 30_000, "." * 60_000]
)
def test_no_text_is_read_more_than_a_few_times(text: str) -> None:
    """What grows with the square of the length would take minutes here, and the suite's own time limit end it."""
    assert lost_details(text, text) == ()
    assert len(lost_details(text, "")) <= 2
