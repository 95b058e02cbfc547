"""The index: what search reads of entries and messages, and how it is kept up to date.

A SearchText row is written in the transaction that changes the entry or message, so a text can be found by its words
at once. Its vector comes later: the row says since when it is due, and a worker makes it. The reasons:
docs/adr/0013-texts-now-vectors-later.md

What a search may rely on:

- Every entry has a row, in any state; every message that was not erased has one. The rows of one relationship may be
  of several languages for a while, when its configuration was just changed: each names its own in `language`.
- A vector is of the text as it is now. One of an earlier text is deleted in the transaction of the change, so a
  search need not compare `text_hash`. Nor may a vector come late: it is written only under the relationship's lock,
  where the text is still the one that was embedded.
- A question has to go through the same `words_for_index` and, before it is embedded, `without_names`.
"""
