"""Rules in the place of a language model: for trying, testing and measuring without a key.

provider.py   the provider, and which question is answered by whom
speech.py     from a message to sentences that are the person's own plain speech
clauses.py    from a sentence to clauses, freed of manner ("Well, I've just moved" is "I moved")
people.py     whom a clause is about
dates.py      "next Friday" as a day
wording.py    "I love my garden" as "Loves their garden"
patterns.py   the table: what a clause may say, and how it is kept; what is kept is read by the same table
facts.py      from a clause or a kept statement to a fact, by the table
notebook.py   the list: which line a fact repeats, replaces or refines
changes.py    corrections, ends, goals that were reached, dates that moved
forgetting.py what is asked to be forgotten
reader.py     one pass over the messages
answers.py    the answer to each strategy's question; keyed.py for values under keys
"""

from memory.providers.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
