"""The short forms of English in which people type in chats: "pls forget abt my ex lol". Pure."""

import re

_FORMS = {
    "please": "pls plz", "thanks": "thx thnx tysm", "because": "cuz coz bcuz",
    "today": "2day", "tonight": "2nite 2night", "night": "nite", "tomorrow": "tmrw tmr tmw 2moro", "week": "wk",
    "weeks": "wks", "weekend": "wknd", "year": "yr", "years": "yrs", "should": "shld", "would": "wld", "could": "cld",
    "should not": "shldnt", "would not": "wldnt", "something": "smth smthg", "birthday": "bday",
    "probably": "prob probs", "love": "luv", "appointment": "appt", ",": "lol lmao lmfao omg ngl tbh",
}  # fmt: skip
# In capitals they are a nurse, a province, gluten-free, a flat, a licence.
_SMALL = {
    "girlfriend": "gf", "boyfriend": "bf", "right now": "rn", "because": "bc", "before": "b4", "people": "ppl",
    "about": "abt",
}  # fmt: skip
_OF_MINE = {"sister": "sis", "brother": "bro"}  # otherwise they only address somebody
_PLAIN = {
    short: plain for forms in (_FORMS, _SMALL, _OF_MINE) for plain, listed in forms.items() for short in listed.split()
}  # fmt: skip
_ANY = "|".join(
    sorted((short for forms in _FORMS.values() for short in forms.split()), key=len, reverse=True)
)
_SHORT = re.compile(
    rf"(?<![\w'’@#./-])(?:(?i:{_ANY})|{'|'.join(_SMALL.values())}|(?<=\b[Mm]y )(?:sis|bro))(?![\w'’@/-]|\.\w)"
)


def spelt_out(text: str) -> str:
    """Write short forms in full, and a comma for what only laughs."""
    return _SHORT.sub(lambda found: _PLAIN[found[0].lower()], text)
