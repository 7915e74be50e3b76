"""The stages of a release that follows others: open the ledger, settle the levels, hold rows back,
and go on with the rows that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anonsql.errors import BusyError, PolicyError, PrivacyError, Problem, VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.job import (
    Chosen,
    Counted,
    Following,
    HeldBack,
    Opened,
    Session,
)
from anonsql.jobs.published import published_facts
from anonsql.jobs.scheme import Scheme, meaning
from anonsql.methods.full_domain.method import CLASSES
from anonsql.over_time import traces
from anonsql.over_time.ledger import Book, Entry, Ledger, load_secret
from anonsql.over_time.server_ledger import ServerLedger
from anonsql.over_time.traces import FOLLOWED, Named, Rows, TraceSizes
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.privacy import OverTime
from anonsql.privacy.promise import Promise, promised_facts
from anonsql.star import values
from anonsql.system.numbers import counted
from anonsql.verification import traces as proof
from anonsql.verification.traces import Claim

_WHERE = "privacy.over_time"
MANY = 0.2
"""The share of rows held back from which on a run warns of it."""
_ANEW = "`anonsql ledger POLICY --begin-anew` begins another one: its promise holds from then on."


def open_ledger(session: Session, opened: Opened) -> Following:
    """Open the ledger, settle what a killed run left, and bring its rows to the source's engine.
    Raise PolicyError where ledger and release do not belong together, where the key does not name
    rows, and where the policy promises more than the releases so far have kept."""
    wanted = settings(session)
    key = key_of(opened, wanted)
    _require_named_rows(session, opened, key)
    ledger = ledger_of(session)
    book = settled(session, ledger)
    if not book.entries:
        coded = session.policy.privacy.coded_columns()
        book = replace(book, key=wanted.key, coded=coded)
    problems = _unlike(session, opened, book)
    if problems:
        raise PolicyError(problems)
    load_secret(session.engine, book)
    ledger.bring_rows(session.engine, len(book.coded))
    return Following(ledger, book)


def settings(session: Session) -> OverTime:
    """Return what the policy says of releases over time. Raise PolicyError where it says
    nothing."""
    over_time = session.policy.privacy.over_time
    if over_time is None:
        raise PolicyError.at(_WHERE, "this field is missing.", "Give it a key.")
    return over_time


def key_of(opened: Opened, wanted: OverTime) -> Named:
    """Return the key column."""
    result = next((column for column in opened.columns if column.name == wanted.key), None)
    if result is None:
        text = f"the source has no column {wanted.key!r}."
        raise PolicyError.at(f"{_WHERE}.key", text, "Name the column that names its rows.")
    if result.kind in ("other", "float"):
        text = f"{wanted.key!r} is {result.family}, which names no row for certain."
        raise PolicyError.at(f"{_WHERE}.key", text, "Name a column of numbers, text or dates.")
    return Named(result)


def _require_named_rows(session: Session, opened: Opened, key: Named) -> None:
    without, repeated = traces.key_faults(session.engine, opened.source, key)
    remedy = "Name a column that is another in every row, and stays what it is."
    if without:
        text = f"{counted(without, 'row has', 'rows have')} no value of {key.name!r}."
        raise PolicyError.at(f"{_WHERE}.key", text, remedy)
    if repeated:
        text = f"{repeated:,} rows share their value of {key.name!r} with other rows."
        raise PolicyError.at(f"{_WHERE}.key", text, remedy)


def problems(session: Session, opened: Opened) -> list[Problem]:
    """Return what is wrong with the key, and where the ledger does not fit the policy or the
    published release; change nothing. A ledger that a run holds is not looked at."""
    result: list[Problem] = []
    try:
        _require_named_rows(session, opened, key_of(opened, settings(session)))
    except PolicyError as error:
        result += error.problems
    try:
        book = together(session, present(session), published_facts(session))
    except BusyError:
        return result
    except PolicyError as error:
        return [*result, *error.problems]
    return result + _unlike(session, opened, book)


def settled(session: Session, ledger: Ledger) -> Book:
    """Return the ledger once it is known which of its releases was published, by the random id that
    the published release states; a new one where there is none. Raise PolicyError where ledger and
    release do not belong together."""
    published = published_facts(session)
    book = together(session, ledger.read(), published)
    if book.pending is None:
        return book
    # where no release is there that tells, it is taken for published: somebody may have it
    is_so = published is None or published.get("release") == book.pending.release_id
    ledger.settle(published=is_so)
    return ledger.read() or _new(session, published)


def together(session: Session, book: Book | None, published: Mapping[str, str] | None) -> Book:
    """Return the ledger, a new one where there is none; raise PolicyError where the published
    release, of which the facts are given, is neither its last nor its pending one."""
    if book is None:
        return _new(session, published)
    ids = {entry.release_id for entry in (book.last, book.pending) if entry is not None}
    if published is not None and ids and published.get("release") not in ids:
        raise _foreign(session, published)
    return book


def _new(session: Session, published: Mapping[str, str] | None) -> Book:
    if published is not None and "over_time" in published:
        ledger = f"the published release was made with a ledger that is not in {place(session)}."
        raise PolicyError.at(_WHERE, ledger, f"Put the ledger back. {_ANEW}")
    if published is not None:
        text = "the release that is replaced was made without a ledger: which rows it has is not"
        remedy = "The promise holds from the new release on, which says so."
        session.warnings.append(Problem(_WHERE, f"{text} known.", remedy))
    key, coded = settings(session).key, session.policy.privacy.coded_columns()
    return Book(key, coded, anew=published is not None)


def _foreign(session: Session, published: Mapping[str, str]) -> PolicyError:
    how = "without one"
    if "over_time" in published:
        how = "with another one, or with an older or newer state of it"
    text = (
        f"the published release is not the last of the ledger in {place(session)}: it was made"
        f" {how}."
    )
    remedy = "Put back the ledger and the release that belong together."
    return PolicyError.at(_WHERE, text, f"{remedy} {_ANEW}")


def ledger_of(session: Session) -> Ledger:
    """Return the ledger of the policy's release: beside it on a server that keeps tables in
    private, else in the catalog."""
    private = session.target.private(session.policy.release.name)
    if private is None:
        return session.catalog.ledger(session.context.workspace)
    return ServerLedger(private, session.engine)


def present(session: Session) -> Book | None:
    """Return the ledger of the policy's release as it is, where the session may have a catalog of
    its own; None where there is none. Raise BusyError while a run holds it."""
    private = session.target.private(session.policy.release.name)
    if private is not None:
        return ServerLedger(private, session.engine).read()
    with Catalog.reading(session.places.catalog, session.context.journal) as catalog:
        return None if catalog is None else catalog.ledger(session.context.workspace).read()


def place(session: Session) -> str:
    """Return in words where the ledger is kept."""
    private = session.target.private(session.policy.release.name)
    return f"the catalog {session.places.catalog}" if private is None else private.place


def _unlike(session: Session, opened: Opened, book: Book) -> list[Problem]:
    wanted, last, privacy = settings(session), book.last, session.policy.privacy
    if book.key != wanted.key:
        words = f"the ledger knows rows by {book.key!r}, the policy by {wanted.key!r}."
        return [Problem(f"{_WHERE}.key", words, f"Name the same column. {_ANEW}")]
    if last is None:
        return []
    if privacy.k > last.k:
        words = f"the releases so far were made for k={last.k}, which cannot become {privacy.k}."
        return [Problem("privacy.k", words, f"Set it to {last.k}. {_ANEW}")]
    now, then = _promises(session) or "k alone", last.promises or "k alone"
    if now != then or tuple(book.coded) != tuple(privacy.coded_columns()):
        words = f"the releases so far promise {then}, the policy {now}, in this order."
        return [Problem(_WHERE, words, f"Promise the same. {_ANEW}")]
    if wanted.deletions == "protect" and last.exposed:
        words = f"earlier releases made with `tell` exposed {counted(last.exposed, 'row')}."
        return [Problem(f"{_WHERE}.deletions", words, f"Set it to tell. {_ANEW}")]
    if privacy.k < last.k:
        text = f"the releases so far were made for k={last.k}: from now on it is {privacy.k}."
        session.warnings.append(Problem("privacy.k", text, f"Set it to {last.k} again."))
    return _unlike_columns(session, opened, book)


def _unlike_columns(session: Session, opened: Opened, book: Book) -> list[Problem]:
    """Return where columns are what they were not in a release so far: a key of another type, which
    names other rows; and a column that is generalized in one release and shown in another, which
    tells its values to whoever has both."""
    now, problems = _described(session, opened), []
    for entry in book.entries:
        kind = entry.columns[book.key][1]
        if now[book.key][1] != kind:
            text = f"{book.key!r} was of another type in release {entry.number} ({kind})."
            problems.append(Problem(f"{_WHERE}.key", text, f"Cast it in a view. {_ANEW}"))
        for name, (role, _) in now.items():
            before = entry.columns.get(name, (role,))[0]
            if {before, role} & set(GENERALIZED) and {before, role} & set(KEPT):
                text = f"the role was {before} in release {entry.number}, and is {role}:"
                text += " both releases together show its values."
                problems.append(Problem(f"columns.{name}.role", text, f"Leave it so. {_ANEW}"))
        if problems:
            break
    return problems


def _described(session: Session, opened: Opened) -> dict[str, tuple[str, str]]:
    roles = session.policy.columns
    return {column.name: (roles[column.name].role, column.kind) for column in opened.columns}


def _recorded(
    session: Session, opened: Opened, attributes: Sequence[Attribute], levels: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    meanings = {
        attribute.name: (meaning(session.policy, attribute, levels[attribute.name]),)
        for attribute in attributes
        if attribute.name in levels
    }
    described = _described(session, opened)
    return {name: (*what, *meanings.get(name, ())) for name, what in described.items()}


def _promises(session: Session) -> str:
    facts = promised_facts(session.policy.privacy)
    return "; ".join(f"{name} {what}" for name, what in facts.items())


def hold_back(
    session: Session,
    opened: Opened,
    counted: Counted,
    following: Following,
    published: Scheme | None,
) -> HeldBack:
    """Decide which rows are held back at the levels of the ``published`` scheme; without one, at
    the highest levels that may be released: rows that groups can be made of."""
    wanted = settings(session)
    promise = Promise.of(session.policy.privacy, counted.coded)
    levels = {
        attribute.index: attribute.max_level
        if published is None
        else published.levels[attribute.name]
        for attribute in counted.attributes
    }
    key = key_of(opened, wanted)
    rows = Rows(opened.source, key, counted.attributes, levels, counted.coded, promise)
    traces.follow(session.engine, rows)
    sizes = traces.hold_back(session.engine, rows, protect=wanted.deletions == "protect")
    _warn(session, require_some(session, following, sizes))
    return HeldBack(following, rows, sizes)


def _warn(session: Session, sizes: TraceSizes) -> None:
    rows = sizes.released + sizes.held_back
    if sizes.held_back > MANY * rows:
        text = (
            f"{sizes.held_back:,} of {rows:,} rows are held back: too few were released alike so"
            " far, or went or changed."
        )
        remedy = "Release less often, or after larger changes: see `anonsql guide over-time`."
        session.warnings.append(Problem(_WHERE, text, remedy))
    if sizes.exposed:
        text = f"{traces.missing_here(sizes.exposed, session.policy.privacy.k)}."
        remedy = "`deletions: protect` holds rows back instead."
        session.warnings.append(Problem(f"{_WHERE}.deletions", text, remedy))


def require_some(session: Session, following: Following, sizes: TraceSizes) -> TraceSizes:
    """Return the sizes; raise PrivacyError where no row can be released, or none of the ledger's is
    in the source."""
    before = following.book.last
    if before is not None and before.released and sizes.gone and not sizes.known:
        raise PrivacyError(
            f"None of the {sizes.gone:,} rows that were released before is in the source: it is"
            " another table, or its keys were given anew, and together with the earlier releases"
            f" nothing can be promised. {_ANEW}"
        )
    if not sizes.released:
        other = f", or set {_WHERE}.levels to search" if session.policy.method.leveled else ""
        raise PrivacyError(
            f"All {sizes.held_back:,} rows of the source would be held back: none is among"
            f" k={session.policy.privacy.k} that were released alike so far. Wait for more"
            f" rows{other}."
        )
    return sizes


def follow_source(session: Session, opened: Opened, held_back: HeldBack) -> Opened:
    """Go on with the rows that are not held back."""
    return replace(opened, source=(FOLLOWED,))


def count_again(session: Session, opened: Opened, counted: Counted) -> Counted:
    """Count the combinations of the rows that are left; dimension tables stay as they are."""
    coded = [*counted.coded, *counted.within]
    engine, shared = session.engine, {"coded": coded, "population": ()}
    for table in ("combinations", "cells", "steps"):
        engine.drop(table)
    for column in coded:
        engine.drop(f"values_{column.index}")
        engine.drop(f"groups_{column.index}")
    parameters = {"attributes": counted.attributes, **shared}
    engine.run("star/combinations", source=opened.source, **parameters)
    rows, combinations, *_ = engine.query("star/totals", **parameters)[0]
    values.build(engine, coded)
    return replace(counted, rows=rows, combinations=combinations)


def state_facts(session: Session, chosen: Chosen, held_back: HeldBack) -> Chosen:
    """Let the release state what it promises over time."""
    wanted, book = settings(session), held_back.following.book
    stated = {
        "over_time": f"release {book.coming}{', begun anew' if book.anew else ''}",
        "held_back": held_back.sizes.held_back,
        **({"exposed": held_back.sizes.exposed} if wanted.deletions == "tell" else {}),
    }
    return replace(chosen, facts={**chosen.facts, **stated})


def prove(session: Session, opened: Opened, chosen: Chosen, held_back: HeldBack) -> None:
    """Raise VerificationError where all releases together do not keep the promise."""
    rows, protect = held_back.rows, settings(session).deletions == "protect"
    claim = Claim(
        rows.source,
        opened.source,
        rows.key,
        rows.attributes,
        rows.levels if session.policy.method.leveled else None,
        rows.coded,
        rows.promise,
        protect,
        chosen.recoding.within,
    )
    if offences := proof.offences(session.engine, claim):
        raise VerificationError(offences)


def announce(session: Session, opened: Opened, held_back: HeldBack, levels: dict[str, int]) -> None:
    """Write to the ledger what it will be when the staged release is published."""
    sizes, following = held_back.sizes, held_back.following
    entry = Entry(
        following.book.coming,
        session.release_id,
        session.run,
        session.policy.privacy.k,
        _promises(session),
        levels,
        _recorded(session, opened, held_back.rows.attributes, levels),
        sizes.released,
        sizes.held_back,
        sizes.gone,
        sizes.exposed,
        sizes.smallest,
    )
    following.ledger.announce(session.engine, following.book, entry)


def failing_classes(session: Session, chosen: Chosen) -> list[tuple[int, ...]]:
    """Return the classes that do not keep the promise, by the codes of their attributes."""
    attributes: Sequence[Attribute] = chosen.recoding.attributes
    return session.engine.query("over_time/failing", table=CLASSES, attributes=attributes)
