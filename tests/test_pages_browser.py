"""The pages of ``search`` and ``compare`` in a real Chromium: what they do when somebody uses them,
and that what they say agrees with the documents of the commands."""

import random
import re
import time

import pytest
import yaml

import anonsql
from anonsql.features.demo import command as demo
from anonsql.features.report.command import report
from anonsql.features.search import solution_space
from anonsql.features.search.described import of_space
from anonsql.policy.policy import Policy
from anonsql.presentation import page

from .browser import faults, overflow
from .solution_spaces import made_up
from .support import ADULT, DATA, adult_policy, make_table, policy_data

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect
PLANTED = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "\"'><b onmouseover=window.pwned=3>",
    "{{ 7 * 7 }}${7}\u202e\u2028 שלום 😀",
)
"""Names and values that somebody would plant who wants a page to run them."""


def planted_policy(folder):
    """A small table whose name, columns and values are all planted, and its policy."""
    rnd = random.Random(2)
    names = [f"{item} {number}" for number, item in enumerate(PLANTED)]
    rows = [
        (
            *(rnd.choice([f"{entry}{side}" for side in "xxy"]) for entry in PLANTED[:3]),
            rnd.randrange(9),
        )
        for _ in range(300)
    ]
    types = dict.fromkeys(names[:3], "VARCHAR") | {names[3]: "INTEGER"}
    folder.mkdir()
    make_table(folder / "source.duckdb", types, rows, table=PLANTED[0])
    columns = {name: {"type": "suppression"} for name in names[:3]}
    columns[names[3]] = {"type": "interval", "widths": [3]}
    data = policy_data(columns, k=5, limit=0.02, source={"table": PLANTED[0]})
    return Policy.parse(data, folder), data


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A policy over planted names, its page and its search."""
    folder = tmp_path_factory.mktemp("planted")
    policy, data = planted_policy(folder / "here")
    report = anonsql.search(policy, html=folder / "search.html")
    return folder / "search.html", report, data, folder / "here"


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The page of a comparison over planted names, with a policy that is not met."""
    folder = tmp_path_factory.mktemp("compared") / "here"
    _, data = planted_policy(folder)
    settings = (
        ("one<b>.yaml", {}),
        ("two.yaml", {"method": {"type": "mondrian"}}),
        ("three.yaml", {"privacy": {"k": 10**6}}),
    )
    for name, more in settings:
        text = yaml.safe_dump(data | more, allow_unicode=True, sort_keys=False)
        (folder / name).write_text(text, encoding="utf-8")
    report = anonsql.compare(
        [folder / name for name, _ in settings], queries=60, html=folder / "compare.html"
    )
    return folder / "compare.html", report


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A page of a lattice of thousands of nodes, and its search: Adult, or the demo's table."""
    folder = tmp_path_factory.mktemp("large")
    if DATA is not None:
        policy = adult_policy(folder, ADULT, 10, 0.05)
    else:
        path = demo.write(folder / "demo", 5000, 1)
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        policy = Policy.parse(data | {"method": {"type": "full-domain"}}, path.parent)
    return folder / "search.html", anonsql.search(policy, html=folder / "search.html")


@pytest.fixture(scope="module")
def beyond(tmp_path_factory):
    """The page of a lattice too large to be shown node by node."""
    space = made_up((4, 4, 3), 0.4).model_copy(
        update={"size": 2_500_000, "satisfied": 700_000, "chosen": None}
    )
    path = tmp_path_factory.mktemp("beyond") / "search.html"
    path.write_text(page.described("search", "Ways to release", of_space(space)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def released(planted, tmp_path_factory):
    """The pages of a release over planted names, for its owner and for its recipients."""
    folder = tmp_path_factory.mktemp("released")
    policy = Policy.parse(planted[2], planted[3])
    anonsql.run(policy)
    report(policy, folder / "owner.html")
    report(policy, folder / "recipient.html", audience="recipient")
    return folder


@pytest.fixture
def page_of(request):
    """The page of a kind."""
    places = {
        "lattice": lambda: request.getfixturevalue("planted")[0],
        "compare": lambda: request.getfixturevalue("compared")[0],
        "large": lambda: request.getfixturevalue("large")[0],
        "beyond": lambda: request.getfixturevalue("beyond"),
        "owner": lambda: request.getfixturevalue("released") / "owner.html",
        "recipient": lambda: request.getfixturevalue("released") / "recipient.html",
    }
    return lambda kind: places[kind]()


KINDS = ("lattice", "compare", "large", "beyond", "owner", "recipient")


@pytest.mark.parametrize("kind", KINDS)
def test_everybody_can_read_it(page_of, kind, visit):
    """In light and dark, and on a phone as on a wall."""
    opened = visit(page_of(kind))
    assert faults(opened) == []
    if kind in ("lattice", "compare"):
        opened.emulate_media(color_scheme="dark")
        assert faults(opened) == []
    for width in (390, 2560):
        opened.set_viewport_size({"width": width, "height": 900})
        opened.wait_for_timeout(100)  # charts are as wide as the page
        assert overflow(opened) <= 0, width


def rows_of_chart(page):
    """The rows of the table of the chart, as texts of their cells."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#solution-space tbody tr")].map(
            (row) => [...row.cells].map((cell) => cell.textContent))"""
    )


def test_the_table_has_what_search_says(large, visit):
    path, report = large
    rows, shown = rows_of_chart(visit(path)), solution_space.MOST
    ordered = sorted(report.nodes, key=solution_space.by_loss)
    assert len(rows) >= min(shown, len(ordered))
    names = report.quasi_identifiers
    for row, node in zip(rows[:shown], ordered, strict=False):
        assert row[1 : len(names) + 1] == [str(node.levels[name]) for name in names]
        counts = [f"{node.suppressed:,}", f"{node.classes:,}", f"{node.min_class:,}"]
        assert row[len(names) + 2 : len(names) + 5] == counts
        assert ("minimal" in row[-2]) == node.minimal


def test_a_point_says_which_row_it_is(planted, visit):
    path, report, *_ = planted
    page = visit(path)
    page.locator("#solution-space svg").scroll_into_view_if_needed()
    page.locator(
        "#solution-space svg path[aria-roledescription], #solution-space .mark-symbol path"
    ).last.hover()
    said = page.locator(".tooltip").inner_text()
    number = int(re.search(r"number\s+([0-9]+)", said)[1])
    row = next(row for row in rows_of_chart(page) if row[0] == str(number))
    levels = [f"{name} {level}" for name, level in zip(report.quasi_identifiers, row[1:])]
    assert all(level in said for level in levels)


def test_the_lines_publish_that_node(planted, visit):
    """Whatever the columns are called: the lines go into the policy in the place of its method."""
    path, report, data, folder = planted
    rows, rnd = rows_of_chart(visit(path)), random.Random(1)
    names = report.quasi_identifiers
    nodes = {tuple(map(str, node.levels.values())): node for node in report.nodes}
    assert len(rows) == len(nodes)
    for row in rnd.sample(rows, 2):
        node, lines = nodes[tuple(row[1 : len(names) + 1])], row[-1]
        given = {name: item for name, item in data.items() if name != "method"}
        text = yaml.safe_dump(given, allow_unicode=True, sort_keys=False) + lines + "\n"
        (folder / "policy.yaml").write_text(text, encoding="utf-8")
        assert anonsql.check(folder / "policy.yaml").status == "ok"
        published = anonsql.run(folder / "policy.yaml")
        assert published.levels == node.levels
        assert published.suppressed == node.suppressed
        assert published.metrics["loss"] == pytest.approx(node.loss)


def test_what_is_planted_is_text(planted, compared, released, visit):
    """Names stand in the page as they are; nothing that they hold has become an element."""
    for path in (planted[0], compared[0], released / "owner.html"):
        page = visit(path)
        page.locator("figure svg, figure canvas").first.hover()
        assert page.locator("img, b").count() == 0
        assert PLANTED[0] in page.locator("body").inner_text()
        page.mouse.move(300, 300)


def test_a_lattice_too_large_is_told_in_words(beyond, visit):
    page = visit(beyond)
    said = page.locator("body").inner_text().replace("\n", " ")
    assert "2,500,000 generalizations, 700,000 keep" in said
    assert f"show {len(rows_of_chart(page)):,} of them" in said


def test_fifty_thousand_nodes_open_in_a_moment(tmp_path, visit):
    """Within a second, or four times what an empty page takes on a machine that is busy."""
    space = made_up((5, 5, 5, 5, 4, 4, 5), 0.4)
    assert space.size == 50_000 and space.satisfied > 30_000
    full, empty = tmp_path / "full.html", tmp_path / "empty.html"
    full.write_text(page.described("search", "Ways to release", of_space(space)), encoding="utf-8")
    assert full.stat().st_size < 3_000_000
    empty.write_text(page.render("presentation/frame", title="empty"), encoding="utf-8")

    def opened(path, wanted):
        started = time.perf_counter()
        visit(path).wait_for_selector(wanted, state="attached")
        return time.perf_counter() - started

    usual = min(opened(empty, "footer") for _ in range(2))
    taken = min(opened(full, "#solution-space svg") for _ in range(3))
    assert taken < max(1.0, 4 * usual), (taken, usual)


def test_it_prints_within_the_paper(planted, large, visit):
    """Without what can only be used on a screen, and with the drawings as wide as the paper."""
    for path in (planted[0], large[0]):
        opened = visit(path, width=680)  # of A4, less its margins
        opened.emulate_media(media="print")
        opened.evaluate("dispatchEvent(new Event('beforeprint'))")
        opened.wait_for_timeout(200)
        assert overflow(opened) <= 0
        assert opened.locator("form:visible, button:visible").count() == 0
