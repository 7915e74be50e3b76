"""The ledger of a release that follows others: open it, hold policy, source and release against it,
and write to it what is about to be published. A series ends where a release that promises nothing
over time replaces its last one, as if there had been none before: a policy must not do that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonsql.engines.base import PlainColumn
from anonsql.errors import BusyError, InvariantError, PolicyError, Problem, VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import Following, HeldBack, Job, Opened
from anonsql.jobs.published_files import published_facts
from anonsql.jobs.scheme import meaning
from anonsql.over_time import traces
from anonsql.over_time.ledger import Book, Entry, Ledger, load_secret
from anonsql.over_time.server_ledger import ServerLedger
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.privacy import OverTime
from anonsql.privacy.promise import promised_facts
from anonsql.system.numbers import counted
from anonsql.verification import traces as proof
from anonsql.verification.traces import Claim

WHERE = "privacy.over_time"
_FACT = "over_time"
ANEW = (
    "To begin a new ledger, run `anonsql ledger POLICY --begin-anew`: the promise holds from"
    " then on."
)


def open_ledger(job: Job) -> None:
    """Open the ledger, settle what a killed run left, and bring its rows to the source's engine.
    Raise PolicyError where ledger and release do not belong together, where the key does not name
    rows, and where the policy promises more than the releases so far have kept."""
    wanted = settings(job)
    _require_named_rows(job, key_of(job.opened, wanted))
    ledger = ledger_of(job)
    book = settled(job, ledger)
    if not book.entries:
        coded = job.policy.privacy.coded_columns()
        book = replace(book, key=wanted.key, coded=coded)
    if problems := _unlike(job, book):
        raise PolicyError(problems)
    load_secret(job.engine, book)
    ledger.bring_rows(job.engine, len(book.coded))
    job.following = Following(ledger, book)


def following_of(job: Job) -> Following:
    """Return the ledger that the job follows; raise InvariantError where none was opened."""
    if job.following is None:
        raise InvariantError("no ledger was opened")
    return job.following


def settings(job: Job) -> OverTime:
    """Return the policy's settings of releases over time; raise PolicyError without any."""
    over_time = job.policy.privacy.over_time
    if over_time is None:
        raise PolicyError.at(WHERE, "this field is missing.", "Name a key column.")
    return over_time


def key_of(opened: Opened, wanted: OverTime) -> PlainColumn:
    """Return the key column."""
    result = next((column for column in opened.columns if column.name == wanted.key), None)
    if result is None:
        text = f"the source has no column {wanted.key!r}."
        raise PolicyError.at(f"{WHERE}.key", text, "Name the column that identifies its rows.")
    if result.kind in ("other", "float"):
        text = f"{wanted.key!r} is {result.family}, which does not identify rows reliably."
        raise PolicyError.at(f"{WHERE}.key", text, "Name a column of numbers, text or dates.")
    return PlainColumn(result)


def _require_named_rows(job: Job, key: PlainColumn) -> None:
    without, repeated = traces.key_faults(job.engine, job.opened.source, key)
    remedy = "Name a column with a different value in every row that never changes."
    if without:
        text = f"{counted(without, 'row has', 'rows have')} no value in {key.name!r}."
        raise PolicyError.at(f"{WHERE}.key", text, remedy)
    if repeated:
        text = f"{repeated:,} rows have the same value in {key.name!r} as other rows."
        raise PolicyError.at(f"{WHERE}.key", text, remedy)


def problems(job: Job) -> list[Problem]:
    """Return what is wrong with the key, and where the ledger does not fit the policy or the
    published release; change nothing. A ledger that a run holds is not looked at."""
    result: list[Problem] = []
    try:
        _require_named_rows(job, key_of(job.opened, settings(job)))
    except PolicyError as error:
        result += error.problems
    try:
        book = together(job, present(job), published_facts(job))
    except BusyError:
        return result
    except PolicyError as error:
        return [*result, *error.problems]
    return result + _unlike(job, book)


def settled(job: Job, ledger: Ledger) -> Book:
    """Return the ledger once it is known which of its releases was published, by the random id that
    the published release states; a new one where there is none. Raise PolicyError where ledger and
    release do not belong together."""
    published = published_facts(job)
    book = together(job, ledger.read(), published)
    if book.pending is None:
        return book
    # if no release is there to show it, it is taken for published: a recipient may have it
    is_so = published is None or published.get("release") == book.pending.release_id
    ledger.settle(published=is_so)
    return ledger.read() or _new(job, published)


def together(job: Job, book: Book | None, published: Mapping[str, str] | None) -> Book:
    """Return the ledger, a new one where there is none; raise PolicyError where the published
    release, given by its facts, is neither its last nor its pending one."""
    if book is None:
        return _new(job, published)
    ids = {entry.release_id for entry in (book.last, book.pending) if entry is not None}
    if published is not None and ids and published.get("release") not in ids:
        raise _foreign(job, published)
    return book


def _new(job: Job, published: Mapping[str, str] | None) -> Book:
    if published is not None and "over_time" in published:
        ledger = f"the published release was made with a ledger that is not in {place(job)}."
        raise PolicyError.at(WHERE, ledger, f"Put the ledger back. {ANEW}")
    if published is not None:
        text = "the release that will be replaced was made without a ledger, so the ledger does"
        remedy = "The promise holds from the new release on, and the release says so."
        job.warnings.append(Problem(WHERE, f"{text} not know its rows.", remedy))
    key, coded = settings(job).key, job.policy.privacy.coded_columns()
    return Book(key, coded, anew=published is not None)


def _foreign(job: Job, published: Mapping[str, str]) -> PolicyError:
    how = "without one"
    if "over_time" in published:
        how = "with another ledger, or with an older or newer state of this one"
    text = (
        f"the published release is not the last one of the ledger in {place(job)}: it was made"
        f" {how}."
    )
    remedy = "Restore the ledger and the release that belong together."
    return PolicyError.at(WHERE, text, f"{remedy} {ANEW}")


def ledger_of(job: Job) -> Ledger:
    """Return the release's ledger: on the server that keeps it in private, or the catalog's."""
    private = job.target.private(job.first.release.name)
    if private is None:
        return job.catalog.ledger(job.context.workspace)
    return ServerLedger(private, job.engine)


def present(job: Job) -> Book | None:
    """Return the ledger of the policy's release as it is, where the session may have a catalog of
    its own; None where there is none. Raise BusyError while a run holds it."""
    private = job.target.private(job.first.release.name)
    if private is not None:
        return ServerLedger(private, job.engine).read()
    with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
        return None if catalog is None else catalog.ledger(job.context.workspace).read()


def place(job: Job) -> str:
    """Return in words where the ledger is kept."""
    private = job.target.private(job.first.release.name)
    return f"the catalog {job.places.catalog}" if private is None else private.place


def _unlike(job: Job, book: Book) -> list[Problem]:
    wanted, last, privacy = settings(job), book.last, job.policy.privacy
    if book.key != wanted.key:
        words = f"the ledger identifies rows by {book.key!r}, the policy by {wanted.key!r}."
        return [Problem(f"{WHERE}.key", words, f"Name the same column. {ANEW}")]
    if last is None:
        return []
    if privacy.k > last.k:
        words = f"earlier releases were made for k={last.k}, which cannot be raised to {privacy.k}."
        return [Problem("privacy.k", words, f"Set it to {last.k}. {ANEW}")]
    now, then = _promises(job) or "k alone", last.promises or "k alone"
    if now != then or tuple(book.coded) != tuple(privacy.coded_columns()):
        words = (
            f"earlier releases promise {then}, and the policy promises {now}. Both must be the same,"
            " in the same order."
        )
        return [Problem(WHERE, words, f"Use the earlier promise. {ANEW}")]
    if wanted.deletions == "protect" and last.exposed:
        words = f"earlier releases made with `tell` exposed {counted(last.exposed, 'row')}."
        return [Problem(f"{WHERE}.deletions", words, f"Set it to tell. {ANEW}")]
    if privacy.k < last.k:
        text = f"earlier releases were made for k={last.k}; from now on k={privacy.k} is promised."
        job.warnings.append(Problem("privacy.k", text, f"Set it to {last.k} again."))
    return _unlike_columns(job, book)


def _unlike_columns(job: Job, book: Book) -> list[Problem]:
    """Return where columns changed since an earlier release: a key of another type, which names
    other rows; and a column that is generalized in one release and shown in another, which reveals
    its values to a reader of both."""
    now, problems = _described(job), []
    for entry in book.entries:
        kind = entry.columns[book.key][1]
        if now[book.key][1] != kind:
            text = f"{book.key!r} had another type in release {entry.number} ({kind})."
            problems.append(Problem(f"{WHERE}.key", text, f"Cast it in a view. {ANEW}"))
        for name, (role, _) in now.items():
            before = entry.columns.get(name, (role,))[0]
            if {before, role} & set(GENERALIZED) and {before, role} & set(KEPT):
                text = f"the role was {before} in release {entry.number}, and is {role} now:"
                text += " a reader of both releases sees the values."
                problems.append(
                    Problem(f"columns.{name}.role", text, f"Restore the earlier role. {ANEW}")
                )
        if problems:
            break
    return problems


def _described(job: Job) -> dict[str, tuple[str, str]]:
    roles = job.policy.columns
    return {column.name: (roles[column.name].role, column.kind) for column in job.opened.columns}


def _recorded(
    job: Job, attributes: Sequence[Attribute], levels: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    meanings = {
        attribute.name: (meaning(job.policy, attribute, levels[attribute.name]),)
        for attribute in attributes
        if attribute.name in levels
    }
    return {name: (*what, *meanings.get(name, ())) for name, what in _described(job).items()}


def _promises(job: Job) -> str:
    facts = promised_facts(job.policy.privacy)
    return "; ".join(f"{name} {what}" for name, what in facts.items())


def prove(job: Job, held_back: HeldBack) -> None:
    """Raise VerificationError where all releases together do not keep the promise."""
    rows, protect = held_back.rows, settings(job).deletions == "protect"
    claim = Claim(
        rows.source,
        job.opened.source,
        rows.key,
        rows.attributes,
        rows.levels if job.policy.method.leveled else None,
        rows.coded,
        rows.promise,
        protect,
        job.chosen.recoding.within,
    )
    if offences := proof.offences(job.engine, claim):
        raise VerificationError(offences)


def announce(job: Job, held_back: HeldBack, levels: dict[str, int]) -> None:
    """Write the ledger's coming state, for when the staged release is published."""
    sizes, following = held_back.sizes, held_back.following
    entry = Entry(
        following.book.coming,
        job.release_id,
        job.run,
        job.policy.privacy.k,
        _promises(job),
        levels,
        _recorded(job, held_back.rows.attributes, levels),
        sizes.released,
        sizes.held_back,
        sizes.gone,
        sizes.exposed,
        sizes.smallest,
    )
    following.ledger.announce(job.engine, following.book, entry)


def require_ended(job: Job) -> None:
    """Raise PolicyError where a release without a promise over time would end a series."""
    if job.follows_others:
        return
    published = published_facts(job)
    if published is not None and _FACT not in published:
        return
    book = _ledger(job)
    if not goes_on(job, published, book):
        return
    last = book.last if book is not None else None
    which = f"release {last.number}" if last is not None else (published or {}).get(_FACT, "one")
    text = (
        f"the releases so far keep their promise together, the last one as {which} of a series,"
        " but the policy has no `over_time`: readers of both releases could distinguish rows that"
        " were added or removed."
    )
    remedy = "Restore `over_time`; or end the series: `anonsql ledger POLICY --end`."
    raise PolicyError([Problem(WHERE, text, remedy)])


def goes_on(job: Job, published: Mapping[str, str] | None, book: Book | None) -> bool:
    """Return whether a series is neither ended nor begun anew: the ``published`` release, by its
    facts, is of a series whose ledger is lost or has releases; or the ledger has this release, and
    it is not there any more."""
    if published is not None:
        return _FACT in published and (book is None or bool(book.entries))
    return book is not None and bool(book.entries) and _is_of_release(job, book)


def _ledger(job: Job) -> Book | None:
    try:
        return ledger_of(job).read() if job.run else present(job)
    except (PolicyError, BusyError):
        return None


def _is_of_release(job: Job, book: Book) -> bool:
    """A catalog has one ledger, which may be that of other releases."""
    if job.target.private(job.first.release.name) is not None:
        return True
    name = f"{job.places.release} {job.first.release.name}"
    return any(name in run for run in _runs(job, book.entries[-1].run))


def _runs(job: Job, number: int) -> list[tuple[Any, ...]]:
    if job.run:
        return job.catalog.runs(number)
    with Catalog.reading(job.places.catalog, job.context.journal) as catalog:
        return [] if catalog is None else catalog.runs(number)
