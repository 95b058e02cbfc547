"""What a context of Rapport shows as remembered. Pure."""

import html
import re

_FENCED = re.compile(r"<(rapport_memory|user_memory)>\n(.*?)\n</\1>", re.DOTALL)


def shown_in(system: str) -> list[str]:
    """The items between the fences, in their order, as they were remembered."""
    lines = [line for _, body in _FENCED.findall(system) for line in body.splitlines()]
    items = [line.removeprefix("- ").removeprefix("\\") for line in lines if line.startswith("- ")]
    return [html.unescape(item) for item in items]
