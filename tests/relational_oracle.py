"""What may be known of people with rows in several tables, by brute force: every subset of up to m
rows of every person, and every way to find it among the rows of every other person.

A person is a tree: ``Row(table, values, below)``, the root being the person's own row. It shares
nothing with anonsql.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations, product
from math import log


@dataclass(eq=False)
class Row:
    """A row of a table with its quasi-identifying values and its ``secret`` one, the rows that
    refer to it, and the row it refers to."""

    table: str
    values: dict
    below: list = field(default_factory=list)
    above: object = None
    key: object = None
    secret: object = None

    def add(self, row):
        row.above = self
        self.below.append(row)
        return row

    def all_below(self):
        for item in self.below:
            yield item
            yield from item.all_below()

    def chain(self):
        """The row and those that it refers to, up to the one below the person."""
        return [] if self.above is None else [*self.above.chain(), self]


def label(row, levels, hierarchies):
    """The released values of a row."""
    return tuple(
        hierarchies[row.table][name](value, levels[f"{row.table}.{name}"])
        for name, value in sorted(row.values.items())
    )


def knowable(person, size):
    """Sets of rows of a person, none of which another one belongs to."""
    rows = list(person.all_below())
    for some in combinations(rows, size):
        if not any(one is not other and one in other.chain() for one in some for other in some):
            yield some


def matches(known, person, labels):
    """Whether a person has what is known: other rows for different rows, with the same labels, and
    below each other as those are."""
    needed = {id(row): row for one in known for row in one.chain()}
    order = sorted(needed.values(), key=lambda row: len(row.chain()))

    def place(position, placed):
        if position == len(order):
            return True
        row = order[position]
        among = person.below if row.above.above is None else placed[id(row.above)].below
        return any(
            place(position + 1, {**placed, id(row): other})
            for other in among
            if other.table == row.table
            and labels[id(other)] == labels[id(row)]
            and not any(other is taken for taken in placed.values())
        )

    return place(0, {})


def images(known, person, labels):
    """Every way to find what is known among a person's rows: for each row of it the other row."""
    needed = {id(row): row for one in known for row in one.chain()}
    order = sorted(needed.values(), key=lambda row: len(row.chain()))

    def place(position, placed):
        if position == len(order):
            yield {id(one): placed[id(one)] for one in known}
            return
        row = order[position]
        for other in person.below if row.above.above is None else placed[id(row.above)].below:
            fits = other.table == row.table and labels[id(other)] == labels[id(row)]
            if fits and not any(other is taken for taken in placed.values()):
                yield from place(position + 1, {**placed, id(row): other})

    return place(0, {})


NONE = ("none",)
"""What somebody has who has no row in a table."""


def secrets(row, table):
    """The secret values of a table that a row tells: its own, that of what it refers to, or those
    of the rows that refer to it."""
    rows = [item for item in (row, *_above(row), *row.all_below()) if item.table == table]
    return {entry.secret for entry in rows} or {NONE}


def _above(row):
    return [] if row.above is None else [row.above, *_above(row.above)]


def reference(people, table):
    """How many people have each value in any row of a table."""
    return Counter(value for person in people for value in secrets(person, table))


def breaking(people, labels, size, asked):
    """For every person with something known whose match breaks a model: those combinations of rows.
    ``asked`` are (table, tables on one chain with it but that of people, model); ``labels`` say
    what is known of a row that is."""
    found = []
    for person in people:
        alike = [item for item in people if labels[id(item)] == labels[id(person)]]
        for known in knowable(person, size):
            ways = [(entry, list(images(known, entry, labels))) for entry in alike]
            ways = [(element, some) for element, some in ways if some]
            for table, chain, model in asked:
                classes = [[secrets(each, table) for each, _ in ways]]
                for one in known:
                    if one.table in chain:
                        told = [{id(i[id(one)]): i[id(one)] for i in some} for _, some in ways]
                        told = [
                            set().union(*(secrets(row, table) for row in rows.values()))
                            for rows in told
                        ]
                        classes.append(told)
                if not all(
                    model(Counter(v for have in one_class for v in have), len(ways))
                    for one_class in classes
                ):
                    found.append((person, known))
                    break
    return found


def distinct(least):
    return lambda counts, people, whole: len(counts) >= least


def entropy(least):
    def kept(counts, people, whole):
        total = sum(counts.values())
        return -sum(n / total * log(n / total) for n in counts.values()) >= log(least) - 1e-9

    return kept


def recursive(c, least):
    def kept(counts, people, whole):
        ranked = sorted(counts.values(), reverse=True)
        return ranked[0] < c * sum(ranked[least - 1 :])

    return kept


def alpha(share, *named):
    def kept(counts, people, whole):
        return all(
            n <= share * people for value, n in counts.items() if not named or value in named
        )

    return kept


def shares_of(counts):
    """The share of each value, by its count."""
    return {value: n / sum(counts.values()) for value, n in counts.items()}


def equal(t):
    def kept(counts, people, whole):
        own, all_ = shares_of(counts), shares_of(whole)
        return sum(max(p - all_.get(v, 0), 0) for v, p in own.items()) <= t + 1e-9

    return kept


def shapes(people, labels):
    """What is known of each row where whole trees are: the tree below it in place of its label."""
    return {
        id(row): tree(row, labels) for person in people for row in (person, *person.all_below())
    }


def tree(person, labels):
    """The whole tree below a row, with labels, whatever the order of its rows."""
    below = sorted((item.table, tree(item, labels)) for item in person.below)
    return (labels[id(person)], tuple(below))


def rare(people, labels, size, k):
    """For every person with something known of fewer than k people: those combinations of rows."""
    found = []
    for person in people:
        alike = [item for item in people if labels[id(item)] == labels[id(person)]]
        for known in knowable(person, size):
            if sum(matches(known, entry, labels) for entry in alike) < k:
                found.append((person, known))
    return found


def suppressed(people, levels, hierarchies, k, known_rows, may_go=(), asked=()):
    """Suppress what is rare until nothing is, and then what breaks the models that are ``asked``
    for (see :func:`breaking`), and begin anew. Return how many people, and how many rows by table,
    by themselves and with others. ``may_go`` are the tables that may lose rows by themselves. The
    trees of ``people`` are changed."""
    people, alone, with_others = list(people), Counter(), Counter()
    labels = {
        id(row): label(row, levels, hierarchies)
        for person in people
        for row in (person, *person.all_below())
    }
    sizes = [0, 1] if known_rows == "all" else range(known_rows + 1)
    while True:
        struck = next((found for size in sizes if (found := rare(people, labels, size, k))), [])
        if not struck and known_rows == "all":
            kinds = Counter(tree(person, labels) for person in people)
            struck = [(item, ()) for item in people if kinds[tree(item, labels)] < k]
        if not struck and asked:
            known = shapes(people, labels) if known_rows == "all" else labels
            struck = next(
                (found for size in sizes if (found := breaking(people, known, size, asked))), []
            )
        if not struck:
            return people, alone, with_others
        gone, persons = {}, {}
        for person, known in struck:
            for one in known:
                unit = next((row for row in reversed(one.chain()) if row.table in may_go), None)
                if unit is None:
                    persons[id(person)] = person
                else:
                    gone[id(unit)] = unit
            if not known:
                persons[id(person)] = person
        for person in persons.values():
            people = [entry for entry in people if entry is not person]
            alone[person.table] += 1
            with_others.update(row.table for row in person.all_below())
            gone = {i: row for i, row in gone.items() if _root(row) is not person}
        tops = [row for row in gone.values() if not any(id(u) in gone for u in row.chain()[:-1])]
        for row in tops:
            row.above.below = [element for element in row.above.below if element is not row]
            alone[row.table] += 1
            with_others.update(each.table for each in row.all_below())


def _root(row):
    return row if row.above is None else _root(row.above)


def every_node(heights):
    """All levels, lowest first."""
    names = list(heights)
    for levels in product(*(range(heights[name] + 1) for name in names)):
        yield dict(zip(names, levels))


def largest_closed(people, levels, hierarchies, k, known_rows):
    """The largest set of people that keeps the promise by itself, by trying all."""
    labels = {
        id(row): label(row, levels, hierarchies)
        for person in people
        for row in (person, *person.all_below())
    }
    for size in range(len(people), -1, -1):
        for some in combinations(people, size):
            if not any(rare(some, labels, number, k) for number in range(known_rows + 1)):
                return size
    return 0
