"""A thousand other messages, in the long form three, about the topics of the cases, without any of the words that should go."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random

from django.utils import timezone

from memory.entries.adding import add_entry
from memory.models import EntrySource
from relationships.models import Relationship, TurnState
from relationships.services.sequence import allocate_seq
from relationships.services.turns import NewMessage, NewTurn, TurnDisposal, store_turn
from tests.acceptance.drills.talk import scaled
from tests.fixtures.turns import PERSON

TURNS = scaled(500, 1500)
PEOPLE = "Olga Karl Mira Pedro Yusuf Hanna Tomas Inga Bruno Lucy James Nils-Erik".split()
CITIES = "Vienna Lyon Porto Oslo Bonn Riga Parma Bath Gdansk Kyoto Valencia Rennes".split()
EVENTS = "concert meeting garden exam race choir film match museum report".split()
SAID = """{p} called today, we talked about {c}.|I had lunch with {p} near the station.|My flight to {c} was late again.
I drive to {c} every other week.|{p} works as a teacher in {c}.|What should I cook for {p}? No garlic.|I drank coffee before the {e}.
The server was down for {n} minutes today.|My brother and {p} went to {c} for the {e}.|I wear glasses now, {p} chose them.
{p} married in {c}.|I lost {n} euros at cards.|The school in {c} has a new {e}.|My number at the hotel was {n}.
I learned a lot at the {e} with {p}.|The order {n}-{m} came late.|My daughter likes the {e}.|{p} plays the piano and collects coins.
I worked until nine on the {e}.|{p} moved from {c} last spring.|Ich war mit {p} in {c}.|J'ai vu {p} hier.|Tengo que llamar a {p}.
Allergy season is bad in {c}.|I forgot my keys at {p}'s place.|{p} has a licence for boats.|My boss was in {c}, finally quiet.
I like whales less than {p} does.|Please remind me to buy a ticket for the {e}.|{p}'s birthday is in {m} days.""".replace(
    "\n", "|"
).split("|")
ECHOES = (
    "That sounds like {p}.",
    "{c} is worth a trip.",
    "How was the {e}?",
    "I see.",
    "Tell me more about {p}.",
)


def exchanges() -> Iterator[tuple[str, str]]:
    """The exchanges, the same every time."""
    random = Random(5)
    for _ in range(TURNS):
        words = {"p": random.choice(PEOPLE), "c": random.choice(CITIES), "e": random.choice(EVENTS)}
        words |= {"n": str(random.randrange(20, 9999)), "m": str(random.randrange(1, 99))}
        yield random.choice(SAID).format(**words), random.choice(ECHOES).format(**words)


def chat(relationship: Relationship) -> None:
    """Add the exchanges, read long ago, and an entry for every fifth."""
    start = timezone.now() - timedelta(days=300)
    for number, (said, echo) in enumerate(exchanges()):
        turn = NewTurn(
            [NewMessage("user", said), NewMessage("assistant", echo)],
            occurred_at=start + timedelta(hours=number),
        )
        store_turn(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            seq=allocate_seq(relationship.id, count=3),
            turn=turn,
            disposal=TurnDisposal(TurnState.APPLIED, None),
            now=timezone.now(),
        )
        if number % 5 == 0:
            values = {"content": f"{said.rstrip('.')} ({number})", "type": "other"}
            add_entry(relationship=relationship, values=values, by=PERSON, source=EntrySource.TURN)
