import re

from django.template.base import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"^ +", re.MULTILINE)


class Loader(filesystem.Loader):
    """Loads HTML templates without indentation, which would be a quarter of a page's bytes."""

    def get_contents(self, origin: Origin) -> str:
        text = super().get_contents(origin)
        return _INDENTATION.sub("", text) if str(origin.name).endswith(".html") else text
