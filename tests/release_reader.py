"""A reader of releases who has nothing but a release and what the manual says of its labels
(release.md): it says of every label which original values it stands for. Code of its own, which
shares nothing with what writes, proves or asks releases."""

import datetime as dt
import re
from decimal import Decimal, InvalidOperation

import duckdb

ANYTHING = "*"


class Hierarchy:
    """What ``__labels`` says of one column: the leaves under every label, and their order."""

    def __init__(self, rows):
        places = sorted((place, leaf) for _, _, leaf, place in rows if leaf is not None)
        self.order = list(dict.fromkeys(leaf for _, leaf in places))
        self.under = {}
        for level, label, leaf, _ in rows:
            self.under.setdefault((level, label), set()).add(leaf)
        self.height = max(level for level, *_ in rows)

    def leaves(self, label, levels):
        """The leaves under a label of one of some levels; None where there is no such label."""
        found = [self.under[level, label] for level in levels if (level, label) in self.under]
        return set().union(*found) if found else None


def text_of(value):
    """A value as releases write it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def is_text(text):
    """The condition of the one value with this text."""
    return lambda value: text_of(value) == text


def between(low, high, closed):
    """The condition of the values of an interval by the texts of its ends; None where these are no
    numbers or dates."""
    low, high = (_of_text(item) for item in (low, high))
    if low is None or type(low) is not type(high):
        return None

    def holds(value):
        if value is None or isinstance(value, str):
            return False
        number = _comparable(value, low)
        return low <= number <= high if closed else low <= number < high

    return holds


def _comparable(value, like):
    if isinstance(like, dt.datetime):
        return value if isinstance(value, dt.datetime) else dt.datetime(*value.timetuple()[:3])
    return Decimal(str(value))


def _of_text(text):
    for read in (Decimal, dt.datetime.fromisoformat):
        try:
            return read(text)
        except (InvalidOperation, ValueError):
            continue
    return None


def is_end(value, text):
    """Whether a number is the one that a text names."""
    end = _of_text(text)
    return isinstance(end, Decimal) and _comparable(value, end) == end


def within_unit(label):
    """The condition of the dates in a calendar unit; None where the label names none."""
    forms = {
        r"\d{4}-\d\d-\d\d": lambda day: day.strftime("%Y-%m-%d"),
        r"\d{4}-W\d\d": lambda day: "{}-W{:02}".format(*day.isocalendar()[:2]),
        r"\d{4}-\d\d": lambda day: day.strftime("%Y-%m"),
        r"\d{4}-Q\d": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
        r"\d{4}": lambda day: f"{day.year:04}",
        r"\d{3}0s": lambda day: f"{day.year // 10:03}0s",
    }
    for form, unit_of in forms.items():
        if re.fullmatch(form, label):
            return lambda value: isinstance(value, dt.date) and unit_of(value) == label
    return None


def elements(label):
    """The elements of a set in its text, None for NULL: quoted where they must be."""
    inside, found = label[1:-1], []
    while inside:
        if inside[0] == '"':
            end = 1
            while inside[end] != '"' or inside[end : end + 2] == '""':
                end += 2 if inside[end] == '"' else 1
            word, rest = inside[1:end].replace('""', '"'), inside[end + 1 :]
        else:
            word, _, rest = inside.partition(", ")
            rest = f", {rest}" if rest else ""
            word = None if word == "NULL" else word
        found.append(word)
        assert rest[:2] in ("", ", "), label
        inside = rest[2:]
    return found


class Column:
    """A column of labels: what ``__columns`` says of it, and its hierarchy where that is
    released."""

    def __init__(self, looks, hierarchy=None):
        self.withheld = looks.endswith("; nothing where it is sensitive")
        self.looks = looks.removesuffix("; nothing where it is sensitive")
        self.hierarchy = hierarchy

    def holds(self, label):
        """The condition of the values that a label stands for. Raise AssertionError where what is
        documented says nothing of it."""
        if label == ANYTHING and self.looks != "as it is":
            return lambda value: True
        if label is None:
            return (lambda value: True) if self.withheld else (lambda value: value is None)
        found = self._conditions(label)
        assert found, f"{label!r} is not {self.looks!r}"
        return lambda value: any(item(value) for item in found)

    def _conditions(self, label):
        looks = self.looks
        if looks == "{one, another}":
            words = label if not isinstance(label, str) else [label]
            if isinstance(label, str) and label[:1] == "{" and label[-1:] == "}":
                words = elements(label)
                words = words if len(words) > 1 else [label]  # a single value stands by itself
            return [item for word in words for item in self._of_node(word)]
        if looks.startswith("first … last"):
            ends = [cut.start() for cut in re.finditer("(?= … )", label)]
            pairs = [(label[:end], label[end + 3 :]) for end in ends]
            found = [self._of_names(*pair) for pair in pairs]
            return [entry for entry in found if entry] or [is_text(label)]
        if match := re.fullmatch(r"\[([^,]*),([^,]*)([])])", label):
            closed = match[3] == "]"
            wanted = (
                looks.startswith(("[least", "[first")) if closed else not looks.startswith("[f")
            )
            if wanted and (condition := between(match[1], match[2], closed)):
                return [condition]
        return self._of_node(label)

    def _of_names(self, first, last):
        """The condition of names from one to another in their order."""
        if self.hierarchy is None:
            ends = first.encode(), last.encode()
            return lambda value: value is not None and ends[0] <= value.encode() <= ends[1]
        order = self.hierarchy.order
        if first not in order or last not in order:
            return None
        names = set(order[order.index(first) : order.index(last) + 1])
        return lambda value: text_of(value) in names

    def _of_node(self, label):
        """The conditions of a value, or a label of a hierarchy; NULL is one of these."""
        if label is None:
            return [lambda value: value is None]
        if group := re.fullmatch(r"group of level (\d+) of \d+", self.looks):
            return self._leaves(label, [int(group[1])])
        if self.hierarchy is not None and self.looks != "as it is":
            return self._leaves(label, range(self.hierarchy.height + 1))
        if re.search("characters hidden", self.looks):
            side = "last" if "last" in self.looks else "first"
            return [_of_mask(label, side)]
        if self.looks in ("day", "week", "month", "quarter", "year", "decade"):
            return [within_unit(label)]
        found = [is_text(label)]
        if self.looks in ("a value of its hierarchy", "{one, another}"):
            found += [item for item in [within_unit(label)] if item]
            if match := re.fullmatch(r"\[([^,]*),([^,]*)\)", label):
                found += [entry for entry in [between(match[1], match[2], closed=False)] if entry]
            if "*" in label:
                found += [_of_mask(label, side) for side in ("first", "last")]
        return found

    def _leaves(self, label, levels):
        found = self.hierarchy.leaves(label, levels)
        return [] if found is None else [lambda value: text_of(value) in found]


def _of_mask(label, side):
    """The condition of the values whose hidden characters stand at one side."""
    shown = label.rstrip("*") if side == "last" else label.lstrip("*")

    def holds(value):
        text = text_of(value)
        if text is None or len(text) != len(label):
            return False
        return text.startswith(shown) if side == "last" else text.endswith(shown)

    return holds


def read(path, table="r"):
    """The labels of a release: its facts, its columns of labels by name, and its rows as
    mappings."""
    with duckdb.connect(str(path), read_only=True) as connection:

        def rows(suffix):
            return connection.execute(f'FROM "{table}{suffix}"').fetchall()

        about = dict(rows("__about"))
        hierarchies = {}
        if connection.execute(
            "FROM duckdb_tables() WHERE table_name = ?", [f"{table}__labels"]
        ).fetchall():
            for name, *row in rows("__labels"):
                hierarchies.setdefault(name, []).append(row)
        columns = {
            name: Column(looks, Hierarchy(hierarchies[name]) if name in hierarchies else None)
            for name, role, _, form, looks in rows("__columns")
            if role in ("quasi-identifying", "semi-sensitive") and form not in ("least", "greatest")
        }
        found = connection.execute(f'FROM "{table}"')
        names = [item[0] for item in found.description]
        return about, columns, [dict(zip(names, row, strict=True)) for row in found.fetchall()]
