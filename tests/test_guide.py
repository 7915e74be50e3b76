"""The README and the guide: what they show is run, what they name is there, and the other way."""

import contextlib
import io
import json
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest
import typer
import yaml
from rich.console import Console

from anonsql import Policy
from anonsql.cli.commands import app
from anonsql.features.guide import command as manual
from anonsql.grammar.forms import FORMS
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.source import CSV_OPTIONS
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.schemas import schemas

from .methods import PLAIN
from .support import cli, flat

README = Path(__file__).parent.parent / "README.md"
PAGES = sorted(manual.FOLDER.glob("*.md"))
DOCUMENTS = [README, *PAGES]
FIGURES = README.parent / "benchmarks" / "README.md"
SHOWN = {"sh", "sql", "yaml", "python", "text"}
SCHEMA = schemas()["policy.schema.json"]["$defs"]
COMMANDS = typer.main.get_command(app).commands
METHODS = {
    item["properties"]["type"]["const"]: item
    for name, item in SCHEMA.items()
    if "const" in item["properties"].get("type", {}) and not name.endswith("Hierarchy")
}
HIERARCHIES = {
    item["properties"]["type"]["const"]: item
    for name, item in SCHEMA.items()
    if name.endswith("Hierarchy")
}
MODELS = {
    "k": "k-anonymity",
    "suppression_limit": "k-anonymity",
    "max_group_loss": "k-anonymity",
    "entity": "k-anonymity",
    "quasi_identifiers": "k-anonymity",
    "population": "k-map",
    "kept": "kept-columns",
    "risk": "risk-limits",
    "differential": "differential-privacy",
}
"""The pages of what is promised, where they are not called as the policy's field is."""


def name(path):
    """What a document is called in the names of tests."""
    return "benchmarks" if path == FIGURES else path.stem


@dataclass
class Block:
    """A fenced block: its language, its lines, where it begins, and the comment just above it."""

    language: str
    line: int
    comment: str
    text: str = ""


@dataclass
class Reader:
    """Somebody who follows a document in a folder, block by block."""

    place: Path
    names: dict = field(default_factory=dict)
    output: str | None = None

    def follow(self, block):
        """Do what a block says; what it prints is kept for the block of text behind it."""
        if block.comment.startswith("not run: ") or block.comment in (
            "demo command",
            "test command",
        ):
            if block.language == "python":
                compile(block.text, "a block", "exec")
            self.output = None
        else:
            self.output = getattr(self, block.language)(block)

    def sh(self, block):
        wanted = re.fullmatch(r"exit code (\d+)", block.comment)
        shown = [self.command(line) for line in commands(block.text)]
        assert [code for code, _ in shown[:-1]] == [0] * (len(shown) - 1), shown
        assert shown[-1][0] == (int(wanted[1]) if wanted else 0), shown[-1][1]
        return "\n".join(text for _, text in shown)

    def command(self, line):
        """The exit code and the output of a line of the shell, which calls nothing but anonsql."""
        words = shlex.split(line, comments=True)
        assert words[0] == "anonsql", line
        into = words[words.index(">") + 1] if ">" in words else None
        result = cli(*(words[1 : words.index(">")] if into else words[1:]))
        if into:
            (self.place / into).write_text(result.stdout, encoding="utf-8")
        return result.exit_code, "" if into else result.output

    def yaml(self, block):
        """Put what the block says into the policy, or into a copy of it that the comment names.

        Columns go in by name, all else in the place of what was there.
        """
        policy, path = yaml.safe_load(block.text), self.place / "policy.yaml"
        named = self.place / block.comment.removeprefix("in ")
        if {"protect", "statistics"} & policy.keys() and "source" not in policy:
            before = yaml.safe_load(named.read_text(encoding="utf-8"))
            measured = {**before["statistics"], **policy.get("statistics", {})}
            policy = {**before, **policy, "statistics": measured}
        if "statistics" in policy:
            StatisticsPolicy.parse(policy, named.parent)
            named.write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
            return
        if named.is_file() and "tables" not in policy:
            whole = yaml.safe_load(named.read_text(encoding="utf-8"))
            policy = {**whole, **policy} if "tables" in whole else policy
        if "tables" in policy:
            RelationalPolicy.parse(policy, self.place)
            named.write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
            return
        is_whole = {"source", "release", "columns", "privacy"} <= set(policy)
        before = {} if is_whole else yaml.safe_load(path.read_text(encoding="utf-8"))
        after = {
            **before,
            **policy,
            "columns": {**before.get("columns", {}), **policy.get("columns", {})},
        }
        Policy.parse(after, self.place)
        into = self.place / (block.comment.removeprefix("in ") or "policy.yaml")
        into.write_text(
            yaml.safe_dump(after, sort_keys=False, allow_unicode=True), encoding="utf-8"
        )

    def sql(self, block):
        """What a client prints that opens the release, or the file that the comment names."""
        file = block.comment.removeprefix("in ") or "patients_released.duckdb"
        with contextlib.closing(duckdb.connect(str(self.place / file), read_only=True)) as client:
            return "\n".join(
                printed(client.execute(statement)) for statement in statements(block.text)
            )

    def python(self, block):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, "a block", "exec"), self.names)
        return printed.getvalue()

    def text(self, block):
        """Every line is in the output above, in this order; `…` ends a line early."""
        assert self.output is not None, "no output stands above: say why it is not run"
        output, place = flat(self.output), 0
        for line in block.text.splitlines():
            wanted = " ".join(line.removesuffix("…").split())
            found = output.find(wanted, place)
            assert found >= 0, f"{wanted!r} is not in\n{self.output}"
            place = found + len(wanted)
        return self.output


def commands(text):
    return [
        item for item in text.replace("\\\n", " ").splitlines() if shlex.split(item, comments=True)
    ]


def statements(text):
    return [extract_statement.query for extract_statement in duckdb.extract_statements(text)]


def printed(result):
    names = [item[0] for item in result.description]
    rows = [["NULL" if value is None else str(value) for value in row] for row in result.fetchall()]
    return "\n".join(" ".join(entry) for entry in [names, *rows])


def blocks(path):
    """The fenced blocks of a document."""
    found, inside, before = [], None, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if inside is None and line.startswith("```"):
            comment = re.fullmatch(r"<!-- (.*) -->", before)
            inside = Block(line.removeprefix("```"), number, comment[1] if comment else "")
        elif inside is not None and line == "```":
            found.append(inside)
            inside = None
        elif inside is not None:
            inside.text += line + "\n"
        before = line
    assert inside is None, f"{path.name}: a block does not end"
    return found


def prose(path):
    """The lines of a document outside its blocks, with their numbers."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("```"):
            yield number, line


def anchors(path):
    """What the headings of a document are called in links."""
    headings = [line.lstrip("# ").lower() for _, line in prose(path) if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in headings}


@pytest.fixture(scope="module")
def after_readme(tmp_path_factory):
    """The folder as the README's steps leave it, where all pages begin."""
    place = tmp_path_factory.mktemp("guide")
    reader = Reader(place)
    with contextlib.chdir(place):
        reader.command("anonsql guide --example > patients.csv")
        reader.command("anonsql init patients.csv")
        reader.yaml(next(block for block in blocks(README) if block.language == "yaml"))
        assert reader.command("anonsql run policy.yaml --if-changed")[0] == 0
    return place


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_what_a_document_shows_is_so(path, after_readme, tmp_path, monkeypatch):
    if path != README:
        shutil.copytree(after_readme, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path)
    for block in blocks(path):
        try:
            reader.follow(block)
        except BaseException as error:
            error.add_note(f"{path.name}, the block of line {block.line}")
            raise


@pytest.mark.parametrize("path", [*DOCUMENTS, FIGURES], ids=name)
def test_blocks_have_a_language_that_is_run(path):
    markers = [block.comment for block in blocks(path) if block.language == "bash"]
    assert markers == (["demo command", "test command"] if path == README else [])
    followed = {item.language for item in blocks(path) if not item.comment.startswith("not run: ")}
    assert followed - {"bash"} <= SHOWN


@pytest.mark.parametrize("path", [*DOCUMENTS, FIGURES], ids=name)
def test_links_lead_somewhere(path):
    text = "\n".join(line for _, line in prose(path))
    for target, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        if "://" not in target:
            file = path.parent / target if target else path
            assert file.exists(), target
            assert not heading or heading in anchors(file), f"{target}#{heading}"


def test_the_readmes_patients_are_in_the_table_and_in_the_release(after_readme):
    rows = [line.strip("| ").split(" | ") for _, line in prose(README) if line.startswith("| ")]
    before, after = rows[1:5], rows[6:10]
    example = (after_readme / "patients.csv").read_text(encoding="utf-8").splitlines()
    assert all(",".join(row) in example for row in before)
    with contextlib.closing(
        duckdb.connect(str(after_readme / "patients_released.duckdb"), read_only=True)
    ) as client:
        names = ", ".join(rows[5])
        released = set(client.execute(f"SELECT {names} FROM patients_released").fetchall())
    assert {(*row[:-1], int(row[-1])) for row in after} <= released
    assert len(before) == len(after) == 4


def test_the_honest_limit_is_so(after_readme):
    with contextlib.closing(
        duckdb.connect(str(after_readme / "patients_released.duckdb"), read_only=True)
    ) as client:
        amir = client.execute(
            "SELECT nights, disease FROM patients_released WHERE age = '[20,30)' AND sex = 'M'"
            " AND zipcode = '105**' AND occupation = 'student' AND admitted = '2025'"
        ).fetchall()
    assert len(amir) == 5
    assert [disease for nights, disease in amir if nights == 5] == ["asthma"]


def test_the_index_has_a_line_for_every_page():
    lines = re.findall(
        r"^- \[([a-z-]+)\]\(([a-z-]+)\.md\): \S", (manual.FOLDER / "index.md").read_text(), re.M
    )
    assert [name for name, _ in lines] == [name for _, name in lines]
    assert sorted(name for name, _ in lines) == manual.topics()


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_begins_with_a_title_and_what_it_is_for(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert lines[1] == "" and re.match(r"[`A-Z*]", lines[2])


def test_there_are_methods_and_models():
    assert set(METHODS) == set(PLAIN) > {"full-domain", "ring", "local"}
    assert set(MODELS) < set(SCHEMA["Privacy"]["properties"])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page_with_its_options(method):
    text = manual.page(method).text
    assert f"type: {method}" in text
    assert unsaid(METHODS[method]["properties"], text) == set()
    assert f"[`{method}`]({method}.md)" in manual.page("choose").text


@pytest.mark.parametrize("model", SCHEMA["Privacy"]["properties"])
def test_every_model_has_a_page_with_its_options(model):
    text = manual.page(MODELS.get(model, model)).text
    fields = {model, *inner(SCHEMA["Privacy"]["properties"][model])} - {
        "file",
        "database",
        "table",
        "query",
        *CSV_OPTIONS,
        "columns",
    }
    assert unsaid(fields, text) == set()


@pytest.mark.parametrize("kind", HIERARCHIES)
def test_every_hierarchy_is_described(kind):
    assert (
        unsaid({kind, *HIERARCHIES[kind]["properties"]}, manual.page("hierarchies").text) == set()
    )


def test_every_form_of_a_column_is_described():
    assert unsaid(FORMS, manual.page("release").text) == set()


@pytest.mark.parametrize(
    "part", ["Source", "Release", "Recipient", "ColumnPolicy", "EngineSettings", "Policy"]
)
def test_every_field_of_the_policy_is_described(part):
    fields = SCHEMA[part]["properties"]
    assert unsaid(fields, manual.page("policy").text) == set()


def test_every_option_of_csv_files_is_described():
    fields = {*CSV_OPTIONS, *SCHEMA["SourceColumn"]["properties"]}
    assert unsaid(fields, manual.page("csv").text) == set()


@pytest.mark.parametrize("part", ["TablePolicy", "RelationalPrivacy", "RelationalSource"])
def test_every_field_of_several_tables_is_described(part):
    fields = SCHEMA[part]["properties"]
    assert unsaid(fields, manual.page("relational").text) == set()
    assert unsaid(SCHEMA["RelationalPolicy"]["properties"], manual.page("relational").text) == set()


STATISTICS_PARTS = [
    *("Statistics", "Dimension", "CountOf", "SumOf", "TableOf"),
    *("Protect", "Dominance", "CellKey", "Rounding", "StatisticsRelease"),
]


@pytest.mark.parametrize("part", STATISTICS_PARTS)
def test_every_field_of_statistics_is_described(part):
    fields = SCHEMA[part]["properties"]
    assert unsaid(fields, manual.page("statistics").text) == set()
    assert unsaid(SCHEMA["StatisticsPolicy"]["properties"], manual.page("statistics").text) == set()


def test_every_way_to_protect_cells_is_described():
    by = SCHEMA["Protect"]["properties"]["by"]
    ways = by.get("enum") or [by["const"]]
    assert unsaid(ways, manual.page("statistics").text) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_with_its_options(command):
    text = manual.page(command).text
    assert f"anonsql {command}" in text
    options = {
        option
        for param in COMMANDS[command].params
        for option in param.opts
        if option.startswith("--")
    }
    common = {"--json", "--quiet", "--verbose", "--log-format", "--show-values", "--help"}
    assert {option for option in options - common if f"`{option}" not in text} == set()
    assert f"`anonsql {command}" in manual.page("commands").text


def test_the_folders_that_contributors_are_told_of_are_there():
    named = re.findall(
        r"`((?:anonsql|sql_templates|schemas)/[\w/]*)`", manual.page("architecture").text
    )
    assert len(named) >= 10
    assert [item for item in named if not (README.parent / item).is_dir()] == []


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark", "files", "databases"])
def test_every_engine_has_a_page(engine):
    assert "source:" in manual.page(engine).text


def unsaid(fields, text):
    """Those of the fields that stand in no code of a page."""
    code = " ".join(
        re.findall(r"`[^`\n]+`", text) + re.findall(r"^```yaml$(.*?)^```$", text, re.M | re.S)
    )
    return {
        item for item in fields if not re.search(rf"(?<![\w-]){re.escape(item)}(?![\w-])", code)
    }


def inner(schema):
    """The fields of the models that a field of the policy holds."""
    named = re.findall(r"#/\$defs/(\w+)", json.dumps(schema))
    return {item for name in named for item in SCHEMA[name].get("properties", {})}


# the command


def test_the_command_prints_pages_as_they_are_written():
    assert cli("guide").stdout == (manual.FOLDER / "index.md").read_text(encoding="utf-8")
    for name in ("l-diversity", "L_Diversity", "l-diversity.md"):
        assert cli("guide", name).stdout == (manual.FOLDER / "l-diversity.md").read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize(
    ("topic", "hint"),
    [
        ("mondrain", "Did you mean 'mondrian'"),
        ("xyzzy", "`anonsql guide` lists all pages"),
        ("../policy", "no page has the name '../policy' or the word"),
    ],
)
def test_an_unknown_topic(topic, hint):
    result = cli("guide", topic)
    assert (result.exit_code, result.stdout) == (2, "")
    assert hint in flat(result.stderr)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_on_a_terminal(path):
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    manual.show(console, manual.page(path.stem))
    shown = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", console.file.getvalue())
    title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").replace("`", "")
    assert title in shown
    assert "```" not in shown and "<!--" not in shown and "](" not in shown


def test_links_on_a_terminal_name_their_pages():
    console = Console(file=io.StringIO(), force_terminal=True, width=60, color_system=None)
    text = (
        "See [ring](ring.md#options), [`ring`](ring.md), [more](limits.md), [web](https://x.org)."
    )
    manual.show(console, manual.Page(topic="x", text=text))
    assert console.file.getvalue().startswith("See ring, ring, more (limits), ")


@pytest.mark.parametrize(
    ("word", "first"),
    [
        *(("subtree", "full-subtree"), ("cron", "schedule"), ("json", None)),
        *((word, "python") for word in ("jupyter", "notebook", "dataframe")),
    ],
)
def test_a_word_that_is_no_page_is_searched_for(word, first):
    found = cli("guide", word)
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert first is None or lines[0].startswith(f"{first}: ")
    assert word in found.stdout.lower() and len(lines) <= 24


def test_pages_are_searched_for_a_word():
    found = cli("guide", "--search", "hilbert")
    assert found.exit_code == 0 and found.stdout.startswith("hilbert: ")
    assert "choose: " in found.stdout
    missing = cli("guide", "--search", "zzz")
    assert missing.exit_code == 2 and "no page has the name 'zzz'" in missing.stderr
    assert cli("guide", "--search", " ").exit_code == 2


def test_the_example_is_a_table():
    rows = cli("guide", "--example").stdout.splitlines()
    assert rows[0] == "name,age,sex,zipcode,occupation,admitted,disease,nights"
    assert len(rows) == 1001
