"""HaluMem's chats with an assistant, and its questions.

The evidence of a question is facts, each from a session. So it is counted of how many of these sessions a message is
found.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.recall.evidence import found, pair_of, shares, store
from benchmarks.recall.sets import Person
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.backfill import rebuild_index


def chats(people: Sequence[Person]) -> Section:
    """Search as a default installation does: without an embedder, and in the detected language."""
    found_of = []
    for person in people:
        say(f"asking HaluMem: {person.name}")
        relationship = pair_of(f"chat-{person.name}", Retrieval(), user="Maya", companion="Ada")
        messages = store(relationship, person.messages, user="user")
        rebuild_index(relationship.id)
        sessions = {message.id: message.session for message in messages}
        for asked in person.questions:
            there = [sessions[id] for id in found(relationship, asked.text, Retrieval())]
            found_of.append(shares(asked.evidence, there))
    means = np.array(found_of).mean(axis=0) * 100
    return Section(
        "Sessions found in chats with an assistant",
        f"HaluMem, {len(people)} people, {len(found_of)} questions: of each question's sessions, the share of which a "
        "message is found.",
        [Figure("sessions @10", float(means[0]), "%", Goal(85, at_most=False))],
        ("", "@10", "@20"),
        [("best, as installed", *(f"{mean:.1f}" for mean in means))],
    )
