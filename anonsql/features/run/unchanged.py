"""Whether a release is known to be what a run would make because no file of it was touched: known
before any engine starts, so that a scheduled job costs next to nothing where nothing changed.

A run records, in the catalog, the state of all files that its release was made from and of those
that it consists of: inode, size, times of modification and of change. The kernel sets the last of
these, so that a file which is written and set back is seen. Where source or release are no files,
a database may have changed without a sign, and the run that asks looks into them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonsql.errors import AnonsqlError
from anonsql.features.run.document import Report
from anonsql.jobs.catalog import Catalog
from anonsql.policy.locations import Location, Places
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.system.database_files import Signature, changed
from anonsql.system.journal import Journal, log
from anonsql.version import __version__

if TYPE_CHECKING:
    from anonsql.features.run.several_tables_document import RelationalReport

_BESIDE = ("", ".wal", "-wal", "-journal")
"""What databases keep beside a file: a change that is only there is one, too."""
_SECOND = 10**9
_TICK = 2 * 10**7
"""Nanoseconds within which a second change of a file may leave no other time."""
State = Mapping[str, list[int] | None]
"""Inode, size, and times of modification and change by a file's path; None for one that is not
there."""


def report(policy: Policy | RelationalPolicy) -> Report | RelationalReport | None:
    """Return the report of the published release, where no file was touched since it was
    made and verified, and record a run that did nothing; None where that is not certain. Raise
    BusyError while a run holds the catalog."""
    places, name = _places(policy)
    if not places.catalog.is_file() or places.problems():
        return None
    with Catalog.open(places.catalog, Journal()) as catalog:
        state, text = catalog.last_state(str(places.release), name)
        if state is None or text is None:
            return None
        before = json.loads(state)
        if before["policy"] != _digest(policy):
            return None
        if before["files"] != _state(map(Path, before["files"])):
            return None
        source, release = str(places.source), f"{places.release} {name}"
        run = catalog.begin_run("run", __version__, source, release)
        catalog.end_run(run, "unchanged")
    kind: type[Report | RelationalReport] = Report
    if "tables" in json.loads(text):
        from anonsql.features.run.several_tables_document import RelationalReport

        kind = RelationalReport
    return kind.model_validate_json(text).model_copy(update={"status": "unchanged", "seconds": {}})


def record(
    catalog: Catalog, policy: Policy | RelationalPolicy, read: Sequence[Signature] | None
) -> None:
    """Record the state of the files of the release that was just published or verified, and of the
    files that were ``read`` for it; nothing where these are not all that it depends on, or one was
    changed meanwhile. A failure does not undo the run."""
    try:
        if read is not None and not any(map(changed, read)):
            _record(catalog, policy, read)
    except (AnonsqlError, OSError) as error:
        log.warning("the state of the files could not be recorded: %s", type(error).__name__)


def _record(catalog: Catalog, policy: Policy | RelationalPolicy, read: Sequence[Signature]) -> None:
    """Record the state of files: see :func:`record`."""
    places, name = _places(policy)
    if not places.release.is_file or _follows(policy):
        return
    read_files = [signature.path for signature in read]
    files = [*read_files, *policy.files.values(), *_files_of(places.release)]
    state = _state(Path(f"{file}{end}") for file in files for end in _BESIDE)
    if not _settled(state):
        return
    text = json.dumps({"policy": _digest(policy), "files": state})
    catalog.record_state(str(places.release), name, text)


def _places(policy: Policy | RelationalPolicy) -> tuple[Places, str]:
    """Return where the policy's source, release and catalog lie, and what the release is called."""
    whole = policy.whole
    return Places.of(whole), whole.release.name


def _follows(policy: Policy | RelationalPolicy) -> bool:
    """Return whether a release follows others, whose ledger may have changed."""
    return policy.whole.privacy.over_time is not None


def _digest(policy: Policy | RelationalPolicy) -> str:
    """Return a digest of what the policy says, whose files are known by their state."""
    settings = policy.model_dump_json(exclude={"engine", "catalog", "measure"})
    return hashlib.sha256(f"{__version__} {settings}".encode()).hexdigest()


def _files_of(release: Location) -> list[Path]:
    """Return the files of a release."""
    if release.kind == "folder":
        return [release.path, *sorted(release.path.iterdir())]
    companion = release.companion
    return [release.path, *([companion] if companion is not None else [])]


def _state(paths: Iterable[Path]) -> dict[str, list[int] | None]:
    """Return the state of files."""
    state: dict[str, list[int] | None] = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            state[str(path)] = None
        else:
            times = [status.st_mtime_ns, status.st_ctime_ns]
            state[str(path)] = [status.st_ino, status.st_size, *times]
    return state


def _settled(state: State) -> bool:
    """Return whether no later change can leave the times that files have now: where one was changed
    a moment ago, wait for that moment to pass. File systems that know whole seconds alone are not
    waited for."""
    latest = max((max(entry[2:]) for entry in state.values() if entry is not None), default=0)
    tick = _TICK if latest % _SECOND else 2 * _SECOND
    left = latest + tick - time.time_ns()
    if left > _TICK:
        return False
    time.sleep(max(left, 0) / _SECOND)
    return True
