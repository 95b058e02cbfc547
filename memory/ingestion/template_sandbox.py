"""The sandbox in which a developer's template runs: it can read its variables, and its work is counted.

A step is about one part of the template evaluated once, or one character read. Nothing can be called, so only loops,
filters and joined texts take more than one step; they announce their steps before they run.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from jinja2 import StrictUndefined, nodes, pass_eval_context
from jinja2.exceptions import SecurityError
from jinja2.filters import sync_do_join
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_RENDERED_CHARACTERS = 60_000
MAX_STEPS = 300_000  # of one rendering; 30 types with 10 examples each take about 10,000

# Names that no template can write.
_TURNS, _TEXT = "turns of a loop", "text of a part"
_of_texts = ("lower", "upper", "title", "trim")
_of_lists = ("sort", "join", "length", "first", "last", "default")
FILTERS = (*_of_texts, *_of_lists)
SORTING = 10  # steps for one member

_taken: ContextVar[int | None] = ContextVar("_taken", default=None)  # None: outside of counted_steps


@contextmanager
def counted_steps() -> Iterator[None]:
    """Inside, a rendering that takes more than MAX_STEPS raises SecurityError."""
    token = _taken.set(0)
    try:
        yield
    finally:
        _taken.reset(token)


def _take(steps: int) -> None:
    taken = _taken.get()
    if taken is None:
        return
    _taken.set(taken + steps)
    if taken + steps > MAX_STEPS:
        raise SecurityError(f"takes more than {MAX_STEPS:,} steps; leave out a loop or a filter")


@pass_eval_context
def _join(context: nodes.EvalContext, value: Any, d: str = "", attribute: str | int | None = None) -> str:
    """Jinja's own join, limited to the length of a prompt, as nested joins multiply."""
    parts = list(value)
    longest = sum(len(part) for part in parts if isinstance(part, str)) + len(parts) * len(str(d))
    if longest > MAX_RENDERED_CHARACTERS:
        raise SecurityError(f"joins to more than {MAX_RENDERED_CHARACTERS:,} characters")
    return _text(sync_do_join(context, parts, d, attribute))


def _turns(values: Any, steps: int) -> Iterator[Any]:
    for value in values:
        _take(steps)
        yield value


def _text(value: Any) -> str:
    text = str(value)
    _take(len(text))
    return text


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    place = int(hasattr(function, "jinja_pass_arg"))  # of the value, among the arguments

    @wraps(function)
    def counted(*args: Any, **options: Any) -> Any:
        value = args[place]
        if name in _of_texts:
            _text(value)
        elif isinstance(value, str | list | tuple | dict):
            _take(len(value) * (SORTING if name == "sort" else 1))
        return function(*args, **options)

    return counted


class Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox without globals (a range could run for ever) and without arithmetic that can make endless texts."""

    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self) -> None:
        # Not optimized, as the optimizer takes cubic time for chained filters.
        super().__init__(
            undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False, optimized=False
        )
        self.globals.clear()
        own = {**self.filters, "join": _join}
        self.filters = {name: _counted(name, own[name]) for name in FILTERS}
        self.filters |= {_TURNS: _turns, _TEXT: _text}

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "+":
            _take(sum(len(side) for side in (left, right) if isinstance(side, str | list | tuple)))
        elif not (isinstance(left, int | float) and isinstance(right, int | float)) or operator == "**":
            raise SecurityError(f"{operator} is not available here")
        return super().call_binop(context, operator, left, right)

    def _generate(self, source: nodes.Template, *args: Any, **options: Any) -> str:
        """Generate the template's code, with the counting of steps in it."""
        for loop in source.find_all(nodes.For):
            steps = nodes.Const(sum(1 for _ in loop.find_all(nodes.Node)))
            loop.iter = self._filtered(loop.iter, _TURNS, steps)
        for joined in source.find_all(nodes.Concat):
            joined.nodes = [self._filtered(part, _TEXT) for part in joined.nodes]
        return super()._generate(source, *args, **options)

    def _filtered(self, value: Any, name: str, *args: nodes.Expr) -> Any:
        made = nodes.Filter(value, name, list(args), [], None, None, lineno=value.lineno)
        return made.set_environment(self)
