"""A real Chromium for tests of pages, started once a session; without one they are skipped.

A page that a test opens by ``visit`` must ask for nothing but its own file and say nothing on the
console, whatever the test does with it; and nothing that a tester planted may have run.
"""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium on this machine (Debian: apt-get install chromium; or ANONSQL_CHROMIUM)"


def executable():
    """The path of Chromium, or None."""
    named = os.environ.get("ANONSQL_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser():
    """Chromium, or a skip that says why there is none."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = executable()
    if path is None:
        pytest.skip(MISSING)
    with sync.sync_playwright() as playwright:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


class Visits:
    """Pages that one test has open, and all that they said and asked for."""

    def __init__(self, browser):
        self._browser, self._contexts = browser, []
        self.said, self.asked, self.files = [], [], set()

    def __call__(self, path, *, width=1280, height=900, scheme="light", **options):
        """Open a file; return the page when its charts are drawn."""
        address = Path(path).resolve().as_uri()
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        self._contexts.append(context)
        self.files.add(address)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(address)
        page.evaluate("window.anonsql?.all().then(() => null)")
        return page

    def end(self):
        """Close the pages, and hold them to what pages promise."""
        planted = [
            page.evaluate("String(window.pwned)")
            for context in self._contexts
            for page in context.pages
        ]
        for context in self._contexts:
            context.close()
        assert self.said == []
        assert {item for item in self.asked if not item.startswith("data:")} <= self.files
        assert set(planted) <= {"undefined"}


@pytest.fixture
def visit(browser):
    """Open a page: see :class:`Visits`."""
    visits = Visits(browser)
    yield visits
    visits.end()


def faults(page):
    """The serious and critical faults that axe-core finds in a page, as text."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{item['id']}: {item['help']} ({item['nodes'][0]['html'][:200]})"
        for item in found
        if item["impact"] in ("serious", "critical")
    ]


def overflow(page):
    """How many pixels a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")
