"""The configuration: one pydantic model, the same at every level of the cascade.

Each level (turn > relationship > companion > project > default) contains only what it changes; the
defaults are the lowest level. Unknown names are refused, so that a typo is never silently ignored.

Each app owns its sections: it names them in its AppConfig, as `configuration_sections`.
"""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from pydantic import Field, create_model

from relationships.configuration.json_schemas import Shape
from relationships.configuration.plugins import registered
from relationships.configuration.strict import Strict


class Sessions(Strict):
    idle_minutes: Annotated[int, Field(ge=0, le=525_600)] = 0
    """A session without a turn for this long is ended and its state cleared; 0: never automatically."""
    json_schema: Shape = None
    """A JSON Schema that a session's state must match when it is written. Null: any object is accepted."""


class Profiles(Strict):
    json_schema: Shape = None
    """A JSON Schema that a profile must match when it is written. Null: any object is accepted."""


class Configuration(Strict):
    """All that can be configured, with its defaults."""

    recipe: Annotated[str, registered("RECIPES")] = "scratchpad"
    """A named set of these values; a level's own values override its recipe's."""

    if TYPE_CHECKING:  # the sections, each an instance of the model that its app names

        def __getattr__(self, section: str) -> Any: ...


@cache
def configuration_model() -> type[Configuration]:
    """`Configuration` with the sections of every app, this one's last."""
    owners = sorted(apps.get_app_configs(), key=lambda app: app.label == "relationships")
    sections: dict[str, Any] = {}
    for app in owners:
        for name, path in getattr(app, "configuration_sections", {}).items():
            if name in sections:
                raise ImproperlyConfigured(f"Two apps bring a section {name!r} of the configuration.")
            section = import_string(path)
            sections[name] = (section, section())
    return create_model(
        "Configuration",
        __base__=Configuration,
        __doc__=Configuration.__doc__,
        **sections,
    )
