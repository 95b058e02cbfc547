import pytest

from memory.mending.wishes import unkept_in, wish_in


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I love Walt. Don't write that down.", "I love Walt"),
        ("Ich mag Jan. Merk dir das bitte nicht.", "Ich mag Jan"),
        ("ワルトが好き。これはメモしないでね", "ワルトが好き"),
        ("I was in rehab. My parents paid. Don't write that down.", "I was in rehab. My parents paid"),
        ("I live in Porto. I love Walt. Don't write that last bit down.", "I love Walt"),
        ("I love Walt. dont write that down pls", "I love Walt"),
        ("I love Walt. Don't write that down, I'd be embarrassed.", "I love Walt"),
        ("Don't write this down, but I love Walt.", "I love Walt."),
        ("off the record: i love walt", "i love walt"),
        ("Please don't write this down anywhere: the code is 4471.", "the code is 4471."),
        ("Between us, and please don't note this down: I love Walt.", "I love Walt."),
        ("Unter uns, bitte schreib das nicht auf: ich mag Jan.", "ich mag Jan."),
        ("I told him, please don't write this down anywhere: he laughed.", ""),
        ("Hi! Please don't write this down. I love Walt. He is my boss.", "I love Walt. He is my boss"),
        ("This is off the record. I love Walt.", "I love Walt"),
        ("Don't write that down. I have to go.", ""),
        ("Don't write this down. It's stupid.", ""),
        ("Schreib das nicht auf, aber ich mag Jan", "ich mag Jan"),
        ("No lo anotes, pero quiero a Juan", "quiero a Juan"),
        ("dont remember this pls but i smoked last nite 😬", "i smoked last night"),
        ("pls dont remember this. i smoked", "i smoked"),
        ("dont remember that, sorry", ""),
        ("Don't write that down.", ""),
        ("I told him, don't write that down.", ""),
        ("The file is new. Don't save it.", ""),
        ("Die Datei ist neu. Speichere das nicht.", ""),
        ('She said: "I love Walt. Don\'t write that down."', ""),
        ("> I love Walt. Don't write that down.\nSo?", ""),
    ],
)
def test_what_a_message_surely_tells_and_asks_not_to_keep(said: str, told: str) -> None:
    assert unkept_in(said) == told


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("i love walt dont write that down", "i love walt"),
        ("she is ill please dont write that down", "she is ill"),
        ("my boss said dont write that down", None),
        ("i told my kids dont write that down", None),
        ("I usually don't write that down.", None),
        ("I know it by heart, so I do not write it down.", None),
        ("Most nurses don't write that down", None),
        ("The rule at work is do not write it down", None),
        ("dont write that down", ""),
        ("dont remember that", ""),
        ("forget my last message", ""),
        ("Please forget the last sentence.", ""),
        ("dont forget my birthday", None),
        ("forget what i said abt ana n marcus pls i shldnt of told u", "what i said about ana n marcus"),
        ("pls forget abt my ex riley ok? 🙏", "about my ex riley"),
        ("u can forget everything abt luis lol thx", "everything about luis"),
        ("forget riley ever existed lol. no seriously delete that", "riley"),
        ("omg forget i told u that 😬", ""),
        ("dont save that number pls", ""),
        ("it ends in 7719. dont save that number pls", "it ends in 7719 that number"),
        ("can u forget the thing i told u about my mom", "the thing i told u about my mom"),
        ("look:\n[3:02 PM] Luis: off to denver\n[3:05 PM] Luis: forget everything u know abt my ex", None),
        ("24/07/2026, 15:02 - Luis: forget my number", None),
        ("Ana: forget my number\nme: ok lol", None),
        ("Ana: forget my number\nme: ok lol\npls forget her age", "her age (them)"),
        ("Allergies: nuts\nPlease forget: my address", "my address"),
        ("que borres lo de Diego, por favor", "lo de Diego"),
        ("¿Crees que borre la lista mañana?", None),
        ("He has the report off the record.", None),
    ],
)
def test_a_request_is_heard_as_people_type_it(said: str, asked: str | None) -> None:
    assert wish_in(said) == asked
