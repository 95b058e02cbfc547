"""What people in the stories talk about: how each thing is told, how it is remembered, and how it ends.

`{a}` is the value that was told last, `{b}` the next. No statement of a topic holds another one of it, so that a text
which contains a statement says that and nothing else.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """`says` is empty where nothing takes the place of what ends."""

    kind: str
    message: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    question: str
    message: str
    says: str
    events: tuple[Event, ...]


TOPICS: tuple[Topic, ...] = (
    Topic(
        "Do you remember which city I live in?",
        "I live in the city of {a}.",
        "Lives in the city of {a}",
        (
            Event("move", "We have moved: since Monday I live in the city of {b}.", "Lives in the city of {b}"),
            Event("correction", "Not {a}, that was wrong. I live in the city of {b}.", "Lives in the city of {b}"),
        ),
    ),
    Topic(
        "Which company do I work at?",
        "I work at a company called {a}.",
        "Works at the company {a}",
        (
            Event("job", "I have changed jobs and work at a company called {b} now.", "Works at the company {b}"),
            Event("negation", "I don't work at {a} any more, I left.", "Has left the company {a}"),
        ),
    ),
    Topic(
        "What is my name, how do you call me?",
        "My name is {a}.",
        "Is called by the name {a}",
        (
            Event("name", "Please call me {b} from now on, that is my name.", "Is called by the name {b}"),
            Event("correction", "My name is spelled {b}, {a} was a slip.", "Is called by the name {b}"),
        ),
    ),
    Topic(
        "What is the name of my sister?",
        "My sister's name is {a}.",
        "Has a sister with the name {a}",
        (
            Event("correction", "I mixed them up: my sister's name is {b}, not {a}.", "Has a sister with the name {b}"),
            Event("retraction", "I was joking, there is no sister {a}. I have none."),
        ),
    ),
    Topic(
        "What is my favourite dish?",
        "My favourite dish is {a}.",
        "Has {a} as a favourite dish",
        (
            Event("preference", "These days my favourite dish is {b}.", "Has {b} as a favourite dish"),
            Event("negation", "I can't stand the dish {a} any more.", "Dislikes the dish {a}"),
        ),
    ),
    Topic(
        "Which drink do I drink in the morning?",
        "Every morning I drink a cup of {a}.",
        "Drinks a cup of {a} every morning",
        (
            Event("preference", "I drink {b} every morning now.", "Drinks a cup of {b} every morning"),
            Event("negation", "I gave up {a}, I no longer drink it.", "Has given up the drink {a}"),
        ),
    ),
    Topic(
        "What am I allergic to?",
        "I am allergic to {a}.",
        "Is allergic to {a}",
        (
            Event("correction", "The doctor says I am allergic to {b}, and {a} was a mistake.", "Is allergic to {b}"),
            Event("negation", "The test is back: I am not allergic to {a}.", "Has no allergy against {a}"),
        ),
    ),
    Topic(
        "Whom do I owe money?",
        "Between you and me, I owe {a} a lot of money.",
        "Owes {a} a lot of money",
        (
            Event("forget that", "Please forget that I owe {a} money."),
            Event("correction", "It is {b} whom I owe the money, not {a}.", "Owes {b} a lot of money"),
        ),
    ),
    Topic(
        "Do you know whom I had a date with?",
        "Last week I had a date with {a}.",
        "Had a date with {a}",
        (
            Event("forget that", "Forget what I told you about the date with {a}."),
            Event("retraction", "I made that up, I never had a date with {a}."),
        ),
    ),
    Topic(
        "Which instrument do I play?",
        "I play the {a}, an old instrument.",
        "Plays the instrument {a}",
        (
            Event("preference", "I play the {b} now, it is a finer instrument.", "Plays the instrument {b}"),
            Event("retraction", "To be honest I don't play the {a}, and never did."),
        ),
    ),
    Topic(
        "What do I want to learn?",
        "This year I want to learn {a}.",
        "Wants to learn {a}",
        (
            Event("preference", "I want to learn {b} instead.", "Wants to learn {b}"),
            Event("forget that", "Forget about {a}, please, don't mention it again."),
        ),
    ),
    Topic(
        "Which school do my children go to?",
        "My children go to the school {a}.",
        "Has children at the school {a}",
        (
            Event("move", "The children go to the school {b} since we moved.", "Has children at the school {b}"),
            Event("retraction", "That with the school {a} was wrong, the children are too small."),
        ),
    ),
)  # fmt: skip
SMALL_TALK = (
    "It rained all day here.",
    "How are you today?",
    "Ha, that made me laugh.",
    "I am a bit tired.",
    "Thanks!",
)
