"""A form that was submitted after the session had ended. The sign-in page carries it, signed, and offers it again."""

from dataclasses import dataclass

from django.core import signing
from django.http import HttpRequest

from admin_ui.params import parse_uuid

_SALT = "admin_ui.unsent"
_UNSHOWN = ("csrfmiddlewaretoken", "next", "version")


@dataclass(frozen=True, slots=True)
class Unsent:
    """`to`: the URL that the form was submitted to. `back`: the page that it was on."""

    to: str
    back: str
    fields: list[tuple[str, str]]

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The fields that somebody may have filled in, without IDs."""
        seen = [(name, value) for name, value in self.fields if value and name not in _UNSHOWN]
        return [(name, value) for name, value in seen if parse_uuid(value) is None]


def keep_unsent(request: HttpRequest, back: str) -> str:
    """Return the submitted form as one signed text."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    return signing.dumps([request.get_full_path(), back, fields], salt=_SALT, compress=True)


def read_unsent(text: str) -> Unsent | None:
    """Read what `keep_unsent` returned; None for anything else."""
    try:
        to, back, fields = signing.loads(text, salt=_SALT)
    except signing.BadSignature:
        return None
    return Unsent(to, back, [(name, value) for name, value in fields])
