"""Rules in the place of a language model: for trying, testing and measuring without a key.

provider.py     the provider; asks rules.py for the operations
rules.py        the rules, in their order of precedence
text.py, sentences.py, clauses.py, people.py     from a message to statements, and whom each is about
dates.py, rewriting.py, stems.py                 from a person's words to the words that are kept
notebook.py, slots.py, matching.py               which line of the list a statement replaces
identity.py ... forgetting.py                    one kind of rule each
"""

from memory.providers.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
