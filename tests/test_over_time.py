"""Jobs that follow one another: what they release, tell and refuse."""

import datetime
import json
import shutil
from contextlib import closing

import pytest

import anonsql
from anonsql.errors import BusyError, PolicyError, PrivacyError

from . import over_time_attack
from .support import cli, flat, make_source, policy_data, released_rows, rows_of, write_data

TYPES = {"id": "INTEGER", "age": "INTEGER", "place": "VARCHAR", "ill": "VARCHAR"}
AGE = {"type": "interval", "widths": [10, 20]}
COLUMNS = {
    "id": "identifying",
    "age": AGE,
    "place": {"type": "suppression"},
    "ill": "sensitive",
}
K = 3


def people(first, last):
    """People by number: those of the same tens are of one age and place."""
    return [(n, 20 + n // 10 % 4 * 10, "ab"[n // 40 % 2], "xyz"[n % 3]) for n in range(first, last)]


class Table:
    """A table that is released again and again."""

    def __init__(self, folder, released=None):
        self.folder, self.released = folder, released
        self.data = policy_data(COLUMNS, k=K)
        self.data["privacy"]["over_time"] = {"key": "id"}

    def make(self, rows, types=TYPES):
        (self.folder / "source.duckdb").unlink(missing_ok=True)
        make_source(self.folder, types, rows)

    @property
    def policy(self):
        return anonsql.Policy.parse(self.data, self.folder)

    def file(self):
        return write_data(self.folder, self.data)

    def run(self, rows=None, **more):
        if rows is not None:
            self.make(rows)
        return anonsql.run(self.policy, **more)

    def begin(self):
        """Release it for the first time: what such a run leaves is copied from one."""
        for path in self.released.iterdir():
            shutil.copy2(path, self.folder)

    def over_time(self, **more):
        self.data["privacy"]["over_time"].update(more)

    def state(self):
        """All that is on the disk besides the source: bytes by name."""
        files = [path for path in self.folder.iterdir() if path.name != "source.duckdb"]
        return {file.name: file.read_bytes() for file in files if file.is_file()}

    def facts(self):
        sql = "SELECT property, value FROM r__about"
        return dict(released_rows(self.folder, sql))


@pytest.fixture(scope="module")
def first_release(tmp_path_factory):
    """The folder of the table and its first release."""
    first = Table(tmp_path_factory.mktemp("released"))
    first.run(people(0, 80))
    return first.folder


@pytest.fixture
def table(first_release, tmp_path):
    found = Table(tmp_path, first_release)
    found.make(people(0, 80))
    return found


def refused(table, words, error=PolicyError, rows=None):
    """The run and, where the policy is wrong, the check say the words; nothing has changed."""
    if rows is not None:
        table.make(rows)
    before = released(table)
    with pytest.raises(error) as found:
        table.run()
    assert words in str(found.value)
    if error is PolicyError:
        checked = anonsql.check(table.policy)
        assert any(words in f"{problem.message} {problem.remedy}" for problem in checked.problems)
    assert released(table) == before
    return str(found.value)


def released(table):
    """The rows and the ledger, as far as there are any."""
    release, ledger = (table.folder / f"{word}.duckdb" for word in ("release", "release.anonsql"))
    return (
        sorted(rows_of(release, "FROM r")) if release.exists() else None,
        [item.model_dump() for item in anonsql.ledger(table.policy).releases]
        if ledger.exists() and rows_of(ledger, "FROM ledgers")
        else None,
    )


# what is told


def test_what_is_told_of_a_release(table):
    first = table.run()
    assert first.over_time.release == 1 and not first.over_time.begun_anew
    assert (first.records, first.released, first.over_time.held_back) == (80, 80, 0)
    later = table.run([*people(1, 80), (100, 20, "a", "x")])  # one of ten left, and one came
    told = later.over_time
    assert (told.release, told.gone, told.exposed) == (2, 1, 0)
    assert told.held_back == 3  # who came, and K - 1 of those that the one who left was like
    assert (later.records, later.released) == (80, 77)
    assert told.smallest == K
    assert table.facts()["over_time"] == "release 2" and table.facts()["held_back"] == "3"
    assert "exposed" not in table.facts()


def test_deletions_are_told(table):
    table.over_time(deletions="tell")
    table.run()
    told = table.run(people(1, 80))
    assert (told.over_time.held_back, told.over_time.exposed) == (0, 1)
    assert table.facts()["exposed"] == "1"
    words = "1 row of earlier releases that is missing here is among fewer than k=3"
    assert any(words in warning.message for warning in told.warnings)


def test_many_rows_held_back_are_warned_of(table):
    table.begin()
    assert not any("held back" in item.message for item in table.run().warnings)
    moved = [(n, age, "ab"[place == "a"] if n % 10 < 2 else place, ill)
             for n, age, place, ill in people(0, 80)]  # fmt: skip
    told = table.run(moved)
    assert told.over_time.held_back > 16
    assert any("rows are held back" in warning.message for warning in told.warnings)


def test_the_ledger_is_shown_and_begun_anew(table):
    with pytest.raises(PolicyError, match=r"there is no ledger .* begins one"):
        anonsql.ledger(table.policy)
    table.run()
    table.run(people(1, 80))
    shown = anonsql.ledger(table.policy)
    assert [release.release for release in shown.releases] == [1, 2]
    assert [item.held_back for item in shown.releases] == [0, 2]
    assert all(entry.published and entry.k == K and entry.smallest >= K for entry in shown.releases)
    assert shown.key == "id" and not shown.anew
    assert anonsql.ledger(table.policy, begin_anew=True).status == "begun anew"
    assert anonsql.ledger(table.policy).releases == []
    told = table.run(people(0, 79))
    assert told.over_time.begun_anew and told.over_time.held_back == 0
    assert table.facts()["over_time"] == "release 1, begun anew"
    assert anonsql.verify(table.policy).released == 79


def test_the_command(table):
    path = table.file()
    table.run()
    shown = cli("ledger", path)
    assert shown.exit_code == 0 and "identifies rows by id" in flat(shown.stdout)
    as_json = cli("ledger", path, "--json")
    assert json.loads(as_json.stdout)["releases"][0]["released"] == 80
    anew = cli("ledger", path, "--begin-anew")
    assert anew.exit_code == 0 and "Begun anew" in flat(anew.stdout)
    del table.data["privacy"]["over_time"]
    without = cli("ledger", table.file())
    assert without.exit_code == 2 and "promises nothing over time" in flat(without.stderr)


def test_secrets_and_keys_are_told_nowhere(table, caplog):
    caplog.set_level("DEBUG")
    table.make([(n + 987_654_000, *rest) for n, *rest in people(0, 80)])
    path = table.file()
    cli("run", path, "--verbose")
    shown = cli("runs", "show", "1", "-p", path, "--json").stdout
    ((secret,),) = rows_of(table.folder / "release.anonsql.duckdb", "SELECT secret FROM ledgers")
    assert len(secret) == 64
    released = (table.folder / "release.duckdb").read_bytes()
    catalog = (table.folder / "release.anonsql.duckdb").read_bytes()
    for text in (caplog.text, shown, released.decode("latin-1")):
        assert secret not in text and "987654" not in text
    assert b"987654" not in catalog
    assert (table.folder / "release.anonsql.duckdb").stat().st_mode & 0o077 == 0


# commands besides run


def test_a_dry_run_tells_what_a_run_would_and_changes_nothing(table):
    dry = table.run(dry_run=True)
    assert dry.over_time.release == 1 and table.state() == {}
    table.run()
    table.make(people(1, 80))
    before = table.state()
    dry = table.run(dry_run=True)
    assert dry.over_time.release == 2 and dry.over_time.held_back == 2
    assert table.state() == before
    assert table.run().over_time.held_back == dry.over_time.held_back


def test_nothing_changed(table):
    table.run(if_changed=True)
    before = released(table)
    assert table.run(if_changed=True).status == "unchanged"
    assert released(table) == before
    assert table.run(people(1, 80), if_changed=True).over_time.release == 2


def test_check_changes_nothing(table):
    table.begin()
    before = table.state()
    assert anonsql.check(table.policy).status == "ok"
    assert table.state() == before


def test_commands_that_keep_no_ledger(table, tmp_path):
    table.begin()
    for work in (
        lambda: anonsql.apply(table.policy, 1),
        lambda: anonsql.compile(table.policy, "duckdb", tmp_path / "sql"),
        lambda: anonsql.anonymize(frame(), table.data),
    ):
        with pytest.raises(PolicyError, match=r"over_time.*keeps no ledger"):
            work()
    assert anonsql.search(table.policy).nodes
    other = table.policy.model_copy(update={"privacy": table.policy.privacy.model_copy()})
    assert anonsql.compare([table.policy, other.by_itself()]).policies[0].status == "met"


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(people(0, 80), columns=list(TYPES))


def test_a_page_tells_of_the_series(table):
    table.begin()
    table.run(people(1, 80))
    for audience in ("owner", "recipient"):
        path = table.folder / f"{audience}.html"
        anonsql.report(table.policy, path, audience=audience)
        assert "release 2 of a series" in path.read_text(encoding="utf-8")


def test_who_is_exposed_where_deletions_are_told(table):
    """An attacker who has all releases and can link their rows finds those alone among fewer than
    k that are missing in the last one: so many as the page says, in the words that are true."""
    types = {**TYPES, "link": "INTEGER"}
    table.data["columns"]["link"] = {"role": "insensitive"}
    table.over_time(deletions="tell")
    gone, shown = set(), []
    for turn in range(4):
        gone |= set(range(turn, 80, 13)) if turn else set()
        rows = [(*row, row[0]) for row in people(0, 80 + 5 * turn) if row[0] not in gone]
        table.make(rows, types)
        told = table.run()
        shown.append(over_time_attack.seen(table.folder / "release.duckdb", ["age", "place"]))
    found = over_time_attack.traces(shown)
    few = {link for links in found.values() if len(links) < K for link in links}
    assert few and not few & shown[-1].keys()
    assert told.over_time.exposed == len(few) == over_time_attack.exposed(shown, K)
    says = f"{len(few)} rows of earlier releases that are missing here"
    for audience in ("owner", "recipient"):
        path = table.folder / f"{audience}.html"
        anonsql.report(table.policy, path, audience=audience)
        page = " ".join(path.read_text(encoding="utf-8").split())
        assert says in page and "holds for every row of this release" in page
        assert "promise holds for all of them together" not in page
        assert "distinguished by" not in page
    terminal = cli("run", table.file()).output
    assert says in flat(terminal)


# what is refused


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([*people(0, 80), (7, 20, "a", "x")], "2 rows have the same value in 'id' as other rows"),
        ([*people(0, 80), (None, 20, "a", "x")], "1 row has no value in 'id'"),
    ],
)
def test_a_key_that_names_no_row(table, rows, words):
    refused(table, words, rows=rows)
    table.run(people(0, 80))
    refused(table, words, rows=rows)


def test_a_key_that_is_no_column(table):
    table.over_time(key="number")
    with pytest.raises(PolicyError, match="there is no column 'number'"):
        table.run()


def test_a_key_that_vanished(table):
    table.begin()
    table.make([rest for _, *rest in people(0, 80)], dict(list(TYPES.items())[1:]))
    before = released(table)
    with pytest.raises(PolicyError, match="id"):
        table.run()
    assert released(table) == before


def test_a_key_of_floats(table):
    table.make([(n + 0.5, *rest) for n, *rest in people(0, 80)], {**TYPES, "id": "DOUBLE"})
    refused(table, "does not identify rows reliably")


def test_another_key(table):
    table.make([(*row, row[0]) for row in people(0, 80)], {**TYPES, "other": "INTEGER"})
    table.data["columns"]["other"] = {"role": "identifying"}
    table.run()
    table.over_time(key="other")
    refused(table, "identifies rows by 'id', the policy by 'other'")


def test_another_table(table):
    table.begin()
    words = "None of the 80 rows released before is in the source"
    refused(table, words, PrivacyError, [(n + 1000, *rest) for n, *rest in people(0, 80)])


def test_all_rows_deleted(table):
    table.begin()
    before = released(table)
    table.make([])
    with pytest.raises((PolicyError, PrivacyError)):
        table.run()
    assert released(table) == before
    assert table.run(people(0, 80)).over_time.release == 2


def test_too_few_rows_to_release_any(tmp_path):
    table = Table(tmp_path)
    with pytest.raises(PrivacyError):
        table.run(people(0, 2))


def test_k_raised_and_lowered(table):
    table.begin()
    table.data["privacy"]["k"] = K + 1
    refused(table, f"were made for k={K}, which cannot be raised to {K + 1}")
    table.data["privacy"]["k"] = K - 1
    told = table.run()
    assert any(f"from now on k={K - 1}" in warning.message for warning in told.warnings)
    table.data["privacy"]["k"] = K
    refused(table, f"were made for k={K - 1}")


def test_deletions_that_were_told_cannot_be_protected(table):
    table.over_time(deletions="tell")
    table.run()
    assert table.run(people(1, 80)).over_time.exposed == 1
    table.over_time(deletions="protect")
    refused(table, "earlier releases made with `tell` exposed 1 row")


def test_a_key_of_another_type(table):
    table.begin()
    rows = [(f"{n}", *rest) for n, *rest in people(0, 80)]
    table.make(rows, {**TYPES, "id": "VARCHAR"})
    refused(table, "'id' had another type in release 1 (integer)")
    table.make(people(0, 80), {**TYPES, "id": "BIGINT"})
    assert table.run().over_time.held_back == 0


@pytest.mark.parametrize("first", ["insensitive", "generalized"])
def test_a_column_that_is_shown_in_one_release_and_generalized_in_another(table, first):
    roles = {"insensitive": {"role": "insensitive"}, "generalized": table.data["columns"]["place"]}
    table.data["columns"]["place"] = roles.pop(first)
    table.run()
    (table.data["columns"]["place"],) = roles.values()
    table.over_time(levels="search")
    refused(table, "a reader of both releases sees the values")


def test_a_pending_release_of_which_nothing_is_there_counts_as_published(table):
    """It may have been moved to where others have it."""
    table.begin()
    change(
        table.folder / "release.anonsql.duckdb",
        "UPDATE ledger_releases SET settled = FALSE; ALTER TABLE ledger_rows RENAME TO ledger_next",
    )
    (table.folder / "release.duckdb").unlink()
    assert table.run(people(1, 80)).over_time.held_back == K - 1


def test_a_ledger_that_was_begun_anew_follows_the_next_policy(table):
    table.begin()
    anonsql.ledger(table.policy, begin_anew=True)
    table.data["privacy"]["l_diversity"] = {"ill": 2}
    assert table.run().over_time.release == 1
    assert table.run(people(1, 80)).over_time.release == 2


def test_another_promise(table):
    table.begin()
    table.data["privacy"]["l_diversity"] = {"ill": 2}
    refused(table, "earlier releases promise k alone")


def test_a_column_that_came_and_one_that_went(table):
    table.begin()
    table.make([(*row, row[0] // 40) for row in people(0, 80)], {**TYPES, "new": "INTEGER"})
    table.data["columns"]["new"] = {"role": "quasi-identifying", "hierarchy": AGE}
    refused_run(table, "it also has new")
    table.over_time(levels="search")
    assert table.run().over_time.release == 2
    del table.data["columns"]["new"], table.data["columns"]["place"]
    table.make(
        [(n, age, ill) for n, age, _, ill in people(0, 80)],
        {name: kind for name, kind in TYPES.items() if name != "place"},
    )
    table.over_time(levels="keep")
    refused_run(table, "it lacks new, place")
    table.over_time(levels="search")
    assert table.run().over_time.release == 3


def refused_run(table, words):
    before = released(table)
    with pytest.raises(PolicyError, match=words) as found:
        table.run()
    assert released(table) == before
    return str(found.value)


def test_kept_columns_may_come_and_go(table):
    table.begin()
    table.make([(*row, "note") for row in people(0, 80)], {**TYPES, "note": "VARCHAR"})
    table.data["columns"]["note"] = {"role": "insensitive"}
    assert table.run().over_time.held_back == 0


def test_a_hierarchy_that_lost_its_level(table):
    table.make([(n, 20 + n, place, ill) for n, _, place, ill in people(0, 80)])
    table.data["columns"]["age"]["hierarchy"] = {"type": "interval", "widths": [5, 10, 20]}
    table.data["method"] = {"type": "full-domain", "levels": {"age": 3, "place": 0}}
    table.run()
    del table.data["method"]
    table.data["columns"]["age"]["hierarchy"] = {"type": "suppression"}
    refused_run(table, "level 3, which was '.a,b., 20 wide'; its hierarchy has no such level")


def on_twenties(table, **more):
    """Release ages in intervals of twenty years; levels are kept from then on."""
    table.make([(n, 20 + n % 40, place, ill) for n, _, place, ill in people(0, 160)])
    hierarchy = {"type": "interval", "widths": [10, 20, 40], **more}
    table.data["columns"]["age"]["hierarchy"] = hierarchy
    table.data["method"] = {"type": "full-domain", "levels": {"age": 2, "place": 0}}
    table.run()
    del table.data["method"]


@pytest.mark.parametrize(
    "other",
    [
        {"type": "interval", "widths": [7, 21]},
        {"type": "interval", "widths": [10, 20, 40], "origin": 5},
        {"type": "interval", "widths": [10, 30]},
    ],
)
def test_a_level_that_means_something_else(table, other):
    on_twenties(table)
    table.data["columns"]["age"]["hierarchy"] = other
    message = refused_run(table, "columns.age.hierarchy.*level 2, which was '.a,b., 20 wide'")
    assert "levels to search" in message
    table.over_time(levels="search")
    assert table.run().over_time.release == 2
    table.over_time(levels="keep")
    table.data["method"] = {"type": "full-domain", "levels": {"age": 2, "place": 0}}
    assert table.run(dry_run=True).over_time.release == 3  # named by the policy


def test_a_level_that_has_another_number(table):
    """What is kept is what the level means."""
    on_twenties(table)
    table.data["columns"]["age"]["hierarchy"]["widths"] = [5, 10.0, 20, 40]
    table.data["columns"]["age"]["hierarchy"]["origin"] = 0
    told = table.run()
    assert told.levels["age"] == 3 and told.over_time.held_back == 0


def test_the_highest_level_means_the_same_in_all_hierarchies(table):
    table.data["method"] = {"type": "full-domain", "levels": {"age": 3, "place": 1}}
    table.run()
    del table.data["method"]
    table.data["columns"]["age"]["hierarchy"] = {"type": "suppression"}
    assert table.run().levels == {"age": 1, "place": 1}


def test_a_hierarchy_file_that_changed(table):
    path = table.folder / "places.csv"
    path.write_text("a;A;*\nb;B;*\n")
    hierarchy = {"type": "file", "path": str(path)}
    table.data["columns"]["place"] = {"role": "quasi-identifying", "hierarchy": hierarchy}
    table.data["method"] = {"type": "full-domain", "levels": {"age": 1, "place": 1}}
    table.run()
    del table.data["method"]
    assert not any(item.where.endswith("hierarchy") for item in table.run().warnings)
    path.write_text("a;A;*\nb;A;*\nc;C;*\n")
    (found,) = [warning for warning in table.run().warnings if warning.where.endswith("hierarchy")]
    assert found.where == "columns.place.hierarchy"
    assert "are held back" in found.message
    path.write_text("a;A;X;*\nb;A;X;*\nc;C;X;*\n")
    refused_run(table, "columns.place.hierarchy.*group of level 1 of 2")


# a series that ends


def without(table):
    """The same policy, which promises nothing over time."""
    del table.data["privacy"]["over_time"]
    return table


def test_a_policy_that_leaves_its_series(table):
    table.begin()
    table.make(people(1, 80))
    before = table.state()
    without(table)
    path = table.file()
    before["policy.yaml"] = path.read_bytes()
    words = "the policy has no `over_time`"
    for work in (
        lambda: anonsql.run(table.policy),
        lambda: anonsql.run(table.policy, dry_run=True),
        lambda: anonsql.apply(table.policy, 1),
    ):
        with pytest.raises(PolicyError, match=words) as found:
            work()
        assert "ledger POLICY --end" in str(found.value)
    checked = anonsql.check(table.policy)
    assert checked.exit_code == 2 and any(words in problem.message for problem in checked.problems)
    assert released_rows(table.folder, "SELECT count(*) FROM r") == [(80,)]
    assert cli("run", path).exit_code == 2
    assert before.keys() == table.state().keys()
    assert before["release.duckdb"] == table.state()["release.duckdb"]


@pytest.mark.parametrize("lost", ["release", "release.anonsql"])
def test_a_policy_that_leaves_its_series_where_half_of_it_is_lost(table, lost):
    table.run()
    (table.folder / f"{lost}.duckdb").unlink()
    with pytest.raises(PolicyError, match="the policy has no `over_time`"):
        without(table).run()
    assert anonsql.ledger(table.policy, end=True).status == "ended"
    assert table.run().over_time is None


def test_a_series_is_ended_on_purpose(table):
    table.begin()
    table.make(people(1, 80))
    path = without(table).file()
    ended = cli("ledger", path, "--end")
    assert ended.exit_code == 0 and "Ended" in flat(ended.stdout)
    assert rows_of(table.folder / "release.anonsql.duckdb", "FROM ledger_releases") == []
    names = rows_of(table.folder / "release.anonsql.duckdb", "SHOW TABLES")
    assert ("ledger_rows",) not in names
    told = table.run()
    assert told.over_time is None and "over_time" not in table.facts()
    assert any("can be distinguished" in warning.message for warning in told.warnings)
    assert table.run().status == "published"
    with pytest.raises(PolicyError, match="no series"):
        anonsql.ledger(table.policy, end=True)
    table.data["privacy"]["over_time"] = {"key": "id"}
    again = table.run()
    assert again.over_time.release == 1 and again.over_time.begun_anew
    with pytest.raises(PolicyError, match="leave out one of the two"):
        anonsql.ledger(table.policy, end=True, begin_anew=True)


def test_a_catalog_that_two_releases_share(table, tmp_path):
    """The ledger of one says nothing of the other."""
    table.begin()
    table.data["release"]["database"] = "other.duckdb"
    table.data["catalog"] = "release.anonsql.duckdb"
    assert without(table).run().status == "published"


def test_several_tables_do_not_replace_the_release_of_a_series(table):
    table.data["release"]["table"] = "t"
    table.run()
    table.make(people(1, 80))
    columns = {
        name: column for name, column in without(table).data["columns"].items() if name != "id"
    }
    several = {
        "source": {"database": "source.duckdb"},
        "release": {"database": "release.duckdb", "completed": 0},
        "tables": {"t": {"key": "id", "columns": columns}},
        "privacy": {"k": 3, "of": "t"},
    }
    path = write_data(table.folder, several, "several.yaml")
    before = (table.folder / "release.duckdb").read_bytes()
    for command in (["run"], ["run", "--dry-run"], ["check"]):
        done = cli(*command, path)
        assert done.exit_code == 2
        assert "the policy has no `over_time`" in flat(done.output)
    assert (table.folder / "release.duckdb").read_bytes() == before


def test_the_first_of_a_series_says_so(table):
    path = table.file()
    shown = cli("run", path)
    assert "the first of a series" in flat(shown.stdout)
    assert "first of a series" not in cli("run", path).stdout
    for word in ("release", "release.anonsql"):
        (table.folder / f"{word}.duckdb").unlink()
    again = cli("run", path)
    assert "there was no release or ledger" in flat(again.stdout)


def test_levels_that_no_longer_satisfy(table):
    table.data["method"] = {"type": "full-domain", "levels": {"age": 0, "place": 0}}
    table.run()
    told = table.run([(n, 20 + n, *rest) for n, _, *rest in people(0, 40)] + people(40, 80))
    assert told.over_time.held_back == 40 and told.released == 40


def test_the_clock_goes_backwards(table, monkeypatch):
    table.begin()
    path = table.folder / "release.anonsql.duckdb"
    future = datetime.datetime(2999, 1, 1)
    change(path, "UPDATE ledger_releases SET made = ?", future)
    assert table.run(people(1, 80)).over_time.release == 2
    assert [release.release for release in anonsql.ledger(table.policy).releases] == [1, 2]


def change(path, sql, *given):
    duckdb = pytest.importorskip("duckdb")
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(sql, given)


def test_a_ledger_that_is_lost(table):
    table.begin()
    (table.folder / "release.anonsql.duckdb").unlink()
    refused(table, "made with a ledger that is not in")
    anonsql.ledger(table.policy, begin_anew=True)
    assert table.run().over_time.begun_anew


@pytest.mark.parametrize("file", ["release.anonsql.duckdb", "release.duckdb"])
def test_a_ledger_or_a_release_that_is_one_release_old(table, file):
    table.begin()
    shutil.copy(table.folder / file, table.folder / "backup")
    table.run(people(1, 80))
    shutil.copy(table.folder / "backup", table.folder / file)
    refused(table, "is not the last one of the ledger")


def test_a_ledger_of_another_table(table, tmp_path):
    (tmp_path / "other").mkdir()
    other = Table(tmp_path / "other")
    other.run(people(0, 80))
    table.run()
    shutil.copy(tmp_path / "other/release.anonsql.duckdb", tmp_path / "release.anonsql.duckdb")
    refused(table, "is not the last one of the ledger")


def test_a_release_without_a_ledger_in_between(table, tmp_path):
    table.begin()
    (tmp_path / "other").mkdir()
    other = without(Table(tmp_path / "other"))
    other.run(people(0, 80))
    shutil.copy(tmp_path / "other/release.duckdb", tmp_path / "release.duckdb")
    refused(table, "made without one")


def test_a_release_that_was_removed(table):
    """What was released is known to others, whether it is there or not."""
    table.begin()
    (table.folder / "release.duckdb").unlink()
    told = table.run(people(1, 80))
    assert told.over_time.release == 2 and told.over_time.held_back == 2


def test_a_ledger_after_releases_without_one(table):
    promise = table.data["privacy"].pop("over_time")
    table.run()
    table.data["privacy"]["over_time"] = promise
    told = table.run()
    assert told.over_time.begun_anew
    assert any("made without a ledger" in warning.message for warning in told.warnings)


def test_two_jobs_with_one_ledger(table):
    table.begin()

    def progress(stage, *_):
        if stage == "verify_release":
            with pytest.raises(BusyError):
                anonsql.run(table.policy)
            with pytest.raises(BusyError):
                anonsql.ledger(table.policy)
            with pytest.raises(BusyError):
                anonsql.ledger(table.policy, begin_anew=True)

    assert table.run(people(1, 80), progress=progress).over_time.release == 2


@pytest.mark.parametrize(
    "method", ["full-subtree", "ordered-partition", "cell-generalization", "ring", "hilbert"]
)
def test_methods_that_do_not_keep_it_refuse_it(table, method):
    table.data["method"] = {"type": method}
    with pytest.raises(PolicyError, match="over_time"):
        table.run()


# names and values


def test_odd_names_and_values(table):
    """Quotes, reserved words and NULLs; keys that differ in case or blanks are different."""
    types = {'a "key"; --': "VARCHAR", "select": "INTEGER", "ill": "VARCHAR"}
    keys = [f"{mark}'; DROP {n}\n\N{SNOWMAN}" for n in range(20) for mark in ("x", "X", "x ")]
    rows = [(key, n % 3 or None, None) for n, key in enumerate(keys)]
    table.make(rows, types)
    table.data["columns"] = {
        'a "key"; --': {"role": "identifying"},
        "select": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
        "ill": {"role": "insensitive"},
    }
    table.over_time(key='a "key"; --')
    assert table.run().released == 60
    table.make(rows[1:], types)
    told = table.run()
    assert (told.over_time.gone, told.over_time.held_back) == (1, K - 1)


def test_people_are_counted_within_traces(table):
    """Every person has two rows of one class."""
    types = {**TYPES, "person": "INTEGER"}
    rows = [(*row, row[0] // 2) for row in people(0, 80)]
    table.make(rows, types)
    table.data["columns"]["person"] = {"role": "identifying"}
    table.data["privacy"]["entity"] = "person"
    table.run()
    table.make([row for row in rows if row[0] % 10 >= 2 or row[0] >= 10], types)
    told = table.run()  # one person of a class of five is gone, and hides among three with others
    assert told.over_time.gone == 2
    assert told.over_time.smallest >= K
    table.over_time(key="person")
    with pytest.raises(PolicyError, match="identifies rows"):
        table.run()
