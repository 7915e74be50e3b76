"""The commands as Python functions: run, search, verify, compare, advise. (``check`` has a module
of its own.) What only some commands need is imported by these, so that a small job starts at
once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonsql.features.run import unchanged
from anonsql.policy import given as policies
from anonsql.policy.given import AnyGiven
from anonsql.policy.policy import Given, Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.sql.dialects import Dialect
from anonsql.system.clock import Progress, silent

if TYPE_CHECKING:
    from anonsql.features.advise.document import AdviceLine, AdviceReport
    from anonsql.features.anonymize.command import Release
    from anonsql.features.compare.document import CompareReport
    from anonsql.features.compile.document import CompileReport
    from anonsql.features.ledger.document import LedgerReport
    from anonsql.features.query.document import QueryReport
    from anonsql.features.run.document import Report
    from anonsql.features.run.several_tables_document import (
        RelationalReport,
        RelationalSearchReport,
        RelationalVerifyReport,
    )
    from anonsql.features.search.document import SearchReport
    from anonsql.features.verify.document import VerificationSql, VerifyReport


def run(
    policy: AnyGiven,
    *,
    if_changed: bool = False,
    dry_run: bool = False,
    progress: Progress = silent,
    show_values: bool = False,
) -> Report | RelationalReport:
    """Run the whole job: search, choose, stage, verify, publish. Raise an AnonsqlError when
    anything fails; the previous release stays as it was then.

    With ``if_changed`` nothing is done, and the report's status is "unchanged", when the source,
    the hierarchies and the policy are what the published release was made from, and that release
    still passes verification. With ``dry_run`` everything is done but publishing: the staged
    release is proved and thrown away, and nothing is made, locked or recorded where the release
    would go.
    """
    given = policies.of(policy)
    if if_changed and not dry_run and (report := unchanged.report(given)) is not None:
        return report
    if isinstance(given, RelationalPolicy):
        from anonsql.features.run import several_tables as relational

        return relational.run(
            given,
            if_changed=if_changed,
            dry_run=dry_run,
            progress=progress,
            show_values=show_values,
        )
    from anonsql.features.run.command import run_job

    return run_job(
        given, if_changed=if_changed, dry_run=dry_run, progress=progress, show_values=show_values
    )


def apply(
    policy: Given, levels_of: str | int, *, progress: Progress = silent, show_values: bool = False
) -> Report:
    """Recode the policy's source with the levels that were published before: by a run of the
    catalog (its number), or in a release (its file or folder, or its table on the server). Rows
    that would break k are quarantined: left out and counted. Raise PolicyError when the hierarchies
    miss values or are not those of the scheme."""
    from anonsql.features.apply.command import apply_scheme

    return apply_scheme(policy, str(levels_of), progress, show_values)


def compile(
    policy: Given,
    dialect: Dialect,
    folder: str | Path,
    *,
    levels_of: str | int | None = None,
    source: str | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> CompileReport:
    """Write the recoding as plain SQL files, for the best generalization of the policy's source or
    the one of ``levels_of`` (see :func:`apply`). ``source`` is the table's name where the files
    will run."""
    from anonsql.features.apply.command import compile_scheme

    return compile_scheme(
        policy,
        dialect,
        Path(folder),
        levels_of=None if levels_of is None else str(levels_of),
        source=source,
        progress=progress,
        show_values=show_values,
    )


def ledger(policy: Given, *, begin_anew: bool = False, end: bool = False) -> LedgerReport:
    """Return what the ledger of a policy's releases over time says of each of them. With
    ``begin_anew`` forget it first, and begin another one: the promise holds from the next release
    on, which says so. With ``end`` forget it, and let policies without ``over_time`` follow. Raise
    PolicyError where the policy has no ``over_time`` (which ``end`` does not need) or there is no
    ledger, BusyError while a run holds it."""
    from anonsql.features.ledger import command

    return command.ledger(Policy.of(policy), begin_anew=begin_anew, end=end)


def search(
    policy: AnyGiven,
    *,
    explain: bool = False,
    html: str | Path | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> SearchReport | RelationalSearchReport:
    """Find and measure every satisfying generalization; with ``explain`` also report how the search
    went. Publish nothing. ``html`` is a file to write a page to, for its owner alone, that shows
    them; it holds counts and labels of the source."""
    from anonsql.features.search.command import search_lattice

    given = policies.of(policy)
    if isinstance(given, RelationalPolicy):
        from anonsql.features.run import several_tables as relational

        relational.require_plain(explain=explain, html=html)
        return relational.search(given, progress=progress, show_values=show_values)
    return search_lattice(
        given, explain=explain, html=html, progress=progress, show_values=show_values
    )


def compare(
    policies: Sequence[Given],
    *,
    queries: int = 1000,
    html: str | Path | None = None,
    progress: Progress = silent,
    show_values: bool = False,
) -> CompareReport:
    """Compare several policies on one source, side by side: each is run up to the verification of
    its staged release, which is measured (by as many random COUNT ``queries``, the same for all)
    and thrown away. Nothing is published or recorded. A policy whose promise cannot be kept, or
    that does not fit the data, gets a line that says so. Raise PolicyError, before anything is run,
    for policies that are wrong by themselves, named twice, or of different sources; BusyError when
    the source cannot be reached. ``html`` is a file to write a page to that shows the figures, and
    those of further queries, for whoever may see the source."""
    from anonsql.features.compare.command import compare_policies

    return compare_policies(
        policies, queries=queries, html=html, progress=progress, show_values=show_values
    )


def advise(
    policy: Given,
    *,
    ks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    budget: float = 300.0,
    queries: int = 1000,
    progress: Progress = silent,
    done: Callable[[AdviceLine, str], None] | None = None,
    show_values: bool = False,
) -> AdviceReport:
    """Try methods and numbers k on a policy's source, each as :func:`compare` does, and recommend
    one. Nothing is published or recorded.

    Where they are not given, ``methods`` are the policy's own and one of each kind, ``ks`` the
    policy's k, half of it and twice it. All choices together take ``budget`` seconds, of which each
    may take an equal share of what is left; one that takes longer is given up, and its line says
    so. ``done`` is called with every line as soon as there is one, and with how far the choices are
    ("4 of 15, about 3 minutes left"). Ctrl-C ends the trials and keeps what is done. Raise
    PolicyError for a policy that is wrong by itself or an unknown method, BusyError when the source
    cannot be reached."""
    from anonsql.features.advise.command import advise_on

    return advise_on(
        policy,
        ks=ks,
        methods=methods,
        budget=budget,
        queries=queries,
        progress=progress,
        done=done,
        show_values=show_values,
    )


def verify(
    policy: AnyGiven,
    *,
    against_source: bool = False,
    with_releases: Sequence[object] = (),
    progress: Progress = silent,
) -> VerifyReport | RelationalVerifyReport:
    """Check what is published by nothing but itself and the policy, and, with ``against_source``,
    by which of the source's rows each released row may be (see
    :mod:`anonsql.verification.attack.judge`): that judges classes smaller than k as well. Raise
    VerificationError when it falls short, PolicyError when there is no release, or no source to
    compare it with.

    ``with_releases`` are other releases of the same source, each given as to :func:`query`: what is
    published and these together must not leave anybody among fewer than k rows of the source,
    either. What that assumes, :mod:`anonsql.verification.attack.together` says."""
    from anonsql.features.verify.command import verify_release

    given = policies.of(policy)
    if isinstance(given, RelationalPolicy):
        from anonsql.features.run import several_tables as relational
        from anonsql.features.verify import several_tables as relational_verify

        relational.require_plain(with_=with_releases)
        return relational_verify.verify(given, against_source=against_source, progress=progress)
    return verify_release(
        given,
        against_source=against_source,
        with_releases=with_releases,
        progress=progress,
    )


def anonymize(
    table: object, policy: Given, *, progress: Progress = silent, show_values: bool = False
) -> Release:
    """Anonymize a data frame of pandas or Polars, an Arrow table or a relation of DuckDB, and
    publish nothing: the whole job runs in a private folder that is removed at the end, and what it
    proved is in memory. A policy for frames names neither source nor release; where one does, the
    frame takes the source's place. The index of a pandas frame is no column. Raise PolicyError for
    a frame that is no table, and whatever :func:`run` raises."""
    from anonsql.features.anonymize.command import anonymize as anonymize_frame

    return anonymize_frame(table, policy, progress=progress, show_values=show_values)


def init(table: object) -> str:
    """Propose a policy for a data frame of pandas or Polars, an Arrow table or a relation of
    DuckDB, from types, counts and column names, as the command ``init`` does for a table; return it
    as commented YAML, which holds no value of the frame. Its owner finishes it: columns that
    nothing tells of have no role yet. Raise PolicyError for a frame that is no table, or has no
    rows."""
    from anonsql.features.init.command import of_frame

    return of_frame(table)


def verification_sql(policy: Given, dialect: Dialect | None = None) -> VerificationSql:
    """Return the promises of a policy as plain statements that anybody can run on its published
    release, in any client: no row means that a promise holds. They are written in the ``dialect``,
    that of the release's database where none is named. Raise PolicyError when there is no
    release."""
    from anonsql.features.verify import command as verifying

    return verifying.verification_sql(Policy.of(policy), dialect)


def query(release: object, sql: str) -> QueryReport:
    """Answer ``SELECT COUNT(*), SUM(a), AVG(b) FROM released_table WHERE …`` about the original
    columns from a release.

    ``release`` is a DuckDB file, a Parquet file or folder, a CSV file, a URL of PostgreSQL or Spark
    (text or path), or a policy (a file that ends in .yaml or .yml, or a Policy), whose hierarchies
    then tell what labels stand for. Raise PolicyError for a query that cannot be answered, naming
    the part that cannot, and where there is no such release.
    """
    from anonsql.features.query import command  # with sqlglot, which takes long to load

    return command.query(release, sql)
