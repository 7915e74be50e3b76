"""The stages of a release that follows others: open the ledger, settle the levels, hold rows back,
and go on with the rows that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonsql.errors import PolicyError, PrivacyError, Problem, VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import (
    Chosen,
    Counted,
    Following,
    HeldBack,
    Opened,
    Session,
)
from anonsql.jobs.scheme import Scheme
from anonsql.methods.full_domain.method import CLASSES
from anonsql.over_time import traces
from anonsql.over_time.ledger import Book, Entry, Ledger, load_secret
from anonsql.over_time.server_ledger import ServerLedger
from anonsql.over_time.traces import FOLLOWED, Named, Rows, Sizes
from anonsql.policy.privacy import OverTime
from anonsql.star import models, values
from anonsql.star.models import Promise
from anonsql.verification import traces as proof
from anonsql.verification.facts import facts_of
from anonsql.verification.traces import Claim

_WHERE = "privacy.over_time"
_ANEW = "`anonsql ledger POLICY --begin-anew` begins another one: its promise holds from then on."


def open_ledger(session: Session, opened: Opened) -> Following:
    """Open the ledger, settle what a killed run left, and bring its rows to the source's engine.
    Raise PolicyError where ledger and release do not belong together, where the key does not name
    rows, and where the policy promises more than the releases so far have kept."""
    wanted = settings(session)
    key = key_of(opened, wanted)
    _require_named_rows(session, opened, key)
    ledger = ledger_of(session)
    coded = session.policy.privacy.coded_columns()
    book = settled(session, ledger) or Book(wanted.key, coded)
    problems = _unlike(session, book)
    if problems:
        raise PolicyError(problems)
    load_secret(session.engine, book)
    ledger.bring_rows(session.engine, len(book.coded))
    return Following(ledger, book)


def settings(session: Session) -> OverTime:
    """Return what the policy says of releases over time. Raise PolicyError where it says
    nothing."""
    found = session.policy.privacy.over_time
    if found is None:
        raise PolicyError.at(_WHERE, "this field is missing.", "Give it a key.")
    return found


def key_of(opened: Opened, wanted: OverTime) -> Named:
    """Return the key column."""
    found = next((each for each in opened.columns if each.name == wanted.key), None)
    if found is None:
        text = f"the source has no column {wanted.key!r}."
        raise PolicyError.at(f"{_WHERE}.key", text, "Name the column that names its rows.")
    if found.kind in ("other", "float"):
        text = f"{wanted.key!r} is {found.family}, which names no row for certain."
        raise PolicyError.at(f"{_WHERE}.key", text, "Name a column of numbers, text or dates.")
    return Named(found)


def _require_named_rows(session: Session, opened: Opened, key: Named) -> None:
    """Raise PolicyError where rows have no key, or one that other rows have, too."""
    without, repeated = traces.key_faults(session.engine, opened.source, key)
    remedy = "Name a column that is another in every row, or number the rows in a view."
    if without:
        found = f"{without:,} rows have no value of {key.name!r}."
        raise PolicyError.at(f"{_WHERE}.key", found, remedy)
    if repeated:
        found = f"{repeated:,} rows have a value of {key.name!r} that other rows have, too."
        raise PolicyError.at(f"{_WHERE}.key", found, remedy)


def settled(session: Session, ledger: Ledger) -> Book | None:
    """Return the ledger once it is known which of its releases was published, by the random id that
    the published release states; None where there is none. Raise PolicyError where ledger and
    release do not belong together."""
    book, published = ledger.read(), _published(session)
    if book is None:
        if published is not None and "over_time" in published:
            found = f"the release was made with a ledger, which is not in {_kept(session)}."
            raise PolicyError.at(_WHERE, found, f"Put it back. {_ANEW}")
        if published is not None:
            text = "the release that is published was made without a ledger, and is not counted in."
            session.warnings.append(
                Problem(_WHERE, text, "The promise holds from this release on.")
            )
        return None
    release_id = None if published is None else published.get("release")
    pending = book.pending
    if pending is not None and release_id == pending.release_id:
        ledger.settle(published=True)
        return ledger.read()
    if published is not None and book.entries and release_id != _last_id(book):
        made = "without a ledger" if "over_time" not in published else "with another ledger, or"
        found = (
            f"the published release was made {made}"
            f"{'' if made == 'without a ledger' else ' an older or a newer state of this one'}:"
            " which rows it has is not known."
        )
        remedy = f"Put the ledger ({_kept(session)}) and the release back that belong together."
        raise PolicyError.at(_WHERE, found, f"{remedy} {_ANEW}")
    if pending is not None:
        ledger.settle(published=False)
        return ledger.read()
    return book


def _last_id(book: Book) -> str | None:
    return None if book.last is None else book.last.release_id


def ledger_of(session: Session) -> Ledger:
    """Return the ledger of the policy's release: beside it on a server that keeps tables in
    private, else in the catalog."""
    private = session.target.private(session.policy.release.name)
    if private is None:
        return session.catalog.ledger(session.context.workspace)
    return ServerLedger(private, session.engine)


def _kept(session: Session) -> str:
    """Return in words where the ledger is kept."""
    return ledger_of(session).place


def _published(session: Session) -> dict[str, str] | None:
    """Return the facts of the published release; None where there is none."""
    try:
        with session.target.published() as release:
            return facts_of(release)
    except (PolicyError, VerificationError):
        return None


def _unlike(session: Session, book: Book) -> list[Problem]:
    """Return where the policy promises something else than the releases so far."""
    wanted, last, privacy = settings(session), book.last, session.policy.privacy
    if book.key != wanted.key:
        found = f"the ledger knows rows by {book.key!r}, the policy by {wanted.key!r}."
        return [Problem(f"{_WHERE}.key", found, f"Name the same column. {_ANEW}")]
    if last is None:
        return []
    if privacy.k > last.k:
        found = f"the releases so far were made for k={last.k}, which cannot become {privacy.k}."
        return [Problem("privacy.k", found, f"Set it to {last.k}. {_ANEW}")]
    if _promises(session) != last.promises or tuple(book.coded) != tuple(privacy.coded_columns()):
        now, then = _promises(session) or "k alone", last.promises or "k alone"
        found = f"the releases so far promise {then}, the policy {now}."
        return [Problem(_WHERE, found, f"Promise the same. {_ANEW}")]
    if privacy.k < last.k:
        text = f"the releases so far were made for k={last.k}: from now on it is {privacy.k}."
        session.warnings.append(Problem("privacy.k", text, f"Set it to {last.k} again."))
    return []


def _promises(session: Session) -> str:
    """Return the promises besides k in words."""
    facts = models.promised_facts(session.policy.privacy)
    return "; ".join(f"{name} {what}" for name, what in facts.items())


def hold_back(
    session: Session, opened: Opened, counted: Counted, following: Following, published: Scheme
) -> HeldBack:
    """Decide which rows are held back at the levels of the ``published`` scheme."""
    wanted = settings(session)
    promise = Promise.of(session.policy.privacy, counted.coded)
    levels = {each.index: published.levels[each.name] for each in counted.attributes}
    key = key_of(opened, wanted)
    rows = Rows(opened.source, key, counted.attributes, levels, counted.coded, promise)
    traces.follow(session.engine, rows)
    sizes = traces.hold_back(session.engine, rows, protect=wanted.deletions == "protect")
    return HeldBack(following, rows, _require_some(session, following, sizes))


def _require_some(session: Session, following: Following, sizes: Sizes) -> Sizes:
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
        raise PrivacyError(
            f"All {sizes.held_back:,} rows of the source would be held back: none is among"
            f" k={session.policy.privacy.k} that were released alike so far. Wait for more rows, or"
            f" set {_WHERE}.levels to search."
        )
    return sizes


def follow_source(session: Session, opened: Opened, held_back: HeldBack) -> Opened:
    """Go on with the rows that are not held back."""
    return replace(opened, source=(FOLLOWED,))


def count_again(session: Session, opened: Opened, counted: Counted) -> Counted:
    """Count the combinations of the rows that are left; dimension tables stay as they are."""
    engine, shared = session.engine, {"coded": counted.coded, "population": ()}
    for table in ("combinations", "cells", "steps"):
        engine.drop(table)
    for each in counted.coded:
        engine.drop(f"values_{each.index}")
        engine.drop(f"groups_{each.index}")
    given = {"attributes": counted.attributes, **shared}
    engine.run("star/combinations", source=opened.source, **given)
    rows, combinations, *_ = engine.query("star/totals", **given)[0]
    values.build(engine, counted.coded)
    return replace(counted, rows=rows, combinations=combinations)


def state_facts(session: Session, chosen: Chosen, held_back: HeldBack) -> Chosen:
    """Let the release state what it promises over time."""
    wanted, book = settings(session), held_back.following.book
    stated = {
        "over_time": f"release {_number(book)}{', begun anew' if book.anew else ''}",
        "held_back": held_back.sizes.held_back,
        **({"exposed": held_back.sizes.exposed} if wanted.deletions == "tell" else {}),
    }
    return replace(chosen, facts={**chosen.facts, **stated})


def _number(book: Book) -> int:
    """Return the number of the coming release."""
    return 1 if book.last is None else book.last.number + 1


def offences(session: Session, held_back: HeldBack) -> list[str]:
    """Return where all releases together do not keep the promise."""
    rows, protect = held_back.rows, settings(session).deletions == "protect"
    claim = Claim(
        rows.source,
        (FOLLOWED,),
        rows.key,
        rows.attributes,
        rows.levels,
        rows.coded,
        rows.promise,
        protect,
    )
    return proof.offences(session.engine, claim)


def announce(session: Session, held_back: HeldBack, levels: dict[str, int]) -> None:
    """Write to the ledger what it will be when the staged release is published."""
    sizes, following = held_back.sizes, held_back.following
    entry = Entry(
        _number(following.book),
        session.release_id,
        session.run,
        session.policy.privacy.k,
        _promises(session),
        levels,
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
