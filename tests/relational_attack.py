"""Attacks on released tables that can be joined, by code of its own: it knows the own row of a
person and some of the person's rows in other tables, and counts who has them all in the release.

It shares nothing with anonsql: what it knows it compares with the released labels by their bounds
(numbers and dates) or by groups that it was told of.
"""

import random
from collections import defaultdict

import duckdb


class Clinic:
    """The source as the attacker knows it, and a release, both in memory, joined by their keys."""

    def __init__(self, source, tables, groups):
        """``tables``: the connection and names of the released patients, visits, prescriptions."""
        self.groups = groups
        with duckdb.connect(str(source), read_only=True) as connection:
            self.people = dict(
                rows(connection, "SELECT patient_id, {'born': born, 'sex': sex} FROM patients")
            )
            self.visits = defaultdict(dict)
            owner = {}
            for key, person, day in rows(
                connection, "SELECT visit_id, patient_id, day FROM visits"
            ):
                self.visits[person][key] = (day, [])
                owner[key] = person
            for visit, drug in rows(connection, "SELECT visit_id, drug FROM prescriptions"):
                self.visits[owner[visit]][visit][1].append(drug)
        connection, patients, visits, prescriptions = tables
        self.released = rows(
            connection, f"SELECT patient_id, born_lo, born_hi, born, sex FROM {patients}"
        )
        self.trees = defaultdict(dict)
        owner = {}
        for key, person, low, high in rows(
            connection, f"SELECT visit_id, patient_id, day_lo, day_hi FROM {visits}"
        ):
            self.trees[person][key] = (low, high, [])
            owner[key] = person
        for visit, drug in rows(connection, f"SELECT visit_id, drug FROM {prescriptions}"):
            if visit in owner:
                self.trees[owner[visit]][visit][2].append(drug)

    def alike(self, person):
        """The released people whose own row may be the person's."""
        known = self.people[person]
        return [
            key
            for key, low, high, label, sex in self.released
            if (label == "*" or low <= known["born"] <= high) and sex in ("*", known["sex"])
        ]

    def known(self, person, count, rng):
        """Some rows of a person: ``{visit: drugs known to have been prescribed there}``."""
        all_rows = [
            *((visit, None) for visit in self.visits[person]),
            *((v, drug) for v, (_, drugs) in self.visits[person].items() for drug in drugs),
        ]
        found = defaultdict(list)
        for visit, drug in rng.sample(all_rows, min(count, len(all_rows))):
            found[visit] += [drug] * (drug is not None)
        return [(self.visits[person][visit][0], drugs) for visit, drugs in found.items()]

    def matches(self, known, tree):
        """Whether the visits of a released person hold all that is known, each in another one."""
        return _placed(known, list(tree.values()), self._fits)

    def _fits(self, one, visit):
        (day, drugs), (low, high, labels) = one, visit
        if low is not None and not low <= day <= high:
            return False
        return _placed(drugs, labels, lambda drug, label: label in self.groups[drug])

    def fewest(self, count, targets, seed):
        """The fewest people that match what is known of some targets, and how many targets were
        matched by one person alone."""
        rng = random.Random(seed)
        least, alone = len(self.released), 0
        for person in rng.sample(sorted(self.people), targets):
            known = self.known(person, count, rng)
            found = sum(self.matches(known, self.trees[key]) for key in self.alike(person))
            alone += found == 1
            least = min(least, found) if found else least
        return least, alone


def _placed(wanted, places, fits):
    """Whether every wanted thing fits a place of its own, by augmenting paths."""
    taken = {}

    def place(one, seen):
        for number, place_ in enumerate(places):
            if number in seen or not fits(wanted[one], place_):
                continue
            seen.add(number)
            if number not in taken or place(taken[number], seen):
                taken[number] = one
                return True
        return False

    return all(place(one, set()) for one in range(len(wanted)))


def rows(connection, sql):
    """The rows of a statement."""
    return connection.execute(sql).fetchall()
