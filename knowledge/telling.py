"""Which words of a message tell what it is about, so that a document can be held against them. Pure.

Stop words go in the database, by the language of the documents. Those here are in no stop list and in every
conversation: a passage that shares them with a message has nothing to do with it. Measured, see
docs/how-to/give-a-companion-documents.md.
"""

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
EVERYDAY = frozenset(
    """
    actually afternoon ages ago agree ah alright already also always amazing anyone anything anyway awesome aw aww bad
    be believe best better bit bye bit chat come cool could day days dear did different does doing done dont else enough
    especially even evening ever every everyone everything exactly excited fantastic feel feeling feels felt few find
    fine forward friend friends fun funny gave get gets getting give glad go goes going gone gonna good got great guess
    guys had haha happen happened happening happy hard has hear heard hello help hey hi hmm honestly hope how hows idea
    ill im important interesting ive just keep kind kinda know last later least let lets life like listen little lol
    long look looking lot lots love lovely made make makes making many matter maybe me mean meant might mind moment
    month more morning most much must my need needed needs never new nice night no nobody not nothing now of off often
    oh ok okay old once one only other people perfect person place plan please pretty probably put quite ready real
    really remember rest right said same saw say saying says see seem seems seen set share should since so some somebody
    someone something sometimes soon sorry sort sound sounds special spend spent start started still stop story stuff
    such super support sure take takes taking talk talked talking tell thank thanks that thats thing things think
    thinking thought time times tired today together told tomorrow tonight too took totally tried true try trying two
    understand until use used usually very wait want wanted was way week weekend weeks well went what whats whenever
    wish with wonderful wont wonder wondering word work worked working world worry would wow yeah year years yep yes
    yesterday yet you your youre
    """.split()
)


def telling(words: str) -> str:
    """Of words as the index spells them, those that may tell something."""
    return _WORD.sub(lambda word: "" if _plain(word[0]) in EVERYDAY else word[0], words)


def _plain(word: str) -> str:
    return word.casefold().replace("'", "").replace("’", "")
