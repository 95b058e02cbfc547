"""Wishes to forget, with what must be gone and what must survive: ten kinds, made of tables of facts.

A fact: what the entry says, what the person said, what the companion answered. Survivors stand in the same relationship.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    entry: str
    said: str
    echo: str = "I see."
    subject: str = "user"


@dataclass(frozen=True, slots=True)
class Case:
    """`gone`: words of which none may be visible in what is left. `stays`: texts that entries must still have."""

    kind: str
    number: int
    facts: tuple[Fact, ...]
    wish: str
    gone: tuple[str, ...]
    stays: tuple[str, ...]
    again: Fact | None = None

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}"


# entry | said | echo | word that tells it | a topic of the wish
OWN = [
    (
        "Lives in Vienna",
        "I live in Vienna.",
        "Since you live in Vienna, the opera is near.",
        "Vienna",
        "my living in Vienna",
    ),
    (
        "Works at Siemens",
        "I work at Siemens.",
        "Siemens must keep you busy.",
        "Siemens",
        "my work at Siemens",
    ),
    (
        "Is allergic to peanuts",
        "I'm allergic to peanuts.",
        "Noted: no peanuts for you.",
        "peanuts",
        "my allergy to peanuts",
    ),
    ("Plays the violin", "I play the violin.", "The violin is a noble thing.", "violin", "my violin"),
    ("Drives a Volvo", "I drive a Volvo.", "A Volvo is safe.", "Volvo", "my Volvo"),
    ("Has a cat named Mimi", "I have a cat named Mimi.", "Say hello to Mimi.", "Mimi", "my cat Mimi"),
    (
        "Studied chemistry in Leiden",
        "I studied chemistry in Leiden.",
        "Leiden is lovely.",
        "Leiden",
        "my studies in Leiden",
    ),
    (
        "Wants to run a marathon",
        "I want to run a marathon.",
        "A marathon takes months.",
        "marathon",
        "the marathon",
    ),
    ("Takes sertraline", "I take sertraline.", "Has sertraline helped?", "sertraline", "sertraline"),
    (
        "Owes 4,500 euros to a bank",
        "I owe 4,500 euros to a bank.",
        "4,500 is a lot.",
        "4,500",
        "the 4500 euros",
    ),
    ("Collects stamps", "I collect stamps.", "Which stamps do you like?", "stamps", "my stamps"),
    ("Prefers oat milk", "I prefer oat milk.", "Oat milk it is.", "oat", "oat milk"),
]
PEOPLE = [
    ("Tom", "Anna", "lives in Graz", "Graz"),
    ("Noor", "Sara", "works at Philips", "Philips"),
    ("Ivan", "Olga", "plays chess", "chess"),
    ("Mia", "Ben", "has diabetes", "diabetes"),
    ("Luca", "Marta", "studies law", "law"),
    ("Jonas", "Petra", "owns a bakery", "bakery"),
    ("Aiko", "Kenji", "speaks Korean", "Korean"),
    ("Diego", "Rosa", "drives a taxi", "taxi"),
]
IDENTIFIERS = [
    ("ticket", "ORD-17", "ORD-170"),
    ("ticket", "ORD-170", "ORD-17"),
    ("email address", "eva@firm.org", "eva@firm.org.br"),
    ("email address", "jo@web.de", "jo.lang@web.de"),
    ("phone number", "020-7946-0018", "020-7946-00181"),
    ("booking", "XK7Q2", "XK7Q20"),
    ("website", "https://maya.dev", "https://maya.dev/blog"),
    ("case", "CASE-2024-9", "CASE-2024-91"),
    ("account", "DE89370400440532013000", "DE89370400440532013001"),
    ("flight", "LH-430", "LH-4301"),
    ("room", "B12", "B120"),
    ("invoice", "#88123", "#881234"),
    ("plate", "W-4711-X", "W-4711-XY"),
    ("order", "A-1", "A-10"),
    ("policy", "PN 55-102", "PN 55-1021"),
    ("badge", "0042317", "00423170"),
]
TWO = [
    ("Has a cat and drives a Volvo", "I have a cat and drive a Volvo.", "the Volvo", "Volvo", "cat"),
    ("Has a cat and drives a Volvo", "I have a cat and I drive a Volvo.", "my cat", "cat", "Volvo"),
    ("Likes tea and coffee", "I like tea and coffee.", "coffee", "coffee", "tea"),
    ("Likes tea and coffee", "I like tea and coffee.", "that I like tea", "tea", "coffee"),
    (
        "Lives in Porto and works at Galp",
        "I live in Porto and work at Galp.",
        "that I work at Galp",
        "Galp",
        "Porto",
    ),
    (
        "Lives in Porto and works at Galp",
        "I live in Porto and work at Galp.",
        "that I live in Porto",
        "Porto",
        "Galp",
    ),
    (
        "Speaks Dutch, Greek and Finnish",
        "I speak Dutch, Greek and Finnish.",
        "that I speak Greek",
        "Greek",
        "Finnish",
    ),
    ("Plays tennis, chess and golf", "I play tennis, chess and golf.", "chess", "chess", "golf"),
    (
        "Is allergic to nuts and shellfish",
        "I am allergic to nuts and shellfish.",
        "my allergy to shellfish",
        "shellfish",
        "nuts",
    ),
    ("Is a nurse. Has two sons.", "I'm a nurse. I have two sons.", "that I am a nurse", "nurse", "sons"),
    ("Is a nurse; owns a boat", "I'm a nurse and own a boat.", "the boat", "boat", "nurse"),
    (
        "Tom lives in Graz and works at Acme",
        "Tom lives in Graz and works at Acme.",
        "that Tom works at Acme",
        "Acme",
        "Graz",
    ),
    (
        "Tom lives in Graz and works at Acme",
        "Tom lives in Graz and works at Acme.",
        "that Tom lives in Graz",
        "Graz",
        "Acme",
    ),
    ("Owns a boat but hates sailing", "I own a boat but hate sailing.", "the boat", "boat", "sailing"),
    (
        "Grew up in Lyon, studied in Delft",
        "I grew up in Lyon, studied in Delft.",
        "that I studied in Delft",
        "Delft",
        "Lyon",
    ),
    (
        "Runs every morning and smokes a pipe",
        "I run every morning and smoke a pipe.",
        "the pipe",
        "pipe",
        "morning",
    ),
    (
        "Has asthma and takes salbutamol",
        "I have asthma and take salbutamol.",
        "that I take salbutamol",
        "salbutamol",
        "asthma",
    ),
    (
        "Is divorced and has a daughter",
        "I'm divorced and have a daughter.",
        "that I am divorced",
        "divorced",
        "daughter",
    ),
]
SPELLINGS = [
    ("Renée Müller", "renee muller"),
    ("Renée Müller", "Renee Mueller"),
    ("José Núñez", "Jose Nunez"),
    ("Łukasz Wójcik", "Lukasz Wojcik"),
    ("Søren Kjær", "Soren Kjaer"),
    ("O'Brien", "O’Brien"),
    ("Anne-Marie", "Anne Marie"),
    ("020-7946-0018", "+44 20 7946 0018"),
    ("02079460018", "020 7946 0018"),
    ("+43 660 1234567", "0660-1234567"),
    ("ORD-17", "ord 17"),
    ("Eva@Firm.org", "eva@firm.org"),
    ("https://www.maya.dev/", "maya.dev"),
    ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    ("Zoë", "zoe"),
    ("François", "Francois"),
    ("Ｔａｎａｋａ", "Tanaka"),
    ("Straße des Friedens", "Strasse des Friedens"),
    ("Ana María", "ana maria"),
    ("1,250 dollars", "1250 dollars"),
]
LANGUAGES = [
    ("Wohnt in Wien", "Ich wohne in Wien.", "Vergiss bitte, dass ich in Wien wohne.", "Wien"),
    ("Arbeitet bei Bosch", "Ich arbeite bei Bosch.", "Bitte vergiss, dass ich bei Bosch arbeite.", "Bosch"),
    (
        "Hat eine Katze namens Minka",
        "Ich habe eine Katze namens Minka.",
        "Vergiss alles über Minka.",
        "Minka",
    ),
    ("Fährt einen Opel", "Ich fahre einen Opel.", "Lösche, was ich über den Opel gesagt habe.", "Opel"),
    ("Mag keinen Käse", "Ich mag keinen Käse.", "Vergiss, dass ich keinen Käse mag.", "Käse"),
    ("Habite à Lyon", "J'habite à Lyon.", "Oublie que j'habite à Lyon.", "Lyon"),
    (
        "Travaille chez Renault",
        "Je travaille chez Renault.",
        "S'il te plaît, oublie que je travaille chez Renault.",
        "Renault",
    ),
    ("A un chien appelé Filou", "J'ai un chien appelé Filou.", "Oublie tout sur Filou.", "Filou"),
    ("Aime le jazz", "J'aime le jazz.", "Oublie que j'aime le jazz.", "jazz"),
    ("Vive en Sevilla", "Vivo en Sevilla.", "Olvida que vivo en Sevilla.", "Sevilla"),
    ("Trabaja en Iberia", "Trabajo en Iberia.", "Por favor, olvida que trabajo en Iberia.", "Iberia"),
    ("Tiene un gato llamado Pancho", "Tengo un gato llamado Pancho.", "Olvida todo sobre Pancho.", "Pancho"),
    ("Abita a Torino", "Abito a Torino.", "Dimentica che abito a Torino.", "Torino"),
    ("Lavora alla Fiat", "Lavoro alla Fiat.", "Dimentica che lavoro alla Fiat.", "Fiat"),
    ("Mora em Braga", "Moro em Braga.", "Esquece que moro em Braga.", "Braga"),
    ("Woont in Utrecht", "Ik woon in Utrecht.", "Vergeet dat ik in Utrecht woon.", "Utrecht"),
    ("Werkt bij Shell", "Ik werk bij Shell.", "Vergeet dat ik bij Shell werk.", "Shell"),
    (
        "Ist allergisch gegen Nüsse",
        "Ich bin allergisch gegen Nüsse.",
        "Vergiss meine Allergie gegen Nüsse.",
        "Nüsse",
    ),
    ("Parle le breton", "Je parle le breton.", "Oublie que je parle breton.", "breton"),
    ("Toca la guitarra", "Toco la guitarra.", "Olvida lo de la guitarra.", "guitarra"),
]
PARAPHRASES = [
    ("Lives in Vienna", "I moved into a flat in Vienna.", "Vienna is nice.", "where I live", "Vienna"),
    ("Works as a nurse at Acme", "I'm a nurse at Acme.", "Acme is big.", "what I do for work", "Acme"),
    (
        "Is allergic to peanuts",
        "Peanuts make my throat swell.",
        "No peanuts then.",
        "my food allergy",
        "peanuts",
    ),
    ("Wife is called Ilse", "My wife is Ilse.", "Greet Ilse.", "my wife's name", "Ilse"),
    ("Earns 52,000 euros a year", "I make 52,000 euros a year.", "52,000 is fair.", "my salary", "52,000"),
    (
        "Was born on 4 May 1988",
        "My birthday is 4 May 1988.",
        "I'll remember 4 May 1988.",
        "my birthday",
        "1988",
    ),
    ("Has a dog named Rex", "We have a dog, Rex.", "Rex sounds fun.", "the name of my dog", "Rex"),
    (
        "Smokes ten cigarettes a day",
        "I smoke ten cigarettes a day.",
        "Cigarettes are costly.",
        "that I'm a smoker",
        "cigarettes",
    ),
    ("Mother died in March", "My mother died in March.", "I'm sorry about March.", "my mum's death", "March"),
    ("Drives a red Fiat", "I've got a red Fiat.", "A red Fiat!", "my car", "Fiat"),
    (
        "Mobile is 0660 1234567",
        "You can reach me on 0660 1234567.",
        "Saved 0660 1234567.",
        "my phone number",
        "1234567",
    ),
    (
        "Lost money at the casino",
        "I lost a lot at the casino.",
        "The casino always wins.",
        "my gambling",
        "casino",
    ),
]
CHANGES = [
    (
        "Lives in {new}",
        "I live in {new} now.",
        "Lived in {old} until 2019",
        "I lived in {old} until 2019.",
        "that I lived in {old}",
    ),
    (
        "Works at {new}",
        "I work at {new} now.",
        "Used to work at {old}",
        "I used to work at {old}.",
        "my time at {old}",
    ),
    (
        "Is with {new}",
        "I'm with {new}.",
        "Was married to {old}",
        "I was married to {old}.",
        "everything about {old}",
    ),
]
PAIRS = [
    ("Oslo", "Rome"),
    ("Bergen", "Turku"),
    ("Malmö", "Zürich"),
    ("Leeds", "Hull"),
    ("Quito", "Lima"),
    ("Kyoto", "Nara"),
    ("Gent", "Brugge"),
    ("Cork", "Derry"),
    ("Split", "Zadar"),
    ("Varna", "Ruse"),
    ("Tartu", "Narva"),
]
DENIALS = [
    (
        "Does not eat meat",
        "I don't eat meat.",
        "that I don't eat meat",
        "meat",
        "Eats fish on Fridays",
        "I eat fish on Fridays.",
    ),
    (
        "Does not drink alcohol",
        "I don't drink alcohol.",
        "that I don't drink alcohol",
        "alcohol",
        "Drinks a lot of coffee",
        "I drink a lot of coffee.",
    ),
    (
        "Never learned to swim",
        "I never learned to swim.",
        "that I never learned to swim",
        "swim",
        "Learned to ski",
        "I learned to ski.",
    ),
    (
        "Does not want children",
        "I don't want children.",
        "that I don't want children",
        "children",
        "Wants a garden",
        "I want a garden.",
    ),
    (
        "Is not religious",
        "I'm not religious.",
        "that I'm not religious",
        "religious",
        "Is vegetarian",
        "I'm vegetarian.",
    ),
    ("Cannot drive", "I can't drive.", "that I can't drive", "drive", "Can juggle", "I can juggle."),
    (
        "Has no siblings",
        "I have no siblings.",
        "that I have no siblings",
        "siblings",
        "Has two cousins",
        "I have two cousins.",
    ),
    ("No longer smokes", "I no longer smoke.", "that I no longer smoke", "smoke", "Chews gum", "I chew gum."),
    (
        "Does not trust Piotr",
        "I don't trust Piotr.",
        "that I don't trust Piotr",
        "Piotr",
        "Trusts Hanna",
        "I trust Hanna.",
    ),
    (
        "Has not told the boss",
        "I haven't told the boss.",
        "that I haven't told the boss",
        "boss",
        "Told Lena",
        "I told Lena.",
    ),
]
ASKS = (
    "Please forget {0}.",
    "Forget {0}",
    "Can you forget {0}?",
    "I want you to forget {0}.",
    "Delete {0} from your memory, please.",
)


def ask(number: int, what: str) -> str:
    if what.startswith("that "):
        return ASKS[number % 4].format(what)
    return ASKS[number % 5].format(what)


def own_fact(number: int) -> Fact:
    return Fact(*OWN[number % len(OWN)][:3])


def cases() -> Iterator[Case]:
    makers = [
        equal,
        identifiers,
        paraphrases,
        denials,
        changes,
        people,
        two_facts,
        spellings,
        languages,
        told_again,
    ]
    for make in makers:
        for number, (facts, wish, gone, stays, again) in enumerate(make(), start=1):
            yield Case(make.__name__, number, tuple(facts), wish, tuple(gone), tuple(stays), again)


Row = tuple[list[Fact], str, list[str], list[str], Fact | None]


def equal() -> Iterator[Row]:
    for number, (entry, said, echo, word, topic) in enumerate(OWN):
        others = [own_fact(number + 3), own_fact(number + 7)]
        facts, stays = [Fact(entry, said, echo), *others], [one.entry for one in others]
        statement = "that " + said[0].lower().replace("i", "I") + said[1:].rstrip(".")
        for place, what in enumerate((statement, topic, f"what I said about {word}")):
            yield facts, ask(number + place, what), [word], stays, None


def identifiers() -> Iterator[Row]:
    for number, (noun, one, other) in enumerate(IDENTIFIERS):
        facts = [
            Fact(f"Has the {noun} {one}", f"My {noun} is {one}.", f"Got it, {one}."),
            Fact(f"Also has the {noun} {other}", f"The other {noun} is {other}.", f"And {other}."),
            own_fact(number),
        ]
        for place, what in enumerate((f"my {noun} {one}", one)):
            yield facts, ask(number + place, what), [one], [other, facts[2].entry], None


def paraphrases() -> Iterator[Row]:
    for number, (entry, said, echo, what, word) in enumerate(PARAPHRASES):
        others = [
            Fact("Likes jazz", "I like jazz."),
            Fact("Sister Ana lives in Porto", "My sister Ana lives in Porto."),
        ]
        for place in range(3):
            yield (
                [Fact(entry, said, echo), *others],
                ask(number + place, what),
                [word],
                [one.entry for one in others],
                None,
            )


def denials() -> Iterator[Row]:
    for number, (entry, said, what, word, other, other_said) in enumerate(DENIALS):
        for place in range(3):
            facts = [Fact(entry, said), Fact(other, other_said), own_fact(number + place + 4)]
            yield facts, ask(number + place, what), [word], [other, facts[2].entry], None


def changes() -> Iterator[Row]:
    for number, (new, old) in enumerate(PAIRS):
        for entry, said, was, was_said, what in CHANGES:
            fill = {"new": new, "old": old}
            now = Fact(entry.format(**fill), said.format(**fill))
            then = Fact(was.format(**fill), was_said.format(**fill), f"{old} has changed since.")
            yield (
                [now, then, own_fact(number + 1)],
                ask(number, what.format(**fill)),
                [old],
                [now.entry],
                None,
            )


def people() -> Iterator[Row]:
    for number, (one, other, does, word) in enumerate(PEOPLE):
        sure, spared = (
            Fact(f"{one} {does}", f"My friend {one} {does}."),
            Fact(f"{other} {does}", f"{other} {does}, too."),
        )
        yield [sure, spared], ask(number, f"that {one} {does}"), [one], [spared.entry], None
        yield (
            [sure, spared, own_fact(number)],
            ask(number, f"everything about {one}"),
            [one],
            [spared.entry, own_fact(number).entry],
            None,
        )
        about = Fact(does.capitalize(), f"{one} {does}.", subject=one)
        yield (
            [about, Fact(does.capitalize(), f"{other} {does}.", subject=other)],
            ask(number, f"that {one} {does}"),
            [one],
            [does.capitalize()],
            None,
        )
        plural = {
            "lives in": "live in",
            "works at": "work at",
            "plays": "play",
            "has": "have",
            "studies": "study",
            "owns": "own",
            "speaks": "speak",
            "drives": "drive",
        }
        verb = next(key for key in plural if does.startswith(key))
        both = Fact(
            f"{other} and {one} {plural[verb]}{does[len(verb) :]}",
            f"{other} and {one} {plural[verb]}{does[len(verb) :]}.",
        )
        yield [both, own_fact(number + 2)], ask(number, f"that {one} {does}"), [one], [other, word], None
        del word


def two_facts() -> Iterator[Row]:
    for number, (entry, said, what, word, rest) in enumerate(TWO):
        for place in range(2):
            yield (
                [Fact(entry, said), own_fact(number + 6 + place)],
                ask(number + 2 * place, what),
                [word],
                [rest],
                None,
            )


def spellings() -> Iterator[Row]:
    for number, (kept, asked) in enumerate(SPELLINGS):
        facts = [
            Fact(f"Reaches {kept} on Mondays", f"I reach {kept} on Mondays.", f"{kept}, I see."),
            own_fact(number),
        ]
        yield facts, ask(number, asked), [kept], [facts[1].entry], None
        turned = [Fact(f"Often thinks of {asked}", f"I often think of {asked}."), own_fact(number + 1)]
        yield turned, ask(number, f"what I said about {kept}"), [asked], [turned[1].entry], None


def languages() -> Iterator[Row]:
    for number, (entry, said, wish, word) in enumerate(LANGUAGES):
        other = LANGUAGES[(number + 2) % len(LANGUAGES)]
        more = LANGUAGES[(number + 7) % len(LANGUAGES)]
        spared = [Fact(row[0], row[1]) for row in (other, more)]
        yield [Fact(entry, said, f"{word}!"), *spared], wish, [word], [one.entry for one in spared], None
        yield [Fact(entry, said), own_fact(number)], wish, [word], [own_fact(number).entry], None


def told_again() -> Iterator[Row]:
    for number, (entry, said, echo, word, _) in enumerate(OWN):
        other = own_fact(number + 5)
        statement = "that " + said[0].lower().replace("i", "I") + said[1:].rstrip(".")
        for place in range(3):
            again = Fact(entry, said) if place else None
            yield (
                [Fact(entry, said, echo), other],
                ask(number + place, statement),
                [word],
                [other.entry],
                again,
            )
