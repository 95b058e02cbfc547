"""Rules in the place of a language model: for trying, testing and measuring without a key.

rules.toml    the rules as data: words, parts of patterns, the table of what a clause may say and how it is kept
patterns.py   reads that file
speech.py     from a message to sentences that are the person's own plain speech
clauses.py    from a sentence to clauses, freed of manner ("Well, I've just moved" is "I moved")
people.py     whom a clause is about
dates.py      "next Friday" as a day
wording.py    "I love my garden" as "Loves their garden"
facts.py      from a clause, or from a kept statement, to a fact, by the table
notebook.py   the list: which line a fact repeats, replaces or refines
keeping.py    what keeping a fact takes beside writing it down; employment.py where it is a job
changes.py    corrections, goals that were reached, dates that moved
forgetting.py what is asked to be forgotten
reading.py    one pass over the messages, with what reader.py holds
answers.py    the answer to each strategy's question; keyed.py for values under keys
provider.py   the provider
"""

from providers.llm.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
