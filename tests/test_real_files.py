"""CSV files as the world writes them: what ``init`` finds and writes into the source, that a run
reads the same values, that one line of the policy corrects a guess, and what is refused."""

import datetime as dt
from contextlib import closing
from decimal import Decimal

import duckdb
import pytest
import yaml

import anonsql
from anonsql.engines import open_engine
from anonsql.engines.base import Context
from anonsql.engines.duckdb import csv_line_ends, csv_reader
from anonsql.errors import PolicyError
from anonsql.features.init import command
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.policy import Policy
from anonsql.policy.source import Source
from anonsql.system.encodings import blocks, encoding_of
from anonsql.system.journal import Journal

from .support import cli, ended, flat, policy_data

SEXES = ("f", "m", "m")


def lines(header, row, rows=12, between=","):
    """A file of a header and as many rows, made by a function of their number."""
    made = [between.join(map(str, row(number))) for number in range(rows)]
    return "\n".join([header, *made]) + "\n"


def write(folder, content, encoding="utf-8"):
    file = folder / "people.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return file


def found(folder, file):
    """The source that init writes for a file, without its name, and the policy's text."""
    policy = folder / "policy.yaml"
    policy.unlink(missing_ok=True)
    command.init(str(file), None, policy)
    text = policy.read_text(encoding="utf-8")
    source = yaml.safe_load(text)["source"]
    assert source.pop("file") == file.name
    return source, flat(text.replace("# ", ""))


def read(folder, file, source):
    """The types of a file's columns, its rows, and the warnings of reading it."""
    (folder / "work").mkdir(exist_ok=True)
    context = Context(folder / "work", EngineSettings(), Journal(), purpose="test")
    with closing(open_engine(Location("file", file), context)) as engine:
        relation = engine.open_source(Source(file=str(file), **source))
        types = {column.name: column.type for column in engine.columns(relation)}
        rows = engine._connection.execute("SELECT * FROM source_rows").fetchall()
        assert not list((folder / "work").glob("*.csv")), "a copy is left"
        return types, rows, [str(doubt) for doubt in engine.doubts]


def ready(folder):
    """The problems of the proposed policy once its open roles are decided."""
    policy = folder / "policy.yaml"
    data = yaml.safe_load(policy.read_text(encoding="utf-8"))
    data["release"] = {"database": "release.duckdb", "table": "r"}
    for settings in data["columns"].values():
        if settings["role"] is None or settings.get("hierarchy", "") is None:
            settings.clear()
            settings["role"] = "insensitive"
    first = next(iter(data["columns"].values()))
    if all(settings["role"] != "quasi-identifying" for settings in data["columns"].values()):
        first.clear()
        first.update({"role": "quasi-identifying", "hierarchy": {"type": "suppression"}})
    return anonsql.check(Policy.parse(data, folder)).problems


def day(text):
    return dt.date.fromisoformat(text)


ROWS_OF_AGES = "20;f\n21;m\n22;m\n23;f\n"
FILES = {
    # what the file has: (its content, the source that init writes, types, the first row)
    "plain": (lines("age,sex", lambda n: (20 + n, SEXES[n % 3])), {}, "BIGINT VARCHAR", (20, "f")),
    "a byte order mark": (
        "\ufeffage,sex\n20,f\n21,m\n22,f\n",
        {},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "latin-1": (
        "größe;ort\n180;Köln\n170;Düren\n160;Köln\n".encode("latin-1"),
        {"encoding": "latin-1", "delimiter": ";"},
        "BIGINT VARCHAR",
        (180, "Köln"),
    ),
    "windows-1252": (
        "size;shop\n180;Café “Zoë” €\n170;b\n160;b\n".encode("cp1252"),
        {"encoding": "windows-1252", "delimiter": ";"},
        "BIGINT VARCHAR",
        (180, "Café “Zoë” €"),
    ),
    "utf-16 little": (
        b"\xff\xfe" + "age\tcity\n20\tKöln\n21\tBonn\n".encode("utf-16-le"),
        {"encoding": "utf-16", "delimiter": "\t"},
        "BIGINT VARCHAR",
        (20, "Köln"),
    ),
    "utf-16 big": (
        b"\xfe\xff" + "age\tcity\n20\tKöln\n21\tBonn\n".encode("utf-16-be"),
        {"encoding": "utf-16", "delimiter": "\t"},
        "BIGINT VARCHAR",
        (20, "Köln"),
    ),
    "utf-16 without a mark": (
        "age\tcity\n20\tKöln\n21\tBonn\n".encode("utf-16-le"),
        {"encoding": "utf-16-le", "delimiter": "\t"},
        "BIGINT VARCHAR",
        (20, "Köln"),
    ),
    "semicolons": ("age;sex\n" + ROWS_OF_AGES, {"delimiter": ";"}, "BIGINT VARCHAR", (20, "f")),
    "tabs": (
        "age\tsex\n20\tf\n21\tm\n22\tf\n",
        {"delimiter": "\t"},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "pipes": ("age|sex\n20|f\n21|m\n22|f\n", {"delimiter": "|"}, "BIGINT VARCHAR", (20, "f")),
    "semicolons with commas in text": (
        "age;name\n20;Lee, Ann, Dr\n21;Ray, Bob, Dr\n22;Poe, Cid, Dr\n",
        {"delimiter": ";"},
        "BIGINT VARCHAR",
        (20, "Lee, Ann, Dr"),
    ),
    "quoted delimiters and lines": (
        'age,note\n20,"a, b"\n21,"c\nd, e"\n22,"f ""g"""\n',
        {},
        "BIGINT VARCHAR",
        (20, "a, b"),
    ),
    "delimiters and blanks in a quoted name": (
        '"age, years","sex"\n20,f\n21,m\n22,f\n',
        {},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "empty rows": (
        "age;sex;n\n;;\n;;\n;;\n20;f;1\n",
        {"delimiter": ";"},
        "BIGINT VARCHAR BIGINT",
        (None,) * 3,
    ),
    "windows line ends": ("age,sex\r\n20,f\r\n21,m\r\n22,f\r\n", {}, "BIGINT VARCHAR", (20, "f")),
    "decimal commas": (
        "age;pay\n20;1.234,50\n21;980,25\n22;-12,75\n23;0,00\n".replace("0,00", "1,00"),
        {"delimiter": ";", "decimal": ","},
        "BIGINT DECIMAL(24,2)",
        (20, Decimal("1234.50")),
    ),
    "decimal commas of differing digits": (
        "age;bmi\n20;21,5\n21;22,25\n22;23\n",
        {"delimiter": ";", "decimal": ","},
        "BIGINT DOUBLE",
        (20, 21.5),
    ),
    "thousands": (
        "sex;pay;bmi\nf;12.345;21,5\nm;1.000.000;22,5\nf;999;23,5\n",
        {"delimiter": ";", "decimal": ","},
        "VARCHAR BIGINT DECIMAL(24,1)",
        ("f", 12345, Decimal("21.5")),
    ),
    "commas between thousands": (
        'sex,pay,n\nf,"1,234,567.89",1\nm,"12,500.00",2\nf,7.25,3\n',
        {"columns": {"pay": {"decimal": "."}}},
        "VARCHAR DECIMAL(24,2) BIGINT",
        ("f", Decimal("1234567.89"), 1),
    ),
    "commas between thousands beside decimal commas": (
        "sex;pay;bmi\nf;1,234.50;20,5\nm;12.25;21,5\n",
        {"delimiter": ";", "decimal": ",", "columns": {"pay": {"decimal": "."}}},
        "VARCHAR DECIMAL(24,2) DECIMAL(24,1)",
        ("f", Decimal("1234.50"), Decimal("20.5")),
    ),
    "decimal commas in quotes": (
        'sex,bmi\nf,"20,5"\nm,"21,25"\nf,22\n',
        {"columns": {"bmi": {"decimal": ","}}},
        "VARCHAR DOUBLE",
        ("f", 20.5),
    ),
    "days that are none": (
        "sex;born;seen\n"
        + "".join(f"f;{n}.01.1985;2020-01-{n}\n" for n in range(10, 20))
        + "f;00.00.0000;0000-00-00\n",
        {
            "delimiter": ";",
            "dates": "%d.%m.%Y",
            "columns": {
                "born": {"missing": ["00.00.0000"]},
                "seen": {"missing": ["0000-00-00"]},
            },
        },
        "VARCHAR DATE DATE",
        ("f", day("1985-01-10"), day("2020-01-10")),
    ),
    "texts among numbers, and in text": (
        "town,age\n"
        + "".join(f"{'ab'[n % 2]},{20 + n}\n" for n in range(10))
        + "k.A.,k.A.\nunbekannt,unbekannt\nna,na\n",
        {
            "columns": {
                "town": {"missing": ["k.A."]},
                "age": {"missing": ["k.A.", "na", "unbekannt"]},
            },
        },
        "VARCHAR BIGINT",
        ("a", 20),
    ),
    "a number with a sign among numbers": (
        "town,age\n" + "".join(f"a,{80 + n}\n" for n in range(10)) + "b,90+\n",
        {},
        "VARCHAR VARCHAR",
        ("a", "80"),
    ),
    "a few codes among letters": (
        "town,code\n" + "".join(f"a,{'12AB'[n % 4]}\n" for n in range(12)),
        {},
        "VARCHAR VARCHAR",
        ("a", "1"),
    ),
    "floats of pandas": (
        "sex,pay\nf,600.0\nm,56.78\nf,1e-05\nm,12.5\nf,1.5E+3\n",
        {},
        "VARCHAR DOUBLE",
        ("f", 600.0),
    ),
    "decimals": (
        "sex,pay\nf,600.10\nm,56.78\nf,12.50\n",
        {},
        "VARCHAR DECIMAL(24,2)",
        ("f", Decimal("600.10")),
    ),
    "codes with leading zeros": (
        "sex,zip\nf,02139\nm,10115\nf,02140\n",
        {},
        "VARCHAR VARCHAR",
        ("f", "02139"),
    ),
    "numbers of too many digits": (
        "sex,card\nf,1234567890123456789\nm,1234567890123456780\nf,1234567890123456781\n",
        {},
        "VARCHAR VARCHAR",
        ("f", "1234567890123456789"),
    ),
    "German dates": (
        "sex;born\nf;31.08.1985\nm;01.02.1990\nf;12.12.2001\n",
        {"delimiter": ";", "dates": "%d.%m.%Y"},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "American dates": (
        "sex,born\nf,8/31/1985\nm,02/01/1990\nf,12/12/2001\n",
        {"dates": "%m/%d/%Y"},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "British dates": (
        "sex,born\nf,31/08/1985\nm,02/01/1990\nf,12/12/2001\n",
        {"dates": "%d/%m/%Y"},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "dates with slashes, year first": (
        "sex,born\nf,1985/08/31\nm,1990/02/01\n",
        {"dates": "%Y/%m/%d"},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "dates with dashes, day first": (
        "sex,born\nf,31-08-1985\nm,01-02-1990\n",
        {"dates": "%d-%m-%Y"},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "times": (
        "sex;seen\nf;31.08.1985 07:30\nm;01.02.1990 23:59\n",
        {"delimiter": ";", "dates": "%d.%m.%Y %H:%M"},
        "VARCHAR TIMESTAMP",
        ("f", dt.datetime(1985, 8, 31, 7, 30)),
    ),
    "times with seconds": (
        "sex,seen\nf,2020-08-31T07:30:15\nm,2020-02-01T23:59:59\n",
        {"dates": "%Y-%m-%dT%H:%M:%S"},
        "VARCHAR TIMESTAMP",
        ("f", dt.datetime(2020, 8, 31, 7, 30, 15)),
    ),
    "ISO dates beside others": (
        "sex,born,seen\nf,31.08.1985,2020-08-31\nm,01.02.1990,2020-09-01\n",
        {"dates": "%d.%m.%Y"},
        "VARCHAR DATE DATE",
        ("f", day("1985-08-31"), day("2020-08-31")),
    ),
    "two formats of dates": (
        "sex;born;died;seen\nf;31.08.1985;01.09.2020;08/31/2020\nm;1.2.1990;2.3.2021;09/13/2020\n",
        {
            "delimiter": ";",
            "dates": "%d.%m.%Y",
            "columns": {"seen": {"dates": "%m/%d/%Y"}},
        },
        "VARCHAR DATE DATE DATE",
        ("f", day("1985-08-31"), day("2020-09-01"), day("2020-08-31")),
    ),
    "no date of a calendar": (
        "sex,version\nf,31.02.1985\nm,30.02.1990\n",
        {},
        "VARCHAR VARCHAR",
        ("f", "31.02.1985"),
    ),
    "years of two digits": (
        "sex,born\nf,31.08.85\nm,30.01.90\n",
        {},
        "VARCHAR VARCHAR",
        ("f", "31.08.85"),
    ),
    "N/A among numbers": (
        lines("sex,bmi", lambda n: ("fm"[n % 2], "N/A" if n == 1 else f"{20 + n}.5")),
        {"missing": ["N/A"]},
        "VARCHAR DECIMAL(24,1)",
        ("f", Decimal("20.5")),
    ),
    "several tokens": (
        "sex,bmi,stay,city\nf,20.5,.,?\nm,NULL,3,Rome\nf,22.5,-,Oslo\nm,23.5,4,?\n",
        {"missing": ["NULL", "?", ".", "-"]},
        "VARCHAR DECIMAL(24,1) BIGINT VARCHAR",
        ("f", Decimal("20.5"), None, None),
    ),
    "a token that is a word elsewhere": (
        "age,land\n20,NA\nNA,DE\n22,NA\n23,FR\n",
        {"columns": {"age": {"missing": ["NA"]}}},
        "BIGINT VARCHAR",
        (20, "NA"),
    ),
    "signs that are values": (
        "sex,rhesus\nf,+\nm,-\nf,+\n",
        {},
        "VARCHAR VARCHAR",
        ("f", "+"),
    ),
    "dates with tokens": (
        "sex,born\nf,31.08.1985\nm,N/A\nf,01.02.1999\n",
        {"dates": "%d.%m.%Y", "missing": ["N/A"]},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "blanks after commas": (
        "age, sex, work\n20, f, Private\n21, m, ?\n22, f, Private\n",
        {"missing": ["?"], "trim": True},
        "BIGINT VARCHAR VARCHAR",
        (20, "f", "Private"),
    ),
    "blanks before quotes": (
        '"age", "sex"\n20, "f"\n21, "m"\n22, "m"\n',
        {"trim": True},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "delimiters at the ends of rows": (
        "age;sex\n20;f;\n21;m;\n22;f;\n",
        {"delimiter": ";"},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "empty lines between rows": (
        "age;sex\n20;f\n\n21;m\n22;f\n",
        {"delimiter": ";"},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "padded values": (
        "sex,age   ,born\nf,20   ,1985-08-31 \nm,21   ,1990-01-01 \nf,     ,2001-01-01 \n",
        {"trim": True},
        "VARCHAR BIGINT DATE",
        ("f", 20, day("1985-08-31")),
    ),
    "titles": (
        "Discharges 2024\nHospital North\n\nage;sex;nights\n20;f;3\n21;m;4\n22;f;1\n",
        {"delimiter": ";", "skip": 3},
        "BIGINT VARCHAR BIGINT",
        (20, "f", 3),
    ),
    "a title above two columns": (
        "Discharges\nage1,sex2\n20,f\n21,m\n",
        {"skip": 1},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "a title with delimiters": (
        "Discharges 2024;;\nage;sex;nights\n20;f;3\n21;m;4\n22;f;1\n",
        {"delimiter": ";", "skip": 1},
        "BIGINT VARCHAR BIGINT",
        (20, "f", 3),
    ),
    "sep": (
        "sep=;\nage;sex\n" + ROWS_OF_AGES,
        {"delimiter": ";", "skip": 1},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "sep in UTF-16": (
        "sep=\t\nage\tsex\n20\tf\n21\tm\n".encode("utf-16"),
        {"encoding": "utf-16", "delimiter": "\t", "skip": 1},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "the index of pandas": (
        lines(",sex,age", lambda n: (n, SEXES[n % 3], 20 + n % 5)),
        {},
        "BIGINT VARCHAR BIGINT",
        (0, "f", 20),
    ),
    "delimiters at the ends of lines": (
        "age;sex;\n20;f;\n21;m;\n22;f;\n",
        {"delimiter": ";"},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "one column": ("age\n20\n21\n22\n", {}, "BIGINT", (20,)),
    "all at once": (
        (
            "Bericht;;;\n;Größe ;Geboren;Betrag\n0;180 ; 31.08.1985;1.234,50\n"
            "1; 170;N/A;12,00\n2;160;01.02.1990; 7,25\n"
        ).encode("latin-1"),
        {
            "encoding": "latin-1",
            "delimiter": ";",
            "decimal": ",",
            "dates": "%d.%m.%Y",
            "missing": ["N/A"],
            "trim": True,
            "skip": 1,
        },
        "BIGINT BIGINT DATE DECIMAL(24,2)",
        (0, 180, day("1985-08-31"), Decimal("1234.50")),
    ),
}


@pytest.mark.parametrize("what", FILES)
def test_init_finds_how_a_file_is_written_and_a_run_reads_it_so(tmp_path, what):
    content, source, types, first = FILES[what]
    file = write(tmp_path, content)
    written, _ = found(tmp_path, file)
    assert written == source
    kinds, rows, _ = read(tmp_path, file, written)
    assert " ".join(kinds.values()) == types and rows[0] == first
    assert ready(tmp_path) == []


def test_a_run_by_the_found_source(tmp_path):
    """Of the most mended file, the release has the values that were meant."""
    file = write(tmp_path, FILES["all at once"][0])
    source, text = found(tmp_path, file)
    assert "it numbers the rows" in text
    columns = {
        **dict.fromkeys(("column1", "Geboren"), "identifying"),
        "Größe": {"type": "suppression"},
        "Betrag": "insensitive",
    }
    data = policy_data(columns, k=3) | {"source": {"file": file.name, **source}}
    policy = Policy.parse(data, tmp_path)
    assert anonsql.run(policy).released == 3
    anonsql.verify(policy)


def test_a_token_is_written_once_a_column_and_blanks_are_told(tmp_path):
    file = write(tmp_path, FILES["blanks after commas"][0])
    _, text = found(tmp_path, file)
    assert text.count('1 row of "?" is read as NULL') == 1
    assert "`trim` removes blanks around values and names" in text


NOTES = {
    "spellings": (
        lines("sex,age", lambda n: (("M", "m", "Female", "female", "f", "F")[n % 6], n)),
        ["6 spellings of 3 values (case)", "columns: {sex: {case: lower}}"],
    ),
    "spellings by blanks": (
        lines("sex,age", lambda n: (("M", "M ", "F", " F")[n % 4], n)),
        ["2 distinct", "`trim` removes blanks", "trim: true"],
    ),
    "a number apart": (
        lines("sex,age", lambda n: ("f", -1 if n % 4 == 0 else 20 + n)),
        ["3 values of -1 are far from", "columns: {age: {missing: [-1]}}"],
    ),
    "two numbers apart": (
        lines("sex,age", lambda n: ("f", (999, 99)[n % 2] if n < 4 else 20 + n)),
        ["2 values of 99, 2 values of 999 are far from", "missing: [99, 999]"],
    ),
    "a day apart": (
        lines("sex,born", lambda n: ("f", "1900-01-01" if n < 3 else f"19{50 + n}-01-02")),
        ["3 values of 1900-01-01 are far from", "missing: [1900-01-01]"],
    ),
    "a day apart in another format": (
        lines("sex,born", lambda n: ("f", "01.01.1900" if n < 3 else f"02.01.19{50 + n}")),
        ["3 values of 1900-01-01 are far from", "missing: [1900-01-01]"],
    ),
    "either day or month first": (
        lines("sex,seen", lambda n: ("f", f"0{1 + n % 8}/0{1 + n % 5}/2020")),
        ["ll its dates are also dates by %d/%m/%Y", 'columns: {seen: {dates: "%d/%m/%Y"}}'],
    ),
    "an index": (
        FILES["the index of pandas"][0],
        ["Removed: the file has no name for it", "column1: {role: identifying}"],
    ),
    "an index that was read and written again": (
        lines("Unnamed: 0,sex,age", lambda n: (n, SEXES[n % 3], 20 + n % 5)),
        ["Removed: the file has no name for it", '"Unnamed: 0": {role: identifying}'],
    ),
    "a total": (
        lines("town,people", lambda n: ("abc"[n % 3], n)) + "Total,66\n",
        ["a row at the end is labelled as a total"],
    ),
    "sums": (
        lines("town,people,cars", lambda n: ("abc"[n % 3], 3 * n, n)) + ",198,66\n",
        ["the last row contains the sums of all others"],
    ),
    "two totals": (
        lines("id,town,people", lambda n: (n, "abc"[n % 3], n % 4)) + ",Subtotal,66\n,Total,66\n",
        ["2 rows at the end are labelled as totals: they would be released as people"],
    ),
    "years of two digits": (
        lines("sex,born", lambda n: ("f", f"{13 + n}.0{1 + n % 9}.85")),
        ['source: {…, columns: {born: {dates: "%d.%m.%y"}}}', "00 to 68 mean 2000 to 2068"],
    ),
    "years of two digits, day or month first": (
        lines("sex,born", lambda n: ("f", f"0{1 + n % 9}/0{1 + n % 9}/85")),
        ['born: {dates: "%d/%m/%y"}', 'or `source: {…, columns: {born: {dates: "%m/%d/%y"}}}`'],
    ),
    "commas that may mean two things": (
        lines("sex,pay", lambda n: ("f", f'"{1 + n},{500 + n}"')),
        [
            'if these are decimal commas, write `source: {…, columns: {pay: {decimal: ","}}}`',
            '"."}',
        ],
    ),
    "a text among numbers": (
        lines("town,age", lambda n: ("abc"[n % 3], "weiß nicht" if n in (3, 7) else 20 + n)),
        ['2 rows of "weiß nicht" are read as NULL'],
    ),
}


@pytest.mark.parametrize("what", NOTES)
def test_the_policy_says_what_is_odd_and_how_to_mend_it(tmp_path, what):
    content, words = NOTES[what]
    _, text = found(tmp_path, write(tmp_path, content))
    for word in words:
        assert word in text
    for line in (tmp_path / "policy.yaml").read_text().splitlines():
        assert len(line) <= 100 or "#" not in line


@pytest.mark.parametrize(
    "content",
    [
        lines("sex,age", lambda n: ("fm"[n % 2], 90 + n)),  # 99 is an age
        lines("sex,pay", lambda n: ("fm"[n % 2], -1 if n < 3 else n - 6)),  # others are negative
        lines("sex,age", lambda n: ("fm"[n % 2], -1 if n < 1 else n)),  # once
        lines("town,people", lambda n: ("abc"[n % 3], n + 1)) + "a,3\n",
        lines("town,people", lambda n: (("total", "part")[n % 2], n)),
        lines("town,people", lambda n: (("part", "total")[n > 8], n)),  # three, sorted
    ],
)
def test_usual_values_are_not_odd(tmp_path, content):
    _, text = found(tmp_path, write(tmp_path, content))
    for word in ("far from the others", "spellings", "total", "sums of all"):
        assert word not in text.replace("total:", "")


CORRECTED = {
    # a wrong guess: (content, the line that corrects it, types, first row)
    "codes, not numbers": (
        "sex,icd\nf,250.0\nm,250.00\nf,401.1\n",
        {"columns": {"icd": {"type": "text"}}},
        "VARCHAR VARCHAR",
        ("f", "250.0"),
    ),
    "day first": (
        "sex,seen\nf,03/04/2020\nm,05/06/2020\n",
        {"dates": "%d/%m/%Y"},
        "VARCHAR DATE",
        ("f", day("2020-04-03")),
    ),
    "NA is a land": (
        "age,land\n20,NA\nNA,DE\n22,FR\n",
        {"missing": ["NA"], "columns": {"land": {"missing": []}}},
        "BIGINT VARCHAR",
        (20, "NA"),
    ),
    "99 is unknown, however it is written": (
        "sex,age\nf,99.0\nm,20.5\nf,99.00\nm,0099\n",
        {"missing": [99, "0099"]},
        "VARCHAR DECIMAL(24,1)",
        ("f", None),
    ),
    "a day that means none": (
        "sex,born\nf,1.1.1900\nm,01.01.1900\nf,02.03.1950\n",
        {"dates": "%d.%m.%Y", "missing": ["1900-01-01"]},
        "VARCHAR DATE",
        ("f", None),
    ),
    "one case": (
        "sex,age\nF,20\nf,21\n",
        {"columns": {"sex": {"case": "lower"}}},
        "VARCHAR BIGINT",
        ("f", 20),
    ),
    "blanks of one column": (
        "sex,age\n f,20\nm ,21\n",
        {"columns": {"sex": {"trim": True, "case": "upper"}}},
        "VARCHAR BIGINT",
        ("F", 20),
    ),
    "blanks that belong to a column": (
        "sex,note\nf , a\nm , b\n",
        {"trim": True, "columns": {"note": {"trim": False}}},
        "VARCHAR VARCHAR",
        ("f", " a"),
    ),
    "commas in a type that is given": (
        "sex;pay\nf;1.234,5\nm;7,25\n",
        {"decimal": ",", "columns": {"pay": {"type": "decimal(10,2)"}}},
        "VARCHAR DECIMAL(10,2)",
        ("f", Decimal("1234.50")),
    ),
    "a time whose minutes do not matter": (
        "sex;seen\nf;31.08.1985 00:00\nm;01.02.1990 00:00\n",
        {"columns": {"seen": {"dates": "%d.%m.%Y %H:%M", "type": "date"}}},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "years of two digits": (
        "sex,born\nf,31.08.85\nm,30.01.05\n",
        {"columns": {"born": {"dates": "%d.%m.%y"}}},
        "VARCHAR DATE",
        ("f", day("1985-08-31")),
    ),
    "iso-8859-15": (
        "size;price\n180;7 €\n170;8 €\n".encode("iso-8859-15"),
        {"encoding": "iso-8859-15"},
        "BIGINT VARCHAR",
        (180, "7 €"),
    ),
    "names in place of the file's": (
        "Alter;Geschlecht\n" + ROWS_OF_AGES,
        {"header": ["age", "sex"]},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
    "commas between thousands": (
        'sex,pay\nf,"12,500"\nm,"1,750"\n',
        {"columns": {"pay": {"decimal": "."}}},
        "VARCHAR BIGINT",
        ("f", 12500),
    ),
    "names where the file has none": (
        ROWS_OF_AGES,
        {"header": ["age", "sex"]},
        "BIGINT VARCHAR",
        (20, "f"),
    ),
}


@pytest.mark.parametrize("what", CORRECTED)
def test_a_line_of_the_policy_corrects_a_guess(tmp_path, what):
    content, source, types, first = CORRECTED[what]
    kinds, rows, _ = read(tmp_path, write(tmp_path, content), source)
    assert " ".join(kinds.values()) == types and rows[0] == first


def test_a_list_of_names_says_what_becomes_of_the_first_line(tmp_path):
    file = write(tmp_path, "Alter;Geschlecht\n" + ROWS_OF_AGES)
    _, rows, doubts = read(tmp_path, file, {"header": ["age", "sex"]})
    assert len(rows) == 4 and "looks like names, but the list replaces them" in doubts[0]
    file = write(tmp_path, ROWS_OF_AGES)
    _, rows, doubts = read(tmp_path, file, {"header": ["age", "sex"]})
    assert len(rows) == 4 and not doubts


def test_names_that_are_given_and_columns_by_their_numbers(tmp_path):
    """The list alone names the columns of a policy that was proposed without it."""
    write(tmp_path, "".join(f"{20 + n % 3}, {SEXES[n % 3]}, x\n" for n in range(12)))
    data = policy_data({"column1": {"type": "suppression"}, "column2": "sensitive"}, k=2)
    data["columns"]["code"] = {"role": "identifying"}
    data["source"] = {
        "file": "people.csv",
        "header": ["age", "sex", "code"],
        "columns": {"column2": {"trim": True, "case": "upper"}},
    }
    policy = Policy.parse(data, tmp_path)
    assert list(policy.columns) == ["age", "sex", "code"]
    assert policy.source.columns["sex"].case == "upper"
    assert anonsql.run(policy).released == 12
    data["columns"] |= {"sex": {"role": "insensitive"}}
    assert "column2" in Policy.parse(data, tmp_path).columns


def test_a_name_that_the_list_has_means_that_column(tmp_path):
    write(tmp_path, "".join(f"{n % 3},person{n},{20 + n % 3}\n" for n in range(12)))
    data = policy_data({"age": {"type": "suppression"}}, k=2)
    data["columns"] |= {"column1": {"role": "identifying"}, "*": {"role": "insensitive"}}
    data["source"] = {
        "file": "people.csv",
        "header": ["column2", "column1", "age"],
        "columns": {"column1": {"case": "upper"}, "column3": {"missing": [21]}},
    }
    policy = Policy.parse(data, tmp_path)
    assert list(policy.source.columns) == ["column1", "age"]
    anonsql.run(policy)
    with duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True) as connection:
        published = [name for name, *_ in connection.execute("DESCRIBE r").fetchall()]
    assert "column2" in published and "column1" not in published


def test_names_for_a_file_without_or_with_unfit_ones(tmp_path):
    rows = "".join(f"{20 + n % 3};{n};{n % 2}\n" for n in range(12))
    for above in ("", "Report\n\nage;n;n\n", "Report;Report;\n\nage;n;n\n"):
        file, policy = write(tmp_path, above + rows), tmp_path / "policy.yaml"
        policy.unlink(missing_ok=True)
        if above:
            with pytest.raises(
                PolicyError, match=r"columns share a name: 2 and 3\..*`--names a,b`"
            ):
                command.init(str(file), None, policy)
        ended(cli("init", file, "-o", policy, "--names", "age, first,second"), 0)
        data = yaml.safe_load(policy.read_text())
        assert list(data["columns"]) == ["age", "first", "second"]
        assert data["source"].get("skip", 0) == above.count("\n") - (above != "")
        data["source"].pop("file")
        _, values, _ = read(tmp_path, file, data["source"])
        assert len(values) == 12 and values[0] == (20, 0, 0)


def test_a_run_names_titles_before_names_that_are_shared(tmp_path):
    file = write(tmp_path, "Report;Report;\n\nage;n;m\n20;f;1\n21;m;2\n")
    with pytest.raises(PolicyError, match=r"2 lines of .* to be above its header.*skip: 2"):
        read(tmp_path, file, {})


def test_an_empty_name_at_the_end_with_values_is_a_column(tmp_path):
    file = write(tmp_path, "age,sex,\n20,f,\n21,m,x\n")
    types, _, _ = read(tmp_path, file, {})
    assert list(types) == ["age", "sex", "column3"]


WARNED = {
    "blanks before numbers": ("sex,age\nf, 20\nm, 21\n", "age.trim", "trim: true"),
    "tokens among numbers": ("sex,age\nf,20\nm,N/A\nf,?\n", "age.missing", 'missing: [N/A, "?"]'),
    "tokens among dates": ("sex,day\nf,2020-01-01\nm,.\n", "day.missing", 'missing: ["."]'),
    "decimal commas": ("sex;pay\nf;1.234,50\nm;N/A\n", "pay.decimal", 'decimal: ","'),
    "dates of another form": ("sex,day\nf,31.08.1985\n", "day.dates", "anonsql init"),
    "zeros at the end": ("sex,icd\nf,250.0\nm,250.10\n", "icd.type", "{type: text}"),
}


@pytest.mark.parametrize("what", WARNED)
def test_a_run_warns_where_values_are_kept_from_their_type(tmp_path, what):
    content, where, remedy = WARNED[what]
    _, _, doubts = read(tmp_path, write(tmp_path, content), {})
    [doubt] = [doubt for doubt in doubts if where in doubt]
    assert doubt.startswith("source.columns.") and remedy in doubt


REFUSED = {
    # content, source, where, what to write
    "latin-1": ("sex,ort\nf,Köln\n".encode("latin-1"), {}, "source.file", "encoding: latin-1"),
    "windows-1252": (
        "sex,ort\nf,“Köln”\n".encode("cp1252"),
        {},
        "source.file",
        "encoding: windows-1252",
    ),
    "utf-16": ("sex,ort\nf,a\n".encode("utf-16"), {}, "source.file", "encoding: utf-16"),
    "utf-16 without a mark": (
        "sex,ort\nf,a\n".encode("utf-16-be"),
        {},
        "source.file",
        "encoding: utf-16-be",
    ),
    "utf-16 that ends inside a character": (
        "sex,ort\nf,a\n".encode("utf-16")[:-1],
        {"encoding": "utf-16"},
        "source.encoding",
        "save it again",
    ),
    "the wrong encoding": (
        "sex,ort\nf,Köln\n".encode("latin-1"),
        {"encoding": "utf-16"},
        "source.encoding",
        "encoding: latin-1",
    ),
    "titles": (
        "Discharges\n\nage;sex;nights\n20;f;1\n21;f;2\n",
        {},
        "source.file",
        "source: {…, skip: 2}",
    ),
    "titles with commas": (
        "Discharges, 2024\nage,sex,nights\n20,f,1\n21,f,2\n22,f,2\n",
        {},
        "source.file",
        "source: {…, skip: 1}",
    ),
    "sep": ("sep=;\nage;sex\n20;f\n", {}, "source.file", "skip: 1"),
    "a date that does not fit": (
        "sex,born\nf,31.08.1985\nm,1985\nf,8/31/1985\n",
        {"columns": {"born": {"dates": "%d.%m.%Y"}}},
        "source.columns.born.dates",
        "2 rows of the file cannot be read as dates by %d.%m.%Y",
    ),
    "tokens in a type that is given": (
        "sex,bmi\nf,20\nm,N/A\n",
        {"columns": {"bmi": {"type": "double"}}},
        "source.columns.bmi.type",
        "1 row of the file cannot be read as double: N/A",
    ),
    "a decimal comma that is the delimiter": (
        'sex,bmi\nf,"20,5"\n',
        {"decimal": ","},
        "source.decimal",
        "the delimiter",
    ),
    "a line below the rows": (
        "sex,bmi\nf,20\nm,21\nSource: office\n",
        {},
        "source.file",
        "line 4 has 1 fields, the header has 2",
    ),
    "a name too few": (
        "sex,bmi\n1,f,20\n2,m,21\n",
        {},
        "source.file",
        "line 2 has 3 fields, the header has 2",
    ),
    "a name too many": (
        "sex;bmi;\nf;20\nm;21\n",
        {},
        "source.file",
        "line 2 has 2 fields, the header has 3",
    ),
    "a column that is not there": (
        "sex,bmi\nf,20\n",
        {"columns": {"bni": {"missing": ["."]}}},
        "source.columns.bni",
        "bmi",
    ),
    "another number of names": (
        "sex,bmi\nf,20\n",
        {"header": ["a"]},
        "source.header",
        "1 columns are named",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_names_the_place_and_what_to_write(tmp_path, what):
    content, source, where, remedy = REFUSED[what]
    file = write(tmp_path, content)
    with pytest.raises(PolicyError) as caught:
        read(tmp_path, file, source)
    problem = str(caught.value)
    assert problem.startswith(f"{where}:") and remedy in problem
    assert "header: false" not in problem and "Köln" not in problem


@pytest.mark.parametrize("what", ["a line below the rows", "a name too few", "a name too many"])
def test_init_refuses_lines_of_other_lengths_as_a_run_does(tmp_path, what):
    content, _, where, remedy = REFUSED[what]
    with pytest.raises(PolicyError) as caught:
        found(tmp_path, write(tmp_path, content))
    assert str(caught.value).startswith(f"{where}:") and remedy in str(caught.value)


@pytest.mark.parametrize(
    ("source", "where", "words"),
    [
        ({"file": "a.csv", "encoding": "klingon"}, "source.encoding", "unknown"),
        ({"file": "a.csv", "encoding": "base64"}, "source.encoding", "unknown"),
        ({"file": "a.csv", "delimiter": ",", "decimal": ","}, "source.decimal", "the same"),
        ({"file": "a.csv", "decimal": "'"}, "source.decimal", ""),
        ({"file": "a.csv", "dates": "%Q"}, "source.dates", "not part of a date"),
        ({"file": "a.csv", "dates": "%d.%m"}, "source.dates", "a year"),
        ({"file": "a.csv", "skip": -1}, "source.skip", "at least 0"),
        ({"file": "a.csv", "missing": [None]}, "source.missing", ""),
        (
            {"file": "a.csv", "columns": {"a": {"dates": "%d.%m.%Y", "type": "text"}}},
            "source.columns.a.dates",
            "leave `type` out",
        ),
    ],
)
def test_settings_that_cannot_be_met_are_refused(tmp_path, source, where, words):
    data = policy_data({"a": {"type": "suppression"}}) | {"source": source}
    with pytest.raises(PolicyError) as caught:
        Policy.parse(data, tmp_path)
    assert any(p.where.startswith(where) and words in str(p) for p in caught.value.problems)


@pytest.mark.parametrize(
    "source",
    [
        {"encoding": "latin-1"},
        {"skip": 1},
        {"header": False},
        {"columns": {"q": {"decimal": ","}}},
    ],
)
def test_settings_of_csv_files_are_refused_with_parquet(tmp_path, source):
    import duckdb

    duckdb.sql("SELECT n % 2 AS q FROM range(8) r(n)").write_parquet(str(tmp_path / "s.parquet"))
    data = policy_data({"q": {"type": "suppression"}}) | {"source": {"file": "s.parquet", **source}}
    with pytest.raises(PolicyError, match=r"source\.\S+: this is for CSV files"):
        anonsql.run(Policy.parse(data, tmp_path))


def test_a_table_of_many_columns_is_read_column_by_column(tmp_path):
    names = [f"c{number}" for number in range(400)]
    rows = [[number % 5 if number % 2 else f"x{number % 7}" for number in range(400)]] * 20
    file = write(tmp_path, "\n".join(",".join(map(str, row)) for row in [names, *rows]) + "\n")
    types, values, _ = read(tmp_path, file, {})
    assert list(types) == names and set(types.values()) == {"BIGINT", "VARCHAR"}
    assert values[0][:4] == ("x0", 1, "x2", 3)


def test_values_after_the_first_rows_decide_too(tmp_path, monkeypatch):
    """The type of a column is one that all values have, wherever they stand."""
    monkeypatch.setattr(csv_reader, "_SAMPLE", 3)
    last = {
        "a": ("1.5", "DOUBLE"),
        "b": ("x", "VARCHAR"),
        "c": ("1.5", "VARCHAR"),
        "d": ("2020-01-02 03:04:05", "VARCHAR"),
        "e": ("7", "BIGINT"),
        "f": ("", "BIGINT"),
    }
    rows = ["1,1,false,2020-01-01,,5"] * 5 + [",".join(value for value, _ in last.values())]
    file = write(tmp_path, "\n".join([",".join(last), *rows]) + "\n")
    types, values, _ = read(tmp_path, file, {})
    assert types == {name: kind for name, (_, kind) in last.items()}
    assert values[0] == (1.0, "1", "false", "2020-01-01", None, 5)


@pytest.mark.parametrize("sample", [3, 100])
def test_fractions_of_seconds_and_early_years_are_kept_wherever_they_stand(
    tmp_path, monkeypatch, sample
):
    monkeypatch.setattr(csv_reader, "_SAMPLE", sample)
    rows = ["2020-01-02 03:04:05,2020-01-02"] * 5 + ["2020-01-02 03:04:05.125,0044-03-15"]
    file = write(tmp_path, "\n".join(["seen,day", *rows]) + "\n")
    types, values, _ = read(tmp_path, file, {})
    assert list(types.values()) == ["TIMESTAMP", "DATE"]
    assert values[0] == (dt.datetime(2020, 1, 2, 3, 4, 5), day("2020-01-02"))
    assert values[-1] == (dt.datetime(2020, 1, 2, 3, 4, 5, 125_000), day("0044-03-15"))


@pytest.mark.parametrize("value", ["007", "+5", "5 ", "1e2", "1_0", "0x10", "1.5", "-0", "5."])
def test_a_value_that_is_no_plain_integer_decides_wherever_it_stands(tmp_path, monkeypatch, value):
    monkeypatch.setattr(csv_reader, "_SAMPLE", 3)
    file = write(tmp_path, "n,s\n" + "100,f\n" * 5 + f"{value},m\n")
    types, values, _ = read(tmp_path, file, {})
    number = value in ("1e2", "1.5", "-0")
    assert types["n"] == ("DOUBLE" if number else "VARCHAR")
    assert values[-1][0] == (float(value) if number else value)


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("2020-1-1", "2020-01-01"),
        ("2020-01-01 ", "2020-01-01"),
        ("2020-01-1 ", "2020-01-01"),
        ("2020-01-01 10:00:0", "2020-01-01 10:00:00"),
        ("2020-01-01  10:00:00", "2020-01-01 10:00:00"),
    ],
)
def test_a_date_in_another_form_decides_wherever_it_stands(tmp_path, monkeypatch, odd, plain):
    monkeypatch.setattr(csv_reader, "_SAMPLE", 3)
    for values in ([odd] * 5 + [plain] * 5, [plain] * 5 + [odd] * 5):
        file = write(tmp_path, "\n".join(["day,sex", *(f"{value},m" for value in values)]) + "\n")
        types, rows, _ = read(tmp_path, file, {})
        assert types["day"] == "VARCHAR"
        assert [value for value, _ in rows] == values


def test_a_number_that_is_missing_may_have_blanks_around_it(tmp_path):
    file = write(tmp_path, "n,s\n" + "".join(f"{v},m\n" for v in ("99", " 99.0", "99.00 ", " 7")))
    types, rows, _ = read(tmp_path, file, {"trim": True, "missing": [99]})
    assert types["n"] == "BIGINT"
    assert [n for n, _ in rows] == [None, None, None, 7]


def test_a_csv_file_and_parquet_have_the_same_missing_texts(tmp_path):
    """In any case where the policy names one; with `trim` also the empty text."""
    values = ["N/A", " n/a", "N/a", "Abc", "abc ", "   ", '""']
    text = "id,s\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values))
    file, parquet = write(tmp_path, text), tmp_path / "people.parquet"
    rows = duckdb.read_csv(str(file), header=True, all_varchar=True, quotechar="'")
    rows.project("id, CASE s WHEN '\"\"' THEN '' ELSE s END AS s").write_parquet(str(parquet))
    expected = {
        (True, "upper"): [None, None, None, "ABC", "ABC", None, None],
        (True, None): ["N/A", None, "N/a", "Abc", "abc", None, None],
        (False, "lower"): [None, " n/a", None, "abc", "abc ", "   ", None],
    }
    for (trim, case), texts in expected.items():
        source = {"trim": trim, "case": case, "missing": ["n/a"]}
        assert [row[1] for row in read(tmp_path, file, source)[1]] == texts
        source["missing"] += [] if trim else [""]  # of Parquet, an empty text is one
        (tmp_path / "work").mkdir(exist_ok=True)
        context = Context(tmp_path / "work", EngineSettings(), Journal(), purpose="test")
        with closing(open_engine(Location("file", parquet), context)) as engine:
            (view,) = engine.open_source(Source(file=str(parquet), **source))
            rows = engine._connection.execute(f"SELECT s FROM {view} ORDER BY id").fetchall()
        assert [row[0] for row in rows] == texts


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"abc", "utf-8"),
        (("ä" * 600_000 + "€").encode(), "utf-8"),
        (b"a" * (1 << 20) + "ä".encode("latin-1"), "latin-1"),
        (b"a" * (1 << 20) + b"\x80", "windows-1252"),
        ("ä".encode()[:1], "latin-1"),
        (b"\x81\x80", "latin-1"),
        ("größe;ort".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_encodings_are_told_by_bytes(tmp_path, content, encoding):
    file = write(tmp_path, content)
    assert encoding_of(blocks(file), file, "file") == encoding


def test_an_excel_file_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "people.xlsx").write_bytes(b"PK\x03\x04rest")
    result = cli("init", tmp_path / "people.xlsx", "-o", tmp_path / "new.yaml")
    ended(result, 2, "is an Excel workbook", "CSV UTF-8")


def test_a_column_has_its_own_missing_values_and_those_of_the_source(tmp_path):
    rows = "\n".join(
        f"{n},{['N/A', '-1', '40'][n % 3]},{[99, 3][n % 2]},{n % 5}" for n in range(60)
    )
    (tmp_path / "ages.csv").write_text(f"id,age,q_1,q_2\n{rows}\n")
    columns = {"age": {"missing": [-1]}, "q_*": {"missing": [99]}}
    source = {"file": "ages.csv", "missing": ["N/A"], "columns": columns}
    data = {
        "source": source,
        "release": {"database": "release.duckdb", "table": "r"},
        "columns": {
            "id": {"role": "identifying"},
            "age": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}},
            "q_*": {"role": "insensitive"},
        },
        "privacy": {"k": 5},
    }
    anonsql.run(Policy.parse(data, tmp_path))
    with duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True) as connection:
        values = "SELECT DISTINCT CAST(age AS VARCHAR), q_1 FROM r ORDER BY 1, 2"
        assert connection.execute(values).fetchall() == [
            ("40", 3),
            ("40", None),
            (None, 3),
            (None, None),
        ]
    wrong = {**source, "columns": {"z_*": {"missing": [99]}}}
    (problem,) = anonsql.check(Policy.parse({**data, "source": wrong}, tmp_path)).problems
    assert problem.where == "source.columns.z_*"


def test_a_total_is_not_taken_for_a_missing_value(tmp_path):
    rows = "\n".join(f"{n},{n % 7}" for n in range(100))
    (tmp_path / "pay.csv").write_text(f"id,pay\n{rows}\nGesamt,288\n")
    policy = tmp_path / "policy.yaml"
    command.init(str(tmp_path / "pay.csv"), None, policy)
    assert "Gesamt]" not in policy.read_text()


HEADER, PEOPLE = "sex,city", "f,Rome\nm,Oslo\n" * 15
MIXED = {
    "a title in LF": ("A title\n" + f"{HEADER}\n{PEOPLE}".replace("\n", "\r\n"), 30),
    "a title in CRLF": (f"A title\r\n{HEADER}\n{PEOPLE}", 30),
    "a header in LF": (f"{HEADER}\n" + PEOPLE.replace("\n", "\r\n"), 30),
    "a header in CRLF": (f"{HEADER}\r\n{PEOPLE}", 30),
    "one row in CRLF": (f"{HEADER}\n{PEOPLE}f,Rome\r\n{PEOPLE}", 61),
    "one row in LF": (f"{HEADER}\n{PEOPLE}{PEOPLE}".replace("\n", "\r\n") + "f,Rome\n", 61),
    "CR twice": (f"{HEADER}\n{PEOPLE}".replace("\n", "\r\r\n"), 30),
    "CR twice and LF": (f"{HEADER}\n" + PEOPLE.replace("\n", "\r\r\n"), 30),
    "line breaks in quotes": (
        f'{HEADER}\n{PEOPLE}f,"Rome\r\n""x"",\ny"\r\n"","x\n\r\nz"\r\nm,"Oslo\rz"\n',
        33,
    ),
    "a CR at the end of the file": (f"{HEADER}\n{PEOPLE}f,Rome\r", 31),
    "the last line has no end": (f"{HEADER}\r\n{PEOPLE}f,Rome", 31),
}


@pytest.mark.parametrize(
    ("what", "encoding"), [*((what, "utf-8") for what in MIXED), ("a header in LF", "utf-16")]
)
def test_no_row_is_lost_where_lines_end_in_lf_and_in_crlf(tmp_path, what, encoding):
    content, rows = MIXED[what]
    file = write(tmp_path, content.encode(encoding))
    source, _ = found(tmp_path, file)
    _, people, _ = read(tmp_path, file, source)
    assert len(people) == rows and {sex for sex, _ in people} <= {"f", "m", None}
    if what == "line breaks in quotes":
        assert [city for _, city in people[-3:]] == ['Rome\r\n"x",\ny', "x\n\r\nz", "Oslo\rz"]
    else:
        assert {city for _, city in people} == {"Rome", "Oslo"}
    assert [each.name for each in tmp_path.rglob("*.lines.csv")] == []


def test_line_breaks_in_quotes_are_no_line_ends(tmp_path):
    for ends in ("\n", "\r\n", "\r"):
        content = f'a,b{ends}x,"1{ends}2"{ends}y,"1\n2\r\n3"{ends}'
        file = write(tmp_path, content)
        _, rows, _ = read(tmp_path, file, {})
        assert rows == [("x", f"1{ends}2"), ("y", "1\n2\r\n3")]


def test_a_quoted_header_behind_a_byte_order_mark_keeps_its_line_break(tmp_path):
    content = '\ufeff"a\r\nb",c\n1,2\r\n'
    file = write(tmp_path, content.encode())
    lines = csv_line_ends.as_text(file, Source(file=file.name), tmp_path / "copy.csv", "source")
    with lines as text:
        assert text.read_bytes() == '\ufeff"a\r\nb",c\n1,2\n'.encode()


def test_line_breaks_in_quotes_alone_need_no_copy(tmp_path):
    file = write(tmp_path, b'a,b\r\nx,"1\n2"\r\n')
    lines = csv_line_ends.as_text(file, Source(file=file.name), tmp_path / "copy.csv", "source")
    with lines as text:
        assert text == file


def test_a_return_in_the_middle_of_a_line_is_named_with_its_line(tmp_path):
    file = write(tmp_path, b"a,b\nx,y\rz\nu,v\n")
    for each in (lambda: found(tmp_path, file), lambda: read(tmp_path, file, {})):
        with pytest.raises(PolicyError, match=r"source\.file: line 2 of .* carriage return \(CR\)"):
            each()


def test_init_does_not_say_that_init_finds_titles(tmp_path):
    file = write(tmp_path, 'a,b\nx,"y"z\n')
    with pytest.raises(PolicyError, match="cannot be read") as caught:
        found(tmp_path, file)
    assert "anonsql init" not in str(caught.value)
    with pytest.raises(PolicyError, match="`anonsql init` finds it"):
        read(tmp_path, file, {})


def test_a_run_below_a_title_with_another_line_end_has_all_rows(tmp_path):
    content, rows = MIXED["a title in LF"]
    file = write(tmp_path, content)
    columns = {"sex": {"type": "suppression"}, "city": "insensitive"}
    data = policy_data(columns, k=2) | {"source": {"file": file.name, "skip": 1}}
    assert anonsql.run(Policy.parse(data, tmp_path)).released == rows
