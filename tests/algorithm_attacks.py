"""An attacker who knows the method, by brute force: he releases every table that the source might
be, and keeps those that become the published release.

If he knows all quasi-identifying values, he tries every way in which their rows can have the
released secrets: the minimality attack (Wong, Fu, Wang, Pei, VLDB 2007), or combinatorial
refinement. If he knows none, he tries every value that labels may stand for: downcoding (Cohen,
USENIX Security 2022). He shares no code with the methods: he runs them.
"""

import tempfile
from collections import Counter
from itertools import combinations_with_replacement, product
from pathlib import Path

import anonsql

from .support import make_source, policy_data, released_rows


def release_of(rows, types, columns, **more):
    """The released rows of a table, of any order; None where the policy cannot be kept."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_source(folder, types, rows)
        data = policy_data(columns, release={"completed": 0}, **more)
        try:
            anonsql.run(anonsql.Policy.parse(data, folder))
        except anonsql.AnonsqlError:
            return None
        return Counter(released_rows(folder))


def remaining(tables, published, types, columns, **more):
    """Those tables that the method releases as ``published``."""
    return [table for table in tables if release_of(table, types, columns, **more) == published]


def allowed(tables, rows, types, columns, **more):
    """Those tables in which every class of the release of ``rows`` has the secrets that it has, by
    a method that releases equal rows alike: what somebody knows who does not know the method."""
    numbered = release_of(
        [(*row, place) for place, row in enumerate(rows)],
        {**types, "place": "INTEGER"},
        {**columns, "place": "insensitive"},
        **more,
    )
    labels = {rows[place][:-1]: tuple(shown) for *shown, _, place in numbered}

    def classes(table):
        return Counter((labels[row[:-1]], row[-1]) for row in table if row[:-1] in labels)

    return [table for table in tables if classes(table) == classes(rows)]


def dealt(rows):
    """All tables in which the rows have each other's secrets, their last values."""
    owners = Counter(row[:-1] for row in rows)
    secrets = Counter(row[-1] for row in rows)

    def each(left, secrets):
        if not left:
            yield []
            return
        (owner, size), *others = left
        for chosen in set(combinations_with_replacement(sorted(secrets), size)):
            if not (taken := Counter(chosen)) <= secrets:
                continue
            own = [(*owner, secret) for secret in chosen]
            yield from (own + rest for rest in each(others, secrets - taken))

    return list(each(sorted(owners.items()), secrets))


def finer(labels):
    """All tables of rows that these ``labels`` may stand for: the values of each row's columns."""
    rows = [sorted(product(*row)) for row in labels]
    return [list(rows) for rows in {tuple(sorted(chosen)) for chosen in product(*rows)}]


def certain(tables, owner):
    """The one secret that rows of an owner have in all tables; None where there are several."""
    secrets = {row[-1] for table in tables for row in table if row[:-1] == owner}
    return secrets.pop() if len(secrets) == 1 else None


def right(truth, tables):
    """How many secrets of the truth he guesses on average, if any of the tables may be true: as
    likely as there are orders of rows that give it."""
    weighed = [(table, _orders(table)) for table in tables]
    found = 0.0
    for owner in {row[:-1] for row in truth}:
        likely = Counter()
        for table, weight in weighed:
            for row in table:
                likely[row[-1]] += weight * (row[:-1] == owner)
        best = [secret for secret, n in likely.items() if n == max(likely.values())]
        found += sum(row[:-1] == owner and row[-1] in best for row in truth) / len(best)
    return found


def _orders(table):
    """How many orders of secrets give a table: up to a factor, that of different ones."""
    orders = 1
    for owner in {row[:-1] for row in table}:
        left = Counter(row[-1] for row in table if row[:-1] == owner)
        size = left.total()
        for n in left.values():
            for i in range(n):
                orders = orders * size // (i + 1)
                size -= 1
    return orders
