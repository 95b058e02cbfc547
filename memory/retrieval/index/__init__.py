"""The index: what search reads of entries and messages, and how it is kept true.

A SearchText row is written in the transaction of the change it tells of, so a text can be found by its words as soon
as it is there. Its vector comes later: the row says since when one is owed, a worker writes it. Why it is built so:
docs/adr/0013-texts-now-vectors-later.md

What a search may rely on:

- Every entry has a row, in any state; every message that was not erased has one. The rows of one relationship may be
  of several languages for a while, when its configuration was just changed: each names its own in `language`.
- A vector is of the text as it is now. One of an earlier text is deleted in the transaction of the change, so a
  search need not compare `text_hash`. Nor may a vector come late: it is written only under the relationship's lock,
  where the text is still the one that was embedded.
- A question has to go through the same `words_for_index` and, before it is embedded, `without_names`.
"""
