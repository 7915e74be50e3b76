"""The pages of ``search`` and ``compare`` in a real Chromium: what they do when somebody uses them,
and that what they say agrees with the documents of the commands."""

import csv
import itertools
import random
import re
import time
from collections import Counter

import pytest
import yaml

import anonsql
from anonsql.features.demo import command as demo
from anonsql.features.report.command import report
from anonsql.features.search import page as searched
from anonsql.policy.policy import Policy
from anonsql.presentation import page

from .browser import faults, overflow
from .solution_spaces import made_up
from .support import ADULT, DATA, adult_policy, make_table, needs_data, policy_data
from .test_solution_space import of_two

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
    policy = (
        adult_policy(folder, ADULT, 10, 0.05)
        if DATA is not None
        else demo.write(folder / "demo", 5000, 1)
    )
    return folder / "search.html", anonsql.search(policy, html=folder / "search.html")


@pytest.fixture(scope="module")
def beyond(tmp_path_factory):
    """The page of a lattice too large to be shown node by node."""
    space = made_up((4, 4, 3), 0.4).model_copy(
        update={"whole": False, "size": 2_500_000, "satisfied": 700_000, "chosen": None}
    )
    path = tmp_path_factory.mktemp("beyond") / "search.html"
    path.write_text(searched.render(space), encoding="utf-8")
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


def move(page, levels):
    """Move the sliders to levels, in the order of the columns."""
    page.evaluate(
        """(levels) => levels.forEach((level, number) => {
            const slider = document.getElementById(`level-${number}`);
            slider.value = String(level);
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        })""",
        list(levels),
    )


def numbers(text):
    return [int(match.replace(",", "")) for match in re.findall(r"[0-9][0-9,]*(?![0-9.]* %)", text)]


def test_what_it_says_of_a_node_is_what_search_says(large, visit):
    """Random nodes of the whole lattice, as many that satisfy as do not."""
    path, report = large
    page, rnd = visit(path), random.Random(4)
    satisfying = {tuple(item.levels.values()): item for item in report.nodes}
    tops = [
        int(page.locator(f"#level-{number}").get_attribute("max"))
        for number in range(len(report.quasi_identifiers))
    ]
    least = [
        int(page.locator(f"#level-{number}").get_attribute("min"))
        for number in range(len(report.quasi_identifiers))
    ]
    every = list(itertools.product(*(range(low, high + 1) for low, high in zip(least, tops))))
    assert len(every) == report.lattice
    for levels in [*rnd.sample(sorted(satisfying), 15), *rnd.sample(every, 15)]:
        move(page, levels)
        verdict = page.locator("#verdict").inner_text()
        node = satisfying.get(levels)
        assert verdict.startswith("Satisfies." if node else "Does not satisfy."), levels
        assert page.locator("#publish").is_disabled() == (node is None)
        if node is None:
            continue
        assert f"{node.loss:.2%}".replace("%", " %") in verdict
        assert f"; {node.suppressed:,} of " in verdict
        assert f"{node.classes:,} classes, the smallest of {node.min_class:,} rows" in verdict
        assert ("minimal" in verdict) == node.minimal


@needs_data
def test_why_a_node_fails_is_true(large, visit):
    """The node that is named is coarser in every column, fails by counting in plain Python, and
    leaves as many rows as the page says."""
    path, report = large
    page, rnd = visit(path), random.Random(6)
    trees = {}
    for name in ADULT:
        with (DATA / "adult" / "hierarchies" / f"{name}.csv").open(encoding="utf-8") as lines:
            trees[name] = {row[0]: row for row in csv.reader(lines, delimiter=";")}
    with (DATA / "adult" / "adult.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    satisfying = {tuple(node.levels.values()) for node in report.nodes}
    shape = [len(next(iter(trees[name].values()))) for name in ADULT]
    every = itertools.product(*map(range, shape))
    failing = [levels for levels in every if levels not in satisfying]
    for levels in rnd.sample(failing, 6):
        move(page, levels)
        verdict = page.locator("#verdict p").first.inner_text()
        named = dict(re.findall(r"([a-z-]+) ([0-9]+),", verdict.partition("because")[2]))
        witness = [int(named.get(name, level)) for name, level in zip(ADULT, levels)]
        assert all(high >= low for high, low in zip(witness, levels))
        classes = Counter(
            tuple(trees[name][row[name]][level] for name, level in zip(ADULT, witness))
            for row in rows
        )
        left = sum(size for size in classes.values() if size < 10)
        assert f" {left:,} rows in classes" in verdict
        assert left > int(len(rows) * 0.05)


def test_the_brush_filters_the_table(large, visit):
    path, report = large
    page = visit(path)
    found = page.locator("#found")
    assert numbers(found.inner_text())[0] == len(report.nodes)
    page.locator("figure.space canvas").scroll_into_view_if_needed()
    box = page.locator("figure.space canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.35)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7, steps=4)
    page.mouse.up()
    expect(page.locator("[name=loss-to]")).not_to_have_value("")
    low, high, few, many = (
        float(page.locator(f"[name={name}-{end}]").input_value())
        for name in ("loss", "suppressed")
        for end in ("from", "to")
    )
    inside = [
        node
        for node in report.nodes
        if low <= round(node.loss * 100, 2) <= high and few <= node.suppressed <= many
    ]
    assert 0 < len(inside) < len(report.nodes)
    assert numbers(found.inner_text())[0] == len(inside)
    first = page.locator("#nodes tbody tr").first.locator("td").all_inner_texts()
    best = min(inside, key=lambda item: round(item.loss, 4))
    assert first[len(report.quasi_identifiers) + 1] == f"{best.loss:.2%}".replace("%", " %")
    page.get_by_role("button", name="Show all").click()
    expect(found).to_contain_text(f"{len(report.nodes):,} nodes")


def test_numbers_filter_the_table_too(large, visit):
    path, report = large
    page = visit(path)
    page.locator("[name=suppressed-to]").fill("0")
    clean = sum(node.suppressed == 0 for node in report.nodes)
    assert numbers(page.locator("#found").inner_text())[0] == clean
    shown = page.locator("#nodes tbody tr").count()
    assert shown == min(clean, 25)


def test_a_keyboard_is_enough(large, visit):
    path, _ = large
    page = visit(path)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "level-0":
            break
    slider = page.locator("#level-0")
    assert slider.evaluate("each => each === document.activeElement")
    page.keyboard.press("Home")
    before, level = page.locator("#verdict").inner_text(), int(slider.input_value())
    page.keyboard.press("ArrowRight")
    assert int(slider.input_value()) == level + 1
    assert slider.get_attribute("aria-valuetext").startswith(f"level {level + 1}: ")
    page.keyboard.press("End")
    assert page.locator("#verdict").inner_text() != before
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "back":
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "publish"
    page.keyboard.press("Enter")
    assert page.locator("#lines pre").is_visible()
    assert page.locator("#publish").get_attribute("aria-expanded") == "true"


def test_the_lines_publish_that_node(planted, visit):
    """Whatever the columns are called: the lines go into the policy in the place of its method."""
    path, report, data, folder = planted
    page, rnd = visit(path), random.Random(1)
    for node in rnd.sample(report.nodes, 2):
        move(page, node.levels.values())
        page.locator("#publish").click() if page.locator("#lines").is_hidden() else None
        lines = page.locator("#lines pre").inner_text()
        given = {name: item for name, item in data.items() if name != "method"}
        text = yaml.safe_dump(given, allow_unicode=True, sort_keys=False) + lines + "\n"
        (folder / "policy.yaml").write_text(text, encoding="utf-8")
        assert anonsql.check(folder / "policy.yaml").status == "ok"
        published = anonsql.run(folder / "policy.yaml")
        assert published.levels == node.levels
        assert published.suppressed == node.suppressed
        assert published.metrics["loss"] == pytest.approx(node.loss)


def test_which_combination_of_columns_fails_is_said(tmp_path, visit):
    rows = [(f"a{number % 3}", f"b{number % 2}", "x") for number in range(6)] + [("a3", "b0", "x")]
    policy, _ = of_two(tmp_path, rows, quasi_identifiers=[["a"], ["b"]])
    anonsql.search(policy, html=tmp_path / "search.html")
    opened = visit(tmp_path / "search.html")
    move(opened, (0, 0))
    said = opened.locator("#verdict").inner_text()
    assert said.startswith("Does not satisfy.") and " on a;" in said


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
    assert "2,500,000" in page.locator("#space-too-large").inner_text()
    assert page.locator("input[type=range]").count() == 0
    assert page.locator("#nodes tbody tr").count() == 25


def test_fifty_thousand_nodes_open_in_a_moment(tmp_path, visit):
    """Within a second, or four times what an empty page takes on a machine that is busy."""
    space = made_up((5, 5, 5, 5, 4, 4, 5), 0.4)
    assert space.size == 50_000 and space.satisfied > 30_000
    full, empty = tmp_path / "full.html", tmp_path / "empty.html"
    full.write_text(searched.render(space), encoding="utf-8")
    assert full.stat().st_size < 3_000_000
    empty.write_text(page.render("frame", title="empty"), encoding="utf-8")

    def opened(path, wanted):
        started = time.perf_counter()
        visit(path).wait_for_selector(wanted, state="attached")
        return time.perf_counter() - started

    usual = min(opened(empty, "footer") for _ in range(2))
    taken = min(opened(full, "figure.space canvas") for _ in range(3))
    assert taken < max(1.0, 4 * usual), (taken, usual)
    opened_page = visit(full)
    move(opened_page, (4, 4, 4, 4, 3, 3, 4))
    assert opened_page.locator("#verdict").inner_text().startswith("Satisfies.")
    text = opened_page.locator("figure.space figcaption").inner_text()
    assert int(re.search(r"Only ([0-9,]+) of", text)[1].replace(",", "")) <= 5_000


def test_it_prints_within_the_paper(planted, large, visit):
    """Without what can only be used on a screen, and with the drawings as wide as the paper."""
    for path in (planted[0], large[0]):
        opened = visit(path, width=680)  # of A4, less its margins
        opened.emulate_media(media="print")
        opened.evaluate("dispatchEvent(new Event('beforeprint'))")
        opened.wait_for_timeout(200)
        assert overflow(opened) <= 0
        assert opened.locator("form:visible, button:visible").count() == 0
