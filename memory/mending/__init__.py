"""Forget and correct by saying so: one wish reaches entries, messages and their echoes.

wishes.py       what a person asks to have forgotten, out of the sentence that asks. Pure
judging.py      whether a text says it: surely, perhaps, not. Pure
parts.py        what is left of an entry when one of its facts goes. Pure
candidates.py   a text that may say it, and the finders of FORGETTABLE
first_look.py   whether a text may have a word at all. Pure
reading.py      every text that may say it, read within bounds
nearest.py      what the ranked search finds for it, where a model judges
echoes.py       messages that repeat what an entry said which goes
asking.py       the same judgement by a model, which sees numbers only
plans.py        a plan, as it is made
carrying.py     carried out as one batch, and undone
heard.py        a wish that is spoken in a conversation
"""
