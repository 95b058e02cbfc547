"""Errors of remembering. (Those of providers: providers.errors.)

RapportError
├── ReadOnlyEntry            the entry is marked read-only
├── EntryNotActive           the change needs an active entry
├── SameAsAnother            another active entry says exactly this
├── TooManyEntries           the relationship has as many as its configuration allows
├── InvalidTemplate          an ingestion prompt can't be rendered; names the line
├── TurnNotRetryable         only failed and skipped turns can be retried
├── NotEmpty                 an import needs an empty relationship
├── AlreadyDecided           a held deletion or a plan was decided before
└── NothingFits              no entry says what should be corrected

IngestionError               inside the worker only
├── UnparsableAnswer         it has no JSON operations, even when asked again; permanent
├── StaleAnswer              an entry that it changes has changed since the model saw it
│   └── ErasedMeanwhile      what the model saw was erased: nothing of the answer may be kept
└── LeaseLost                another worker has taken the turns over
"""

from typing import ClassVar

from web.errors import Conflict, InvalidInput


class ReadOnlyEntry(Conflict):
    code = "read_only"


class EntryNotActive(Conflict):
    code = "entry_not_active"


class SameAsAnother(Conflict):
    code = "same_as_another"


class TooManyEntries(Conflict):
    code = "too_many_entries"


class InvalidTemplate(InvalidInput):
    code = "invalid_template"


class TurnNotRetryable(Conflict):
    code = "turn_not_retryable"


class AlreadyDecided(Conflict):
    code = "already_decided"


class NothingFits(Conflict):
    code = "nothing_fits"


class NotEmpty(Conflict):
    code = "not_empty"


class IngestionError(Exception):
    code: ClassVar[str] = "ingestion_error"


class UnparsableAnswer(IngestionError):
    code = "unparsable_answer"


class StaleAnswer(IngestionError):
    code = "stale_answer"


class ErasedMeanwhile(StaleAnswer):
    code = "erased_meanwhile"


class LeaseLost(IngestionError):
    code = "lease_lost"
