from io import StringIO

from rich.console import Console

from demo.screen import Screen


class ReadableScreen(Screen):
    """A screen that can be read."""

    def __init__(self, *, width: int = 80, terminal: bool = False) -> None:
        self.out = StringIO()
        super().__init__(
            Console(
                file=self.out,
                width=width,
                force_terminal=terminal,
                color_system="truecolor" if terminal else None,
                highlight=False,
            )
        )

    @property
    def lines(self) -> list[str]:
        """What it shows, without empty lines."""
        return [line.rstrip() for line in self.out.getvalue().splitlines() if line.strip()]
