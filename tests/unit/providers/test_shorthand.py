import pytest

from providers.shorthand import spelt_out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pls forget abt my ex lol", "please forget about my ex ,"),
        ("my gf n my sis came 2day", "my girlfriend n my sister came today"),
        ("I shldnt of told u b4 xmas", "I should not of told u before xmas"),
        ("no way bro", "no way bro"),
        ("She is an RN in BC, GF and all", "She is an RN in BC, GF and all"),
        ("My PPL is in flat B4, from ABT", "My PPL is in flat B4, from ABT"),
        ("mail me@wk.example, order PLS-17, #omg, wk.pdf", "mail me@wk.example, order PLS-17, #omg, wk.pdf"),
        ("Kunt u dat wissen? Ich hab's n Jahr lang", "Kunt u dat wissen? Ich hab's n Jahr lang"),
    ],
)
def test_short_forms_are_written_in_full_and_what_looks_like_them_is_left(typed: str, meant: str) -> None:
    assert spelt_out(typed) == meant
