"""Rules: nationality and belief, languages, time zone, pronouns, character."""

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement

_DEMONYMS = "|".join(
    (
        "african american argentinian armenian asian australian austrian belgian bolivian brazilian british "
        "bulgarian canadian chilean chinese colombian congolese croatian cuban cypriot czech danish dutch "
        "ecuadorian egyptian english estonian ethiopian european filipino finnish french georgian german ghanaian "
        "greek hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican japanese "
        "jordanian kenyan korean latvian lebanese lithuanian malaysian mexican moroccan nepali nigerian norwegian "
        "pakistani palestinian persian peruvian polish portuguese romanian russian saudi scottish senegalese "
        "serbian singaporean slovak slovenian somali spanish swedish swiss syrian taiwanese thai tunisian turkish "
        "ukrainian uruguayan venezuelan vietnamese welsh catholic christian jewish muslim hindu buddhist protestant "
        "sikh"
    ).split()
)
_NATIONALITY = pattern(
    rf"^(?:half[ -])?(?:{_DEMONYMS})(?:(?:,| and|,? half)[ -](?:half[ -])?(?:{_DEMONYMS})|[ -](?:\w+ian|american))?$"
)
_I_AM = pattern(r"^I am (?P<what>.+)$")
_SPEAK = pattern(
    r"^(?:I (?:speak|am fluent in)|my (?:native language|mother tongue|first language) is) (?P<languages>.{3,80})$"
)
_TIMEZONE = pattern(r"^my time ?zone is (?P<zone>[\w/+:-]+(?: \w+)?)")
_PRONOUNS = pattern(r"^my pronouns are (?P<what>\w+/\w+(?:/\w+)?)$")
_TASTE = pattern(
    r"^(?:not )?(?:more of |very much |much more of )?(?:an? )?(?:(?!lucky|happy|only|right|first"
    r"|last)\w+ )?(?:person|night owl|early bird|early riser|foodie|bookworm|homebody)$"
)
_CHARACTER = pattern(
    r"^(?:not )?(?:an? )?(?:\w+ )?(?:introvert|extrovert|perfectionist|minimalist|workaholic|atheist|agnostic"
    r"|feminist|left-handed|right-handed|gay|lesbian|bisexual|queer|trans|transgender|non-binary|nonbinary|deaf"
    r"|colou?r-?blind|dyslexic|autistic|religious|(?:deaf|blind) in (?:one|my left|my right) (?:ear"
    r"|eye))(?: (?:wo)?man)?$"
)


def is_nationality(text: str) -> bool:
    """Whether the word says where somebody belongs: "Brazilian", "half Irish", "Catholic"."""
    return bool(_NATIONALITY.match(text))


def read_traits(clause: Clause, reading: Reading) -> bool:
    """What the person is by nature, birth or conviction."""
    return _told_by_name(clause, reading) or _told_by_being(clause, reading)


def _told_by_name(clause: Clause, reading: Reading) -> bool:
    if found := _SPEAK.match(clause.text):
        if any(word[0].isupper() for word in found["languages"].split()):
            reading.keep(clause, "identity", capitalised(f"speaks {found['languages']}"))
        return True
    if found := _TIMEZONE.match(clause.text):
        reading.keep(clause, "identity", f"Time zone is {found['zone']}", key="timezone")
        return True
    if found := _PRONOUNS.match(clause.text):
        reading.keep(clause, "identity", f"Pronouns are {found['what'].lower()}")
        return True
    return False


def _told_by_being(clause: Clause, reading: Reading) -> bool:
    found = _I_AM.match(clause.text)
    if not found:
        return False
    if _TASTE.match(found["what"]):
        reading.keep(clause, "preference", statement(clause.text))
        return True
    if is_nationality(found["what"]) or _CHARACTER.match(found["what"]):
        reading.keep(clause, "identity", statement(clause.text))
        return True
    return False
