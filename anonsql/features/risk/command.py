"""``anonsql risk``: how likely rows of a release, or of its source, are to be re-identified."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from anonsql.engines.base import Engine, ReleaseTables
from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.risk.bands import bands
from anonsql.features.risk.document import (
    AboveThreshold,
    ColumnOfSpecials,
    IndividualRisk,
    LooksLike,
    PopulationModel,
    PopulationUniques,
    RiskReport,
    Specials,
    SpecialsByColumns,
    SpecialSet,
)
from anonsql.jobs import source_columns, sources
from anonsql.jobs.job import Job
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.policies import of_one
from anonsql.policy.policy import Given
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import Place
from anonsql.risks import individual, population, suda
from anonsql.risks.individual import Risks, Sampled
from anonsql.risks.kept.counting import Compared
from anonsql.risks.population import ClassSizes
from anonsql.risks.safe_harbor import identifiers
from anonsql.system import text_files
from anonsql.system.clock import Progress, silent
from anonsql.system.numbers import rounded
from anonsql.verification.facts import count_of, facts_of, missing_rows

ACCEPTED = ("1/11", "0.2", "0.05")
"""Risks that agencies and courts accept of a row: below 11 rows a cell is not published by the
European Medicines Agency and Health Canada (0.09, which 1/11 exceeds); 0.2 and 0.05 are those of
classes of five and of twenty."""
_SHOWN_SETS = 10
_RIGHT = 0.01
"""The share of uniques of a sample that DIS takes to be found again when all else is unknown."""


@dataclass(frozen=True)
class RiskSettings:
    """The settings of ``anonsql risk``. ``source``: look at the source, not at the release;
    ``population``: members of the population that the source is a sample of, or ``fraction``, the
    share of it that the source is; where neither is named, the policy's; ``weight``: the column
    with the number of members that each row represents; ``accepted``: risks of a row that are
    accepted, as numbers or fractions, the first of them also for individuals; ``any_null``: whether
    NULL matches anything in the risk of individuals, not in classes; ``special``: look for special
    uniques in sets of up to as many columns; ``identifiers``: look for those of HIPAA's safe
    harbor."""

    source: bool = False
    population: int | None = None
    fraction: float | None = None
    weight: str | None = None
    accepted: Sequence[str] = ACCEPTED
    any_null: bool = False
    special: int = 0
    identifiers: bool = False


def risk(
    policy: Given,
    settings: RiskSettings | None = None,
    *,
    html: str | Path | None = None,
    progress: Progress = silent,
    **options: Any,
) -> RiskReport:
    """Return how likely rows of the published release are to be re-identified or, with ``source``,
    rows of its source as they are; see :class:`RiskSettings`, whose fields may be given one by one.
    ``html`` is a file for a page with the results, for readers who may see the source. Nothing else
    is changed. Raise PolicyError where a setting makes no sense, the rows of the release form no
    classes, or the page cannot be written."""
    wanted = replace(settings or RiskSettings(), **options)
    if html is not None:
        text_files.require_replaceable(Path(html), "--html")
    report = _found(
        source_columns.resolved(of_one(policy, "risk"), reading=not wanted.source), wanted, progress
    )
    if html is not None:
        from anonsql.features.risk.described import describe
        from anonsql.presentation import page

        named = report.place.table or Path(report.place.database).name
        title = f"How likely rows of {named} are to be found"
        of_source = report.of == "source"
        page.write(html, "risk", title, describe(report), of_source=of_source)
    return report


def _found(one: TablePlan, wanted: RiskSettings, progress: Progress) -> RiskReport:
    with read_only_job(one, "risk", progress=progress, reading=True) as job:
        if wanted.source:
            sources.open_source(job)
            return of_source(job, wanted)
        if not one.method.equal_rows_are_classes:
            raise PolicyError.at(
                "method.type",
                f"rows of a release by {one.method.type} differ from those that they are hidden"
                " among, so its classes cannot be counted.",
                "Use `anonsql risk --source` for the source, or `anonsql verify` for the release.",
            )
        with job.target.published() as release:
            return of_release(job, release, wanted)


def of_release(job: Job, release: ReleaseTables, wanted: RiskSettings) -> RiskReport:
    """Return the risks of the rows of a published release in which equal rows are classes."""
    started, policy = time.perf_counter(), job.policy
    columns = release.engine.columns(release.rows)
    labels = [column for column in columns if column.name in policy.quasi_identifiers]
    has_masked = count_of(facts_of(release), "masked") > 0 and policy.label_type == "VARCHAR"
    sample = Sampled(
        release.rows,
        [Compared(column) for column in labels],
        [column.name for column in labels] if has_masked else [],
        _weight(policy, wanted, [column.name for column in columns]),
    )
    place = Place(database=str(job.places.release), table=policy.release.name)
    missing = missing_rows(facts_of(release))
    looking_at = _Looking(job, release.engine, sample, _by_policy(job, wanted), missing)
    return looking_at.report("release", place, started)


def of_source(job: Job, wanted: RiskSettings) -> RiskReport:
    """Return the risks of the rows of a source that is open, by their own values."""
    started, opened, policy = time.perf_counter(), job.opened, job.policy
    sample = Sampled(
        opened.source,
        [Compared(one) for one in opened.columns if one.name in policy.quasi_identifiers],
        weight=_weight(policy, wanted, [column.name for column in opened.columns]),
    )
    place = Place(database=str(job.places.source), table=policy.source.table or "")
    wanted = _by_policy(job, wanted)
    return _Looking(job, job.engine, sample, wanted).report("source", place, started)


def _by_policy(job: Job, wanted: RiskSettings) -> RiskSettings:
    """Return the settings with the population of the policy, if no other is named: that of its
    limits or, with ``source``, the table that the source is drawn from."""
    privacy = job.policy.privacy
    if wanted.population is not None or wanted.fraction is not None:
        return wanted
    if (sampled := privacy.risk.population) is not None:
        fraction = None if sampled.fraction is None else float(sampled.fraction)
        return replace(wanted, population=sampled.size, fraction=fraction)
    if wanted.source and privacy.population is not None:
        sources.open_population(job)
        table = job.opened.population
        return replace(
            wanted, population=int(job.engine.query("verification/rows", table=table)[0][0])
        )
    return wanted


def _weight(policy: TablePlan, wanted: RiskSettings, names: Sequence[str]) -> str | None:
    """Return the column of weights: the named column, else that of the policy; raise PolicyError
    where there is no such column."""
    if wanted.weight is None:
        weights = [name for name, column in policy.columns.items() if column.role == "weight"]
        return next((name for name in weights if name in names), None)
    if wanted.weight not in names:
        raise PolicyError.at(
            "--weight",
            f"there is no column {wanted.weight!r}.",
            did_you_mean(wanted.weight, names)
            or "A release has this column only if the policy keeps it.",
        )
    return wanted.weight


@dataclass(frozen=True)
class _Looking:
    """A table under examination; the source has ``missing`` rows in addition."""

    job: Job
    engine: Engine
    sample: Sampled
    wanted: RiskSettings
    missing: int = 0

    def report(self, of: Literal["release", "source"], place: Place, started: float) -> RiskReport:
        """Return the findings on the table."""
        table, columns = self.sample.table, self.sample.columns
        individual.require_weights(self.engine, self.sample, "--weight")
        counted = self.engine.query(
            "risks/population/sizes",
            table=table,
            columns=columns,
            people=None,
            masked=self.sample.masked,
        )
        histogram = [(int(size), int(classes)) for size, classes in counted]
        sizes = ClassSizes.of(histogram)
        rows, classes = int(sizes.rows), int(sizes.classes)
        total = int(self.engine.query("verification/rows", table=table)[0][0])
        fraction = _fraction(self.wanted, total + self.missing)
        return RiskReport(
            of=of,
            columns=[column.name for column in columns],
            rows=rows,
            masked=total - rows,
            classes=classes,
            unique=int(sizes.of_size(1)),
            highest=rounded(1 / histogram[0][0]) if histogram else 0.0,
            average=rounded(classes / rows) if rows else 0.0,
            entity=self.job.policy.privacy.entity,
            above=sorted(
                (_above(text, histogram, rows) for text in self.wanted.accepted),
                key=lambda above: above.accepted,
                reverse=True,
            ),
            sizes=bands(histogram),
            population=_population(sizes, fraction),
            **self._individuals(histogram, fraction),
            specials=self._specials(sizes) if self.wanted.special else None,
            identifiers=self._identifiers(total, of) if self.wanted.identifiers else None,
            statements=self.job.context.journal.count(),
            seconds=round(time.perf_counter() - started, 4),
            place=place,
        )

    def _individuals(
        self, histogram: Sequence[tuple[int, int]], fraction: float | None
    ) -> dict[str, IndividualRisk | None]:
        if fraction is None and self.sample.weight is None:
            return {"individual": None, "people": None}
        any_null = self.wanted.any_null and bool(self.sample.columns)
        share = 1.0 if fraction is None else fraction
        sample = replace(self.sample, fraction=share, any_null=any_null)
        accepted = float(_accepted(self.wanted.accepted[0]))
        if sample.weight is None and not any_null:
            rows = individual.of_sizes(histogram, share, accepted)
        else:
            rows, _ = individual.of_rows(self.engine, sample, accepted)
        people = None
        entity = self.job.policy.privacy.entity
        columns = self.engine.columns(sample.table)
        telling = next((column for column in columns if column.name == entity), None)
        if telling is not None:
            people = individual.of_people(self.engine, sample, Compared(telling), accepted)
        return {
            "individual": _individual(rows, accepted, any_null),
            "people": None if people is None else _individual(people, accepted, any_null),
        }

    def _identifiers(self, rows: int, of: Literal["release", "source"]) -> list[LooksLike]:
        released, policy = of == "release", self.job.policy
        found = identifiers(self.engine, self.sample.table, rows, policy, released=released)
        return [LooksLike(**vars(each)) for each in found]

    def _specials(self, sizes: ClassSizes) -> Specials:
        table, columns, masked = self.sample.table, self.sample.columns, self.sample.masked
        found = suda.special_uniques(self.engine, table, columns, self.wanted.special, masked)
        by_column: Counter[str] = Counter()
        for names, rows in found.subsets.items():
            by_column.update(dict.fromkeys(names, rows))
        sets = sum(found.subsets.values())
        most = sorted(found.subsets.items(), key=lambda item: (-item[1], item[0]))
        single, pairs = sizes.of_size(1), 2 * sizes.of_size(2)
        likely = single * _RIGHT + pairs * (1 - _RIGHT)
        return Specials(
            largest=min(self.wanted.special, len(columns)),
            rows=found.rows,
            by_columns=[
                SpecialsByColumns(
                    columns=least,
                    rows=rows,
                    average_score=rounded(total / rows),
                    highest_score=highest,
                )
                for least, (rows, total, highest) in sorted(found.least.items())
            ],
            columns=[
                ColumnOfSpecials(column=name, sets=count, share=rounded(count / sets))
                for name, count in by_column.most_common()
            ],
            sets=[SpecialSet(columns=list(names), rows=rows) for names, rows in most[:_SHOWN_SETS]],
            intrusion=rounded(single * _RIGHT / likely) if likely else None,
        )


def _fraction(wanted: RiskSettings, rows: int) -> float | None:
    """Return the share of the population that the source with this number of rows is, if it is
    known."""
    if wanted.population is not None and wanted.fraction is not None:
        raise PolicyError.at(
            "--fraction", "the population's size already gives this.", "Leave out one of the two."
        )
    if wanted.fraction is not None:
        if not 0 < wanted.fraction <= 1:
            raise PolicyError.at(
                "--fraction",
                f"{wanted.fraction:g} is not a share of a population.",
                "Give a number above 0 and at most 1.",
            )
        return wanted.fraction
    if wanted.population is None or not rows:
        return None
    if wanted.population < rows:
        raise PolicyError.at(
            "--population",
            f"a population of {wanted.population:,} is smaller than the table, which has {rows:,}"
            " rows.",
            "Give the size of the population from which the rows were sampled.",
        )
    return rows / wanted.population


def _accepted(text: str) -> Fraction:
    """Return a risk that is accepted; raise PolicyError where it is none."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 < share <= 1:
        raise PolicyError.at(
            "--above", f"{text} is not a risk.", "Give a number or fraction above 0 and at most 1."
        )
    return share


def _above(text: str, histogram: Sequence[tuple[int, int]], total: int) -> AboveThreshold:
    """Return the rows in classes so small that their risk is above an accepted one, exactly: rows
    of classes of 11 have a risk of 1/11, which is above 0.09 and not above 1/11."""
    accepted = _accepted(text)
    rows = sum(size * classes for size, classes in histogram if Fraction(1, size) > accepted)
    share = rounded(rows / total) if total else 0.0
    return AboveThreshold(accepted=float(accepted), rows=rows, share=share)


def _population(sizes: ClassSizes, fraction: float | None) -> PopulationUniques | None:
    if fraction is None or (chosen := population.best(sizes, fraction)) is None:
        return None
    members = sizes.rows / fraction
    named: dict[population.Name, population.Model] = {
        "zayatz": population.zayatz,
        "pitman": population.pitman,
        "snb": population.snb,
    }
    found = {name: model(sizes, fraction) for name, model in named.items()}
    return PopulationUniques(
        size=members,
        fraction=fraction,
        models=[
            PopulationModel(
                model=name,
                uniques=uniques,
                share=None if uniques is None else rounded(uniques / members),
            )
            for name, uniques in found.items()
        ],
        chosen=chosen.model,
        uniques=chosen.uniques,
        share=rounded(chosen.uniques / members),
    )


def _individual(risks: Risks, accepted: float, any_null: bool) -> IndividualRisk:
    return IndividualRisk(
        units=risks.units,
        expected=risks.expected,
        average=rounded(risks.expected / risks.units) if risks.units else 0.0,
        highest=rounded(risks.highest),
        accepted=accepted,
        above=risks.above,
        any_null=any_null,
    )
