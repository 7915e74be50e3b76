"""A tree of parts is shown by the terminal and by pages: texts as they are, whatever they hold;
numbers right-aligned; parts for those readers alone that they are for."""

import io
import re

import pytest
from rich.console import Console

from anonsql.presentation import notebook, page, terminal
from anonsql.presentation.documents import Finding
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Code, Figures, Section, Sentence, chart, findings

HOSTILE = "[bold]x[/] <b>y</b> :smile: {{ 7 * 7 }}"
FIGURES = Figures(["name", "rows", "share"], [["a", 1200, percent(0.5)], [HOSTILE, 3, None]])
CHART = chart("of-rows", "Rows", "Most are of a.", {"mark": "bar"}, FIGURES)
TREE = [
    Sentence(f" {HOSTILE}", HOSTILE, "good"),
    Section("Under it", [FIGURES, Code("SELECT   1"), Section("", [CHART], beside=True)]),
    Section("Details", [Sentence("a `word` of it")], folded=True),
    *(Sentence(f"for {reader}", on=reader) for reader in ("page", "terminal", "verbose")),
]


def on_terminal(tree, **options):
    console = Console(file=io.StringIO(), width=80)
    terminal.show(console, tree, **options)
    return console.file.getvalue()


def test_a_terminal_shows_texts_as_they_are():
    text = on_terminal(TREE)
    assert text.count(HOSTILE) == 4  # twice in the sentence, in the table and in that of the chart
    assert "Rows. Most are of a.\n" in text and "SELECT 1" in text and "a `word` of it" in text


def test_a_page_shows_texts_as_they_are():
    text = page.described("risk", HOSTILE, TREE)
    assert (
        "<b>y</b>" not in text and "{{ 7 * 7 }}" in text and "49" not in re.sub(r"<s.*", "", text)
    )
    assert text.count("&lt;b&gt;y&lt;/b&gt;") >= 5
    assert "a <code>word</code> of it" in text and '<h2 id="part-1">Under it</h2>' in text


def test_numbers_are_right_aligned():
    assert FIGURES.numeric == [False, True, True]
    assert Figures(["is", "nothing"], []).numeric == [False, False]
    assert Figures(["is"], [[True]]).numeric == [False]
    heading, first, second = on_terminal([FIGURES]).splitlines()
    assert heading.index("rows") + 4 == first.index("1,200") + 5 == second.index("3  ") + 1
    assert first.endswith(" 50 %  ") or first.rstrip().endswith(" 50 %")
    assert '<td class="number">50 %</td>' in page.described("risk", "t", [FIGURES])


@pytest.mark.parametrize(
    ("show", "readers"),
    [
        (lambda: on_terminal(TREE), {"terminal"}),
        (lambda: on_terminal(TREE, verbose=True), {"verbose"}),
        (lambda: notebook.html(TREE), {"verbose"}),
        (lambda: page.described("risk", "t", TREE), {"page", "verbose"}),
    ],
    ids=["terminal", "verbose", "notebook", "page"],
)
def test_parts_are_for_their_readers(show, readers):
    assert set(re.findall("for (page|terminal|verbose)", show())) == readers


def test_a_notebook_shows_texts_as_they_are_and_charts_as_tables():
    text = notebook.html(TREE)
    assert "<b>y</b>" not in text and "<script" not in text and 'class="plot"' not in text
    assert "<strong>Rows.</strong> Most are of a." in text and text.count("<table>") == 2


def test_a_screen_is_cut():
    lines = terminal.screen([Sentence(f"{n}") for n in range(100)]).splitlines()
    assert len(lines) == 24 and lines[-1] == "…"


def test_a_share_stays_with_its_sign():
    text = on_terminal([Sentence("x" * 76 + " 50 % of it")])
    assert text.splitlines() == ["x" * 76, "50 % of it"]


def test_equal_findings_are_one():
    found = [Finding(where=place, message="is odd.", remedy="Mend it.") for place in ("a", "b")]
    found.append(Finding(where="c", message="is [bold].", remedy=""))
    lines = on_terminal(findings("warning", "warn", found)).splitlines()
    assert lines == ["warning a, b (2): is odd. Mend it.", "warning c: is [bold]."]
