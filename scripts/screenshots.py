"""Takes the pictures of the README and docs: plays the demo in a folder of its own, and looks at it in the admin UI."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from scripts.chromium import find_chromium

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SIZE: ViewportSize = {"width": 1180, "height": 720}
PORT = "8765"  # or the next free one


def main() -> int:
    chromium = find_chromium()
    if chromium is None:
        print("There is no Chrome or Chromium on this machine. Install one: apt install chromium")
        return 1
    with demo() as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce", color_scheme="light")
        sign_in(page, data)
        for name in take(page):
            print(f"docs/images/{name}.png")
        browser.close()
    return 0


@contextmanager
def demo() -> Iterator[Path]:
    """The data folder of a demo that is up, with nobody's keys and nobody's database."""
    with tempfile.TemporaryDirectory(prefix="rapport-") as folder:
        Path(folder).chmod(0o755)  # the unprivileged account that runs the database passes through it
        kept = {
            name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")
        }
        env = {**kept, "RAPPORT_DATA_DIR": folder, "RAPPORT_LLM_PROVIDER": "offline", "DATABASE_URL": ""}
        try:
            manage(env, "demo", "--port", PORT)
            yield Path(folder)
        finally:
            manage(env, "stop")


def manage(env: dict[str, str], *words: str) -> None:
    command = [sys.executable, "manage.py", *words]
    subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own


def sign_in(page: Page, data: Path) -> None:
    operator = json.loads((data / "operator.json").read_text())
    page.goto(json.loads((data / "serve.json").read_text())["url"] + "/admin-ui/")
    page.get_by_label("Email address").fill(operator["email"])
    page.get_by_label("Password").fill(operator["password"])
    page.get_by_role("button", name="Sign in").click()


def take(page: Page) -> Iterator[str]:
    """Each picture's name, once it is taken: the overview, a memory, an entry's history, a conversation, the past, the
    context preview, and the person's own page.
    """
    with page.expect_navigation():
        page.get_by_label("Dated by").select_option("said")
    page.get_by_text("worker running").wait_for()
    yield picture(page, "overview")
    page.get_by_role("link", name=re.compile("^Maya and Ada")).click()
    page.get_by_role("heading", name="Memory").wait_for()
    yield picture(page, "memory")
    page.get_by_role("link", name=re.compile("^Is 35 years old")).click()
    page.get_by_role("heading", name="History").wait_for()
    yield picture(page, "history")
    page.get_by_role("link", name="Conversation", exact=True).click()
    page.get_by_role("link", name="Start").click()
    page.get_by_text("memory updated").first.wait_for()
    yield picture(page, "conversation")
    page.get_by_role("link", name="Time travel").click()
    page.get_by_role("slider", name="Memory at").press("PageDown")
    page.get_by_role("region", name="Changes").get_by_role("listitem").first.wait_for()
    yield picture(page, "time-travel")
    page.get_by_role("link", name="Context").click()
    page.get_by_label("Next message from Maya").fill("What could I cook for Ana and me tonight?")
    page.get_by_role("button", name="Preview").click()
    page.locator("#assembled").get_by_text("What could I cook").first.wait_for(state="attached")
    page.get_by_text("Assembling…").wait_for(state="hidden")
    yield picture(page, "context")
    page.get_by_role("link", name="Tokens").click()
    page.get_by_label("Scope").select_option("write")
    page.get_by_role("button", name="Create token").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open the memory page").click()
    opened.value.set_viewport_size(SIZE)
    opened.value.get_by_text("Is vegetarian").wait_for()
    yield picture(opened.value, "memory-page")


def picture(page: Page, name: str) -> str:
    page.screenshot(path=IMAGES / f"{name}.png")
    return name


if __name__ == "__main__":
    sys.exit(main())
