from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Source:
    """What a format must know beside the file's contents.

    `name` is the file's, without its ending. `as_speaker` says which of two speakers is the user: `speaker_a`,
    `speaker_b` or a name. `zone` is where dates without a zone were written; None: what the file says, or UTC.
    """

    name: str
    now: datetime
    as_speaker: str | None = None
    zone: ZoneInfo | None = None
