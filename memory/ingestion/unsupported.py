"""Find what no message supports: an example from our own prompt, or the companion's words attributed to the person.

Small models repeat what a prompt shows them, and attribute everything that was said to the person.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from itertools import chain

from memory.entries.fingerprint import content_hash
from memory.entries.words import in_singular, names_in_text, names_within
from memory.ingestion.ingestion_input import IngestionInput, InputMessage
from memory.ingestion.items import Item, RefusedItem, cited_messages, earlier_messages
from memory.ingestion.templates import PROMPTS
from memory.ingestion.text_similarity import share_said, without_first_word
from memory.mending.wishes import STOP
from memory.models import USER_SUBJECT
from memory.names import WITHOUT_SPACES
from memory.quoted import lines_of
from memory.words import fold
from relationships.models import MessageRole
from relationships.text_names import means_person

HARDLY = 0.5  # of its words, both with and without the first, which is often a name or a common verb
_GENITIVE = ("s", "'s", "’s", "'", "’")
_TO_ANOTHER = re.compile(r"\b(?:you|your|u|ur|tu|te|ti|du|dir|dich|dein\w*|toi|ton|ta)\b", re.IGNORECASE)
MOST_SPEAKERS = 20  # in a pasted chat; what has more is a log
_EXAMPLE = re.compile(r'"(?:content|what)": "(?:that )?([^"{}]+)"')


def refuse_example(text: str, item: Item, given: IngestionInput) -> None:
    """Raises RefusedItem if it is an example from the prompt and the cited messages hardly say it."""
    said = text.removeprefix("that ")
    own = {content_hash(example) for entry_type in given.ingestion.types for example in entry_type.examples}
    if content_hash(said) not in _examples() | own:
        return
    cited = given.cited(cited_messages(item, given), earlier_messages(item, given))
    texts = [message.content for message in cited]
    if min(share_said(part, *texts) for part in (said, without_first_word(said))) < HARDLY:
        raise RefusedItem("is an example of the prompt, which the messages it rests on do not say")


def as_companions_words(
    content: str, cited: Iterable[InputMessage], given: IngestionInput, *, about: str | None = None
) -> str | None:
    """Rewrite a statement about the person that only the companion made as the companion's words; None for others. And
    one about somebody else (`about`), unless the person says much the same.

    Not with an ingestion prompt of the companion's own, which may want such observations.
    """
    alone = all(message.role == MessageRole.ASSISTANT for message in cited)
    named = names_in_text(f"{about or ''} {content}", given.companion_name)
    if not alone or named or given.instructions.version is not None:
        return None
    if about:
        said = _said_by_person((*given.messages, *given.references))
        if share_said(content, *said, own=(about,)) >= HARDLY:
            return None
    return f"{given.companion_name}: {content}"


def is_said_by_person(content: str, cited: Iterable[InputMessage]) -> bool:
    """Return whether the person says much of it."""
    return share_said(content, *_said_by_person(cited)) >= HARDLY


def _said_by_person(messages: Iterable[InputMessage]) -> list[str]:
    return [message.content for message in messages if message.role == MessageRole.USER]


def other_speaker_of(content: str, cited: Sequence[InputMessage], given: IngestionInput) -> str | None:
    """Who else speaks as the person, or in a chat that the person pasted, and is the only one to say this, of
    themselves or whomever; None if the text names either.
    """
    speakers = {" ".join(one.speaker.split()) for one in cited if one.role == MessageRole.USER}
    if len(speakers) != 1 or not speakers <= set(given.other_speakers):
        return _quoted_speaker_of(content, cited, given)
    (speaker,) = speakers
    named = names_in_text(content, speaker) or names_in_text(content, given.user_name)
    return None if named else speaker


def _quoted_speaker_of(content: str, cited: Iterable[InputMessage], given: IngestionInput) -> str | None:
    """Who alone says this of themselves in a pasted chat: nothing of it is in the words of the person."""
    said = defaultdict[str, list[str]](list)
    for text in _said_by_person(cited):
        for speaker, lines in _by_speaker(text, given.user_name).items():
            said[speaker].append(lines)
    own = said.pop("", ())
    if not 1 <= len(said) <= MOST_SPEAKERS or share_said(content, *own):
        return None
    shares = {speaker: share_said(content, *lines) for speaker, lines in said.items()}
    speaker = max(shares, key=lambda one: shares[one])
    return speaker if shares[speaker] >= HARDLY else None


@lru_cache(maxsize=8)  # for each operation of an answer
def _by_speaker(text: str, name: str) -> dict[str, str]:
    """The lines of a message by who says them in a pasted chat, "" for the person called `name`; of others, those only
    that speak to nobody, as "you" may be the person.
    """
    said = defaultdict[str, list[str]](list)
    for speaker, line in lines_of(text):
        if not speaker or means_person(speaker, name):
            said[""].append(line)
        elif not _TO_ANOTHER.search(line) and not names_in_text(line, name):
            said[speaker].append(line)
    return {speaker: "\n".join(lines) for speaker, lines in said.items()}


def begins_with_another(content: str, subject: str, given: IngestionInput) -> str | None:
    """The one whom entries are about and whose name the text begins with, if not the subject; where both are called
    so (Anna K., Anna Kowalska), only if the whole name is said.
    """
    first = content.partition(" ")[0]
    if fold(first) in STOP:  # as entries may be about "the dog"
        return None
    known = tuple(dict.fromkeys(entry.subject for entry in given.entries))
    named, said = names_within(first, known), set(in_singular(content))
    wholly = (name for name, words in named if words <= said)
    likely = wholly if names_in_text(first, subject) else chain(wholly, (name for name, _ in named))
    others = (name for name in likely if name != subject and not means_person(name, given.user_name))
    return next(others, None)


def named_instead(content: str, whose: str, given: IngestionInput) -> str | None:
    """With whose name the new text of an entry about somebody begins, if it no longer names that one, or only as a part
    of the other's name (Anna, Anna Kern). "Maya's sister" and "Mayas Schwester" may still be that one.
    """
    if whose == USER_SUBJECT:
        return None
    first = content.partition(" ")[0]
    another = begins_with_another(content, whose, given)
    if names_in_text(content, whose):
        longer = another is not None and names_in_text(first, whose) and len(another) > len(whose)
        return another if longer else None
    name = given.user_name if names_in_text(first, given.user_name) else another
    if name is None or first.casefold() in (f"{name.split()[0].casefold()}{end}" for end in _GENITIVE):
        return None
    return another if name is another else USER_SUBJECT


def known_by_name(given: IngestionInput) -> Callable[[str], int | None]:
    """Return what finds the number of the person's entry that says the same as a text, with or without their name
    before it: "Maya likes tea". The entries are read once, for the first text.
    """
    by_hash = cache(partial(_by_hash, given))

    def known(content: str) -> int | None:
        alike = by_hash().get(_hash_without_name(content, given.user_name), ())
        return next((number for number in alike if given.entries[number - 1].content != content), None)

    return known


def _by_hash(given: IngestionInput) -> dict[bytes, list[int]]:
    """The numbers of the entries about the person, by what they say."""
    found = defaultdict[bytes, list[int]](list)
    for number, entry in enumerate(given.entries, start=1):
        if entry.subject == USER_SUBJECT:
            found[_hash_without_name(entry.content, given.user_name)].append(number)
    return found


def _hash_without_name(content: str, name: str) -> bytes:
    for called in (f"{name} ", "the user ", "user "):
        if content.lower().startswith(called.lower()):
            return content_hash(content[len(called) :])
    if WITHOUT_SPACES.match(name) and content.startswith(name):
        return content_hash(content.removeprefix(name).lstrip("はがも、,"))
    return content_hash(content)


@cache
def _examples() -> frozenset[bytes]:
    """Hashes of the examples in the prompts' sample answers."""
    shown = (text for file in PROMPTS.glob("*.md") for text in _EXAMPLE.findall(file.read_text()))
    return frozenset(map(content_hash, shown))
