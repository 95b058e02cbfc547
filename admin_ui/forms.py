"""Forms of the admin UI, with the same limits as the API."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Self

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from pydantic import TypeAdapter

from memory.api.schemas import check_merged
from memory.entries.happens import happens_text
from memory.entries.limits import entry_fault
from memory.ingestion.configuration import EntryType
from memory.models import USER_SUBJECT, ScratchpadEntry
from memory.models.entry import MAX_HAPPENS_AT
from relationships.models import Relationship
from relationships.services.limits import MAX_NAME, name_fault
from web.errors import InvalidInput
from web.fields import Timestamp, checked_value, known_zone
from web.parsing import parse_text

_TIME: TypeAdapter[datetime] = TypeAdapter(Timestamp)


class SignInForm(AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "Wrong email address or password.",
    }


class EntryForm(forms.Form):
    """The fields of an entry that an operator can edit. `types`: those of the companion's configuration."""

    content = forms.CharField(
        label="Content", widget=forms.Textarea(attrs={"rows": 2, "autofocus": True, "dir": "auto"})
    )
    type = forms.ChoiceField(label="Type")
    subject = forms.CharField(
        label="About",
        max_length=200,
        required=False,
        help_text="Leave empty for the person.",
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    key = forms.RegexField(
        r"^[a-z][a-z0-9_]{0,79}$", label="Key", required=False, help_text="For example, city."
    )
    happens_at = forms.CharField(
        label="Happens",
        max_length=MAX_HAPPENS_AT,
        required=False,
        help_text="For example, 2026-03. A range: from/to.",
    )
    importance = forms.FloatField(
        label="Importance",
        min_value=0,
        max_value=1,
        initial=0.5,
        help_text="From 0 to 1.",
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    expires_at = forms.CharField(
        label="Expires", required=False, help_text="A time with its zone, such as 2026-03-02T09:00:00Z."
    )
    tags = forms.CharField(
        label="Tags",
        required=False,
        strip=False,  # a value may end with a space
        help_text="One name=value a line.",
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def __init__(self, *args: Any, types: Sequence[EntryType], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(entry_type.name, entry_type.name.replace("_", " ")) for entry_type in types]
        present: str = self.initial.get("type", "")
        if present and present not in dict(choices):
            choices.append((present, present))  # may stay, though the configuration has it no longer
        self.fields["type"].choices = choices  # type: ignore[attr-defined]

    @classmethod
    def of(cls, entry: ScratchpadEntry, *, types: Sequence[EntryType]) -> Self:
        subject = "" if entry.subject == USER_SUBJECT else entry.subject
        return cls(
            initial={
                "content": entry.content,
                "type": entry.type,
                "subject": subject,
                "key": entry.key or "",
                "happens_at": entry.happens_at or "",
                "importance": entry.importance,
                "expires_at": _written(entry.expires_at) if entry.expires_at else "",
                "tags": "\n".join(f"{name}={value}" for name, value in entry.tags.items()),
            },
            types=types,
        )

    def clean_content(self) -> str:
        content: str = self.cleaned_data["content"].strip()
        if fault := entry_fault(content):
            raise forms.ValidationError(f"This {fault}.")
        return content

    def clean_happens_at(self) -> str | None:
        said: str = self.cleaned_data["happens_at"]
        try:
            return happens_text(said) if said else None
        except ValueError as error:
            raise forms.ValidationError(f"This {error}.") from None

    def clean_expires_at(self) -> datetime | None:
        said: str = self.cleaned_data["expires_at"]
        try:
            return checked_value(_TIME, said, field="expires_at") if said else None
        except InvalidInput as error:
            raise forms.ValidationError(_beside_field(error.problems[0].detail)) from None

    def clean_tags(self) -> dict[str, str]:
        tags: dict[str, str] = {}
        for line in self.cleaned_data["tags"].replace("\r\n", "\n").split("\n"):
            name, equals, value = line.partition("=")
            name = name.strip()
            if not equals and line.strip():
                raise forms.ValidationError(f"{line.strip()[:60]} has to be name=value.")
            if name in tags:
                raise forms.ValidationError(f"{name[:60]} occurs twice.")
            if equals:
                tags[name] = value
        try:
            check_merged({"tags": tags})
        except InvalidInput as error:
            wrong = error.problems[0]
            of = wrong.field.partition("tags.")[2]
            raise forms.ValidationError(_beside_field(wrong.detail, subject=of or "This")) from None
        return tags

    def values(self) -> dict[str, Any]:
        """Return the cleaned values as `add_entry` and `revise_entry` take them. A form without the field for tags or
        expiry, as an older page has it, leaves these as they are.
        """
        missing = {"expires_at", "tags"} - set(self.data)
        return {
            **{name: value for name, value in self.cleaned_data.items() if name not in missing},
            "subject": self.cleaned_data["subject"].strip() or USER_SUBJECT,
            "key": self.cleaned_data["key"] or None,
        }


class PersonForm(forms.Form):
    """A person's name, whether anything new is remembered of them, and their time zone with one companion."""

    display_name = forms.CharField(
        label="Name", max_length=MAX_NAME, required=False, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    timezone = forms.CharField(label="Time zone", max_length=64)
    ingestion_paused = forms.BooleanField(label="Memory paused: nothing new is remembered", required=False)

    @classmethod
    def of(cls, relationship: Relationship) -> Self:
        person = relationship.user
        initial = {"display_name": person.display_name, "ingestion_paused": person.ingestion_paused}
        return cls(initial={**initial, "timezone": relationship.timezone})

    def clean_display_name(self) -> str:
        return _one_line(self.cleaned_data["display_name"])

    def clean_timezone(self) -> str:
        try:
            return known_zone(self.cleaned_data["timezone"])
        except ValueError as error:
            raise forms.ValidationError(f"{error}.") from None


class JsonForm(forms.Form):
    """A JSON object as text."""

    document = forms.CharField(
        label="JSON", widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "mono"})
    )

    def clean_document(self) -> dict[str, Any]:
        """Parse the text like a request body of the API."""
        try:
            return parse_text(self.cleaned_data["document"])
        except InvalidInput as error:
            raise forms.ValidationError(error.detail) from None


class ProjectForm(JsonForm):
    """A project's name and configuration."""

    name = forms.CharField(label="Name", max_length=MAX_NAME, widget=forms.TextInput(attrs={"dir": "auto"}))

    def clean_name(self) -> str:
        return _one_line(self.cleaned_data["name"])


def _written(moment: datetime) -> str:
    """Return a time as the API writes it, to the microsecond."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _beside_field(detail: str, *, subject: str = "This") -> str:
    """Return the API's sentence about a field, which has no subject, as it stands beside the field."""
    if subject == "This" and detail.startswith("write "):
        return f"{detail[:1].upper()}{detail[1:]}."
    return f"{subject} {detail}."


def _one_line(name: str) -> str:
    if fault := name_fault(name):
        raise forms.ValidationError(f"This {fault}.")
    return name
