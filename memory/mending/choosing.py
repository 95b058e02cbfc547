"""Tick candidates by rules: those that surely say it."""

from collections.abc import Collection, Sequence

from memory.mending.candidates import Candidate
from memory.mending.judging import Judgement, Verdict
from memory.mending.parts import says_more, without
from memory.mending.wishes import Wish
from memory.words import Stems


def choose(wish: Wish, candidates: Sequence[Candidate], stems: Stems) -> None:
    """Tick what surely says it. An entry that says more keeps the rest; if it can't be divided, a person decides."""
    if wish.everything or wish.last:
        _tick_whole(wish, candidates)
        return
    for candidate in candidates:
        if candidate.judgement.verdict != Verdict.SAYS:
            continue
        candidate.ticked = not candidate.fixed
        if candidate.kind == "entry" and not candidate.hidden:
            candidate.rest = without(wish, candidate.text, stems=stems)
            if candidate.rest is None and says_more(wish, candidate.text, stems=stems):
                candidate.ticked = False
                candidate.judgement = Judgement(
                    Verdict.PERHAPS,
                    candidate.judgement.score,
                    candidate.judgement.sentence,
                    "says more than that",
                )


def _tick_whole(wish: Wish, candidates: Sequence[Candidate]) -> None:
    """Tick everything, or the last exchange with the entries that cite it."""
    messages = [one for one in candidates if one.kind == "message"]
    chosen: Collection[object] = {one.id for one in messages}
    if wish.last:
        last = max((one.seq for one in messages if one.role == "user"), default=0)
        turn = next((one.turn_id for one in messages if one.seq == last), None)
        chosen = {one.id for one in messages if one.turn_id == turn}
    for one in candidates:
        if wish.everything or one.kind in ("entry", "message"):
            rests = one.id in chosen or (wish.last and bool(set(one.cites) & set(chosen)))
            if wish.everything or rests:
                one.ticked = not one.fixed
                why = "everything is to be forgotten" if wish.everything else "was said last"
                one.judgement = Judgement(Verdict.SAYS, 1.0, one.text[:300], why)
