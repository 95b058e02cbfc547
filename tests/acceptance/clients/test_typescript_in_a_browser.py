"""In a page of another site, with a relationship token: the TypeScript client as it is packed, loaded as a module, and the
memory page in a frame."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from rapport_client import Rapport

from tests.acceptance.browser.chromium import FLAGS, require_chromium
from tests.acceptance.service import LiveService
from tests.environments import TYPESCRIPT, node_with, typescript_client
from tests.loopback import Loopback
from tests.vendor_servers.openai_server import OpenAIServer

# Over plain HTTP, as at home: a browser keeps some of its functions from such a page.
SITE = "app.example"
MODULES = {"openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"}
CLIENT = "/node_modules/rapport-client/dist/index.js"


class _Files(SimpleHTTPRequestHandler):
    """The page, the client and what it needs, without any bundler."""

    extensions_map = {".html": "text/html", ".mjs": "text/javascript", ".js": "text/javascript"}

    def translate_path(self, path: str) -> str:
        """A package may lie in the folder above, as Node looks for it."""
        found = Path(super().translate_path(path))
        above = Path(self.directory).parent / found.relative_to(self.directory)
        return str(found if found.exists() else above)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[int]:
    """The port of a web server of somebody else's."""
    folder = node_with(typescript_client())
    (folder / "browser.mjs").write_bytes((TYPESCRIPT / "test/browser.mjs").read_bytes())
    imports = str({"rapport-client": CLIENT, **MODULES}).replace("'", '"')
    (folder / "page.html").write_text(f'<script type="importmap">{{"imports": {imports}}}</script>')
    with Loopback(partial(_Files, directory=str(folder))) as server:
        yield server.server_port


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def service(live: LiveService, site: int, model: OpenAIServer) -> LiveService:
    live.settings |= {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
    live.companion_config = {"context": {"provider": "openai"}, "chat": {"tools": []}}
    live.new_relationships(1)
    live.start_worker()
    live.start_web(RAPPORT_CORS_ORIGINS=f"http://{SITE}:{site}")
    live.wait_until_ready()
    return live


@pytest.fixture
def chromium(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright keeps an event loop in this thread
    path = require_chromium()
    with sync_playwright() as playwright:
        rules = f"--host-resolver-rules=MAP {SITE} 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, rules])
        yield browser
        browser.close()


def on_the_page(browser: Browser, origin: str, function: str, *told: str) -> Any:
    page = browser.new_page()
    page.goto(f"{origin}/page.html")
    return page.evaluate(f"async (told) => (await import('/browser.mjs')).{function}(...told)", list(told))


def test_a_page_of_a_named_site_remembers_is_shown_talks_and_follows(
    service: LiveService, chromium: Browser, site: int, model: OpenAIServer
) -> None:
    url = service.web.url
    with Rapport(url, service.new_api_key()) as rapport:
        maya = rapport.relationship(companion="ada", user="maya")
        token = rapport.tokens_create(maya.id, scopes=["write"])["token"]
    model.push({"pieces": ["In ", "Lisbon."]})

    seen = on_the_page(chromium, f"http://{SITE}:{site}", "live", url, token, str(maya.id))
    elsewhere = on_the_page(chromium, f"http://127.0.0.1:{site}", "call", url, token, str(maya.id))

    assert "Lisbon" in seen.pop("system")
    (entry,) = seen.pop("entries")
    assert "Lisbon" in entry
    assert seen == {
        "turn": "applied",
        "event": "memory.changed",
        "turnOfEvent": True,
        "events": [True, True],
        "pieces": ["In ", "Lisbon."],
        "refused": ["ProblemError", 422, ["query"]],
    }
    assert elsewhere == "TypeError", "a page of a site that nobody named was answered"


IN_A_FRAME = """(src) => document.body.append(Object.assign(document.createElement("iframe"),
  { src, sandbox: "allow-scripts allow-same-origin allow-forms allow-downloads" }))"""


def test_the_memory_page_works_in_a_frame_of_a_named_site_alone(
    service: LiveService, chromium: Browser, site: int
) -> None:
    url = service.web.url
    with Rapport(url, service.new_api_key()) as rapport:
        maya = rapport.relationship(companion="ada", user="maya")
        rapport.entries_create(maya.id, type="other", content="Has a cat")
        link = url + rapport.tokens_create(maya.id, scopes=["write"])["page"]
    windows = {}
    for host in (SITE, "127.0.0.1"):
        windows[host] = chromium.new_page()
        windows[host].goto(f"http://{host}:{site}/page.html")
        windows[host].evaluate(IN_A_FRAME, link)
    frame = windows[SITE].frame_locator("iframe")
    frame.get_by_role("button", name="Forget", exact=True).click()
    frame.get_by_role("button", name="Erase for good").click()
    frame.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    expect(frame.get_by_text("Erased.")).to_be_visible()
    assert frame.locator("body").evaluate("sessionStorage.length") == 0, "another frame would read it"
    frame.locator("body").evaluate("location.reload()")
    expect(frame.get_by_text("Nothing found.").first).to_be_visible()
    expect(windows["127.0.0.1"].frame_locator("iframe").locator("#content")).to_have_count(0)
