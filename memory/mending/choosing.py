"""Which candidates a plan ticks, by rules: what surely says it, and the messages that an entry was learnt from."""

from collections.abc import Collection, Sequence

from memory.mending.candidates import Candidate, Scope
from memory.mending.judging import Judgement, Verdict, telling_words
from memory.mending.parts import says_more, without
from memory.mending.wishes import Wish
from memory.words import Stems, Word, is_in, spelt, words_of

REPEATS = "repeats what an entry says that goes"


def choose(scope: Scope, candidates: Sequence[Candidate], stems: Stems) -> None:
    """Tick what surely says it. An entry that says more keeps the rest; one that can't be parted is asked about."""
    wish = scope.wish
    if wish.everything or wish.last:
        _tick_whole(wish, candidates)
        return
    for candidate in candidates:
        if candidate.judgement.verdict != Verdict.SAYS:
            continue
        candidate.ticked = not candidate.fixed
        if candidate.kind == "entry":
            candidate.rest = without(wish, candidate.text, stems=stems)
            if candidate.rest is None and says_more(wish, candidate.text, stems=stems):
                candidate.ticked = False
                candidate.judgement = Judgement(
                    Verdict.PERHAPS,
                    candidate.judgement.score,
                    candidate.judgement.sentence,
                    "says more than that",
                )
    tick_echoes(scope, candidates, stems)


def tick_echoes(scope: Scope, candidates: Sequence[Candidate], stems: Stems) -> None:
    """Messages of the exchanges that an entry rests on which goes, of either side, that have one of the words which
    tell it and which no entry that stays has."""
    going = [one for one in candidates if one.kind == "entry" and one.ticked]
    if not going:
        return
    cited = {message_id for entry in going for message_id in entry.cites}
    turns = {one.turn_id for one in candidates if one.kind == "message" and one.id in cited}
    staying = [one.text for one in candidates if one.kind == "entry" and not one.ticked]
    wanted = words_that_go(scope, going, staying, stems)
    for one in candidates:
        if one.kind != "message" or one.ticked or one.turn_id not in turns:
            continue
        there = spelt(words_of(one.text), stems)
        if any(is_in(word, there, stems) for word in wanted):
            one.ticked = True
            one.judgement = Judgement(Verdict.SAYS, max(one.judgement.score, 0.5), one.text[:300], REPEATS)


def words_that_go(
    scope: Scope, going: Sequence[Candidate], staying: Sequence[str], stems: Stems
) -> list[Word]:
    """Of the wish and of the entries that go: those that no text which stays has."""
    known = spelt(words_of(" . ".join([*staying, *(entry.rest or "" for entry in going)])), stems)
    return [
        word
        for word in (*scope.wish.must, *(word for entry in going for word in _told_by(scope, entry)))
        if (word.identifier or len(word.plain) > 2 or not word.plain.isascii())
        and not is_in(word, known, stems)
    ]


def _told_by(scope: Scope, entry: Candidate) -> list[Word]:
    words = telling_words(entry.text, scope.owners)
    if entry.rest is not None:
        left = spelt(words_of(entry.rest), {})
        words = [word for word in words if not is_in(word, left, {})]
    return words


def _tick_whole(wish: Wish, candidates: Sequence[Candidate]) -> None:
    """Everything; or what the last exchange said, with the entries that rest on it."""
    messages = [one for one in candidates if one.kind == "message"]
    chosen: Collection[object] = {one.id for one in messages}
    if wish.last:
        last = max((one.seq for one in messages if one.role == "user"), default=0)
        turn = next((one.turn_id for one in messages if one.seq == last), None)
        chosen = {one.id for one in messages if one.turn_id == turn}
    for one in candidates:
        if one.kind in ("entry", "message"):
            rests = one.id in chosen or (wish.last and bool(set(one.cites) & set(chosen)))
            if wish.everything or rests:
                one.ticked = not one.fixed
                why = "everything is to be forgotten" if wish.everything else "was said last"
                one.judgement = Judgement(Verdict.SAYS, 1.0, one.text[:300], why)
