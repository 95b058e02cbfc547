"""Windows of a browser for operators at work, and what those windows complain about."""

from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from relationships.models import Role
from tests.acceptance.browser.stage import PASSWORD, Stage
from tests.waiting import PATIENCE

WIDE, PHONE = 1280, 390
Scheme = Literal["light", "dark"]
MILLISECONDS = 20_000 * PATIENCE  # generous, as a busy machine may be slow
# Chromium and htmx log this for every error status; the tests check what the page says instead.
_REFUSALS = (
    "Failed to load resource: the server responded with a status of 4",
    "Response Status Error Code 4",
)

expect.set_options(timeout=MILLISECONDS)


class Desk:
    def __init__(self, browser: Browser, stage: Stage, cookies: dict[Role, Path]) -> None:
        self._browser, self._stage, self._cookies = browser, stage, cookies
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def open(
        self,
        role: Role | None = Role.OWNER,
        *,
        width: int = WIDE,
        scheme: Scheme = "light",
        scripts: bool = True,
    ) -> Page:
        """Open a new window for an operator with this role; None: nobody is signed in."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900},
            storage_state=self._cookies[role] if role else None,
            reduced_motion="reduce",
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        context.set_default_timeout(MILLISECONDS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"{error} ({page.url}): {error.stack}"))
        return page

    def sign_in(self, window: Page, role: Role, *, password: str = PASSWORD) -> None:
        if not window.get_by_label("Password").count():
            window.goto(self._stage.sign_in_page())
        window.get_by_label("Email address").fill(self._stage.email(role))
        window.get_by_label("Password").fill(password)
        window.get_by_role("button", name="Sign in").click()
        window.wait_for_load_state()

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        assert not self.complaints, "\n".join(self.complaints)

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_REFUSALS):
            self.complaints.append(f"{message.text} ({message.location.get('url')})")
