"""A form that was submitted after the session had ended: the sign-in page contains it, signed, to send it again."""

from dataclasses import dataclass

from django.core import signing
from django.http import HttpRequest

from admin_ui.params import parse_uuid

_SALT = "admin_ui.unsent"
_HIDDEN = ("csrfmiddlewaretoken", "next", "version")


@dataclass(frozen=True, slots=True)
class Unsent:
    """`action`: the URL that the form was submitted to. `back`: the page that it was on."""

    action: str
    back: str
    fields: list[tuple[str, str]]

    @property
    def visible_fields(self) -> list[tuple[str, str]]:
        """The fields that a person may have filled in: neither hidden ones nor IDs."""
        filled = [(name, value) for name, value in self.fields if value and name not in _HIDDEN]
        return [(name, value) for name, value in filled if parse_uuid(value) is None]


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
    """Read the text of `keep_unsent`. Return None if its signature is wrong."""
    try:
        action, back, fields = signing.loads(text, salt=_SALT)
    except signing.BadSignature:
        return None
    return Unsent(action, back, [(name, value) for name, value in fields])
