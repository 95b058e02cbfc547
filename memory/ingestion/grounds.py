"""Find what no message supports: an example from our own prompt, or the companion's words attributed to the person.

Small models repeat what a prompt shows them, and attribute everything that was said to the person.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain

from memory.entries.fingerprint import content_hash
from memory.entries.words import in_singular, names_in_text, names_within
from memory.ingestion.ingestion_input import IngestionInput, InputMessage
from memory.ingestion.items import Item, RefusedItem, cited_messages, earlier_messages
from memory.ingestion.likeness import share_said, without_first_word
from memory.ingestion.templates import PROMPTS
from memory.mending.wishes import STOP
from memory.models import USER_SUBJECT
from memory.names import WITHOUT_SPACES
from memory.words import fold
from relationships.models import MessageRole
from relationships.text_names import means_person

HARDLY = 0.5  # of its words, both with and without the first, which is often a name or a common verb
_GENITIVE = ("s", "'s", "’s", "'", "’")
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
        told = (*given.messages, *given.references)
        said = [message.content for message in told if message.role == MessageRole.USER]
        if share_said(content, *said, own=(about,)) >= HARDLY:
            return None
    return f"{given.companion_name}: {content}"


def other_speaker_of(content: str, cited: Iterable[InputMessage], given: IngestionInput) -> str | None:
    """Who else speaks as the person and is the only one to say this, of themselves or whomever; None if the text names
    either.
    """
    speakers = {" ".join(one.speaker.split()) for one in cited if one.role == MessageRole.USER}
    if len(speakers) != 1 or not speakers <= set(given.other_speakers):
        return None
    (speaker,) = speakers
    named = names_in_text(content, speaker) or names_in_text(content, given.user_name)
    return None if named else speaker


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


def known_by_name(content: str, given: IngestionInput) -> int | None:
    """The number of the person's entry that says the same, with or without their name before it: "Maya likes tea"."""
    known = tuple(entry.content if entry.subject == USER_SUBJECT else "" for entry in given.entries)
    alike = _by_hash(known, given.user_name).get(_hash_without_name(content, given.user_name), ())
    return next((number for number in alike if known[number - 1] != content), None)


@lru_cache(maxsize=4)  # for each addition of an answer
def _by_hash(contents: tuple[str, ...], name: str) -> dict[bytes, list[int]]:
    """The numbers of the contents that aren't "", by what they say."""
    found = defaultdict[bytes, list[int]](list)
    for number, content in enumerate(contents, start=1):
        if content:
            found[_hash_without_name(content, name)].append(number)
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
