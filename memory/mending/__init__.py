"""Forget and correct by saying so: one wish reaches entries, messages and their echoes.

wishes.py           what a sentence asks to have forgotten. Pure
judging.py          whether a text says it: surely, perhaps, or not. Pure
remainders.py       what is left of an entry when one of its facts goes. Pure
candidates.py       a text that may say it, and the interface of FORGETTABLE
prefilter.py        a cheap test of whether a text may contain a word. Pure
collecting.py       collects every text that may say it, within limits
echoes.py           messages that repeat what a deleted entry said
model_judgement.py  the same judgement by a model
plans.py            makes and stores a plan
execution.py        carries a plan out as one batch, or undoes it
spoken_wishes.py    a wish that is spoken in a conversation
forgotten.py        what was hidden, for exports and traces to leave out
deletions.py        sentences in other rooms that repeat a deleted entry
matching.py         whole-word filter of lists
"""
