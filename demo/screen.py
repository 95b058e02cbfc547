"""The demo's output: coloured in a terminal, plain lines in a file or a pipe."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from demo.conversation import Conversation
from demo.play import Change, PlayedTurn, Usage
from demo.recipes import describe_recipe

PLAIN_WIDTH = 110  # without a terminal
# Sign and colour of each kind of change. `none`: it was known already.
SIGNS = {
    "add": ("+", "green"),
    "update": ("~", "yellow"),
    "supersede": ("~", "yellow"),
    "merge": ("~", "yellow"),
    "delete": ("-", "red"),
    "held": ("?", "magenta"),
    "archive": (">", "cyan"),
    "none": ("=", "dim"),
    "refused": ("x", "dim"),
}
WORDS = {
    "add": "added",
    "update": "updated",
    "supersede": "replaced",
    "delete": "deleted",
    "held": "held for a person",
    "archive": "moved to the archive",
}
OTHER_PROVIDERS = "With Gemini instead: GEMINI_API_KEY=... make demo"
_MESSAGES_SHOWN = 4
_TYPE_WIDTH = 12


class Screen:
    def __init__(self) -> None:
        console = Console(highlight=False)
        self.console = console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)
        self._session = ""
        self._seen: dict[str, int] = {}

    def say(self, text: str) -> None:
        self.console.print(escape(text), soft_wrap=True)

    def heading(self, text: str) -> None:
        self.console.print()
        self.console.print(f"[bold]{escape(text)}[/bold]")

    def opening(
        self,
        conversation: Conversation,
        url: str,
        provider: Mapping[str, Any],
        embedder: Mapping[str, Any] | None,
    ) -> None:
        """`embedder`: None if the recipe embeds nothing."""
        self.console.print(f"[bold]Rapport[/bold] answers at {escape(url)}")
        self.console.print(f"Provider: {escape(provider_in_words(provider))}")
        if provider.get("alias") == "offline":
            self.console.print(f"          {OTHER_PROVIDERS}")
        recipe = conversation.companion.recipe
        if recipe:
            self.say(f"Recipe:   {recipe}. {describe_recipe(recipe)}")
            self.say(f"Embedder: {embedder_in_words(embedder)}")
        first, last = conversation.turns[0].occurred_at, conversation.turns[-1].occurred_at
        zone = ZoneInfo(conversation.user.timezone)
        days = f"{_day(first, zone)} to {_day(last, zone)}"
        self.heading(
            f"{conversation.user.name} and {conversation.companion.name}: {len(conversation.turns)} turns, {days}"
        )
        self.console.print(
            "[dim]+ added   ~ changed   - deleted   ? held for a person   = known already   x not kept[/dim]"
        )

    def turn(self, played: PlayedTurn, zone: ZoneInfo) -> None:
        """Show the person's words on one line, then the changes in memory."""
        if played.turn.session != self._session:
            self._session = played.turn.session
            self.console.print(f"\n[dim]{_day(played.turn.occurred_at, zone)}  {escape(self._session)}[/dim]")
        words = " / ".join(message.content for message in played.turn.messages if message.role == "user")
        at = played.turn.occurred_at.astimezone(zone).strftime("%H:%M")
        self._line(f"{played.number:>4}  {at}  ", " ".join(words.split()), "")
        for change in played.changes:
            self._change(change)
        if played.state != "applied":
            self._line("         ! ", f"{played.state}: {played.error or 'no reason given'}", "red")

    def trouble(self, sentence: str) -> None:
        self._line("         ! ", sentence, "red", whole=True)

    def tally(self, turns: int, seconds: float, usage: Usage) -> None:
        changes = ", ".join(f"{count} {WORDS[kind]}" for kind, count in self._seen.items() if kind in WORDS)
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
        self.console.print(
            f"\n{turns} turns in {seconds:.1f} s: {changes or 'no change'}. "
            f"{len(usage.calls)} model calls, {usage.tokens:,} tokens, {cost}."
        )

    def reasons(self, rows: Sequence[tuple[str, str]]) -> None:
        """Show each retrieved entry, and why it is there."""
        self.heading("Why it was shown these")
        table = _table("entry", "why")
        for content, why in rows:
            table.add_row(escape(content), escape(why))
        self.console.print(table)

    def entries(self, what: str, entries: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> None:
        """Show entries under a heading, grouped by type."""
        self.heading(f"{what}: {len(entries)} entries")
        table = _table("type", "entry", "since")
        for kind in dict.fromkeys(entry["type"] for entry in entries):
            for place, entry in enumerate(found for found in entries if found["type"] == kind):
                since = _day(datetime.fromisoformat(entry["effective_at"]), zone)
                table.add_row("" if place else kind, escape(entry["content"]), since)
            table.add_section()
        self.console.print(table)

    def context(self, context: Mapping[str, Any], question: str) -> None:
        self.heading(f"What the companion is shown when asked: {question}")
        self.console.print(_layer_table(context))
        self._line("system: ", context["system"], "", whole=True)
        messages = context["messages"]
        if len(messages) > _MESSAGES_SHOWN:
            self.console.print(f"[dim]… {len(messages) - _MESSAGES_SHOWN} earlier messages …[/dim]")
        for message in messages[-_MESSAGES_SHOWN:]:
            self._line(f"{message['role']}: ", message["content"], "", whole=True)

    def reply(self, conversation: Conversation, text: str, rapport: Mapping[str, Any]) -> None:
        """Show the companion's reply to the question, and what the turn changed."""
        self.heading("A message by POST /v1/chat/completions")
        self._line(f"{conversation.user.name}: ", conversation.question, "", whole=True)
        self._line(f"{conversation.companion.name}: ", text, "", whole=True)
        if rapport["memory_updated"] is None:
            self.say("What it changes in memory is not known yet.")
        for change in rapport["remembered"]:
            self._line(f"  {change['event']} ", change["content"], "", whole=True)
        if rapport["memory_updated"] is False:
            self.say("It changed nothing in memory.")

    def lines_of(self, rows: Iterable[tuple[str, str]]) -> None:
        """Show labels and values, one per line, without wrapping, so that they can be copied."""
        for label, value in rows:
            self.console.print(f"  {label:<10} {escape(value)}", soft_wrap=True)

    def _change(self, change: Change) -> None:
        self._seen[change.kind] = self._seen.get(change.kind, 0) + 1
        sign, colour = SIGNS.get(change.kind, ("*", ""))
        self._line(f"         {sign} {change.type:<{_TYPE_WIDTH}} ", change.content, colour, whole=True)
        if change.before and change.kind == "update":
            self._line(f"           {'':<{_TYPE_WIDTH}} ", f"was: {change.before}", "dim", whole=True)
        if change.reason:
            self._line(f"           {'':<{_TYPE_WIDTH}} ", f"not kept: {change.reason}", "dim", whole=True)

    def _line(self, lead: str, text: str, colour: str, *, whole: bool = False) -> None:
        room = self.console.width - len(lead)
        shown = text if whole or len(text) <= room else text[: max(room - 1, 10)] + "…"
        style = colour or None
        self.console.print(escape(lead) + escape(shown), style=style, highlight=False, soft_wrap=not whole)


def provider_in_words(provider: Mapping[str, Any]) -> str:
    """Describe the language model."""
    if provider.get("alias") == "offline":
        return "offline: rules that read the text, not a language model"
    model = f", model {provider['model']}" if provider.get("model") else ""
    host = f", at {provider['host']}" if provider.get("host") else ""
    return f"{provider.get('alias', 'unknown')}{model}{host}"


def embedder_in_words(embedder: Mapping[str, Any] | None) -> str:
    """Describe the embedder."""
    if embedder is None:
        return "none; entries are found by their words"
    if embedder.get("alias") == "offline":
        return "offline: hashed words and parts of words, which know no meaning"
    return provider_in_words(embedder)


def _layer_table(context: Mapping[str, Any]) -> Table:
    table = _table("layer", "tokens", "ms", "what")
    for layer in context["layers"]:
        left_out = f"; {layer['left_out']['count']} left out" if layer["left_out"] else ""
        what = escape(layer["reason"] + left_out)
        table.add_row(layer["name"], str(layer["tokens"]), f"{layer['milliseconds']:.2f}", what)
    table.add_section()
    table.add_row("total", str(context["total_tokens"]), "", "tokens are estimates")
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(
            name, justify="right" if name in {"tokens", "ms"} else "left", no_wrap=name == "since"
        )
    return table


def _day(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%a %-d %b %Y")
