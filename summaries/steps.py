"""Chooses which of the withdrawn summaries to remake: the last, and enough before it that each takes one question."""

from collections.abc import Sequence
from itertools import pairwise

from config.postgresql.sessions import execute
from summaries.models import Summary
from summaries.prompt import LONGEST_MESSAGE, TOKENS_AT_ONCE

# Upper bound for the tokens of the messages between two of `ends`: see providers.tokens.estimate_tokens.
_TOKENS = f"""
SELECT width_bucket(seq - 1, %(ends)s::bigint[]), ceil(sum(1 + 0.3 * octet_length(said) - 0.05 * length(said)))::bigint
  FROM (SELECT seq, left(content, {LONGEST_MESSAGE}) AS said FROM relationships_message
         WHERE relationship_id = %(relationship)s AND seq > %(after)s AND seq <= %(last)s
           AND erased_at IS NULL AND hidden_at IS NULL) told
 GROUP BY 1
"""  # noqa: S608 - a constant of ours


def steps_to_the_last(summaries: Sequence[Summary]) -> list[Summary]:
    """Choose the summaries to remake. `summaries`: of one relationship, sorted by messages, one for each number."""
    ends = [summary.last_seq for summary in summaries]
    known = Summary.objects.for_relationship(summaries[0].relationship_id).ready()
    base = known.filter(messages__lt=summaries[0].messages).newest_first().first()
    asked = {"ends": ends, "last": ends[-1], "after": base.last_seq if base else 0}
    tokens = dict(execute(_TOKENS, {"relationship": summaries[0].relationship_id, **asked}))
    steps: list[Summary] = []
    room = TOKENS_AT_ONCE - tokens.get(0, 0)
    for place, (before, _) in enumerate(pairwise(summaries), start=1):
        if tokens.get(place, 0) > room:
            steps.append(before)
            room = TOKENS_AT_ONCE
        room -= tokens.get(place, 0)
    return [*steps, summaries[-1]]
