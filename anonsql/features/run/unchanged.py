"""Whether no file of a release has changed, which is known before any engine starts: a scheduled
job costs next to nothing where nothing changed. A run records in the catalog the state of all files
that its release was made from and consists of: inode, size, times of modification and of change.
The kernel sets the time of change, so that a file that is written and set back is seen. Databases
on servers may change without a sign: the run then looks into them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from anonsql.errors import AnonsqlError
from anonsql.jobs.catalog import Catalog
from anonsql.policy import yaml_text
from anonsql.policy.databases import catalog_beside
from anonsql.system import text_files
from anonsql.system.database_files import Signature, changed
from anonsql.system.journal import Journal, log
from anonsql.version import __version__

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport
    from anonsql.policy.locations import JobLocations, Location
    from anonsql.policy.policies import AnyPolicy
    from anonsql.presentation.tree import Sentence

_BESIDE = ("", ".wal", "-wal", "-journal")
"""The ends of files that databases keep next to their own."""
_SECOND = 10**9
_TICK = 2 * 10**7
"""Nanoseconds within which a second change of a file may leave no other time."""
State = Mapping[str, list[int] | None]
"""Inode, size, and times of modification and change by a file's path; None for a missing file."""


@dataclass(frozen=True)
class Known:
    """The report of an untouched release as the catalog has its text, so that nothing is loaded."""

    text: str
    status: ClassVar[str] = "unchanged"

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """Return the document of the run that did nothing, as JSON."""
        document = json.loads(self.text) | {"status": self.status, "seconds": {}}
        return json.dumps(document, indent=indent, ensure_ascii=False)

    def described(self) -> list[Sentence]:
        """Return that nothing was done."""
        return described()


def known(file: str | Path) -> Known | None:
    """Return the report of the published release of a policy ``file``, and record a run that did
    nothing, if none of its files was touched; None where that is not certain. Unlike :func:`report`
    it does not validate the policy, whose text is the same as when a run recorded the files."""
    try:
        path = Path(file).absolute()
        text = text_files.read_text(path, str(file), text_files.MAX_YAML)
        catalog = _likely_catalog(yaml_text.parse(text, str(file)), path.parent)
        if catalog is None or catalog.with_name(f"{catalog.name}.wal").exists():
            return None
        with Catalog.reading(catalog, Journal()) as read:
            if read is None:
                return None
            state, result, source, release = read.state_of_last()
        before = json.loads(state) if state and result else {}
        if before.get("text_of") != [__version__, str(path)]:
            return None
        if before["files"] != _state(map(Path, before["files"])):
            return None
        with Catalog.open(catalog, Journal(), made=True) as opened:
            opened.end_run(opened.begin_run("run", __version__, source, release), "unchanged")
        return Known(str(result))
    except (AnonsqlError, OSError, ValueError, KeyError):  # :func:`report` says it
        return None


def _likely_catalog(data: Any, folder: Path) -> Path | None:
    """Return where the catalog of a policy is, from its YAML alone; None if that does not say."""
    if not isinstance(data, dict):
        return None
    release = data.get("release")
    places = release if isinstance(release, dict) else {}
    catalog, place = data.get("catalog"), places.get("database") or places.get("file")
    if isinstance(catalog, str):
        return folder / catalog
    return catalog_beside(folder / place) if isinstance(place, str) else None


def report(policy: AnyPolicy) -> AnyReport | None:
    """Return the report of the published release if no file was touched since it was verified, and
    record a run that did nothing; None where that is not certain. Raise BusyError while a run holds
    the catalog."""
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
    from anonsql.features import kinds

    return kinds.recorded(text).model_copy(update={"status": "unchanged", "seconds": {}})


def described() -> list[Sentence]:
    """Return that nothing was done."""
    from anonsql.presentation import tree

    says = " since it was published and verified: there is nothing to do."
    return [tree.Sentence(says, "Unchanged", "good")]


def record(catalog: Catalog, policy: AnyPolicy, read: Sequence[Signature] | None) -> None:
    """Record the state of the files of the release that was just published or verified and of those
    ``read`` for it, if it depends on no others and none changed meanwhile. A failure does not undo
    the run."""
    try:
        if read is not None and not any(map(changed, read)):
            _record(catalog, policy, read)
    except (AnonsqlError, OSError) as error:
        log.warning("the state of the files could not be recorded: %s", type(error).__name__)


def _record(catalog: Catalog, policy: AnyPolicy, read: Sequence[Signature]) -> None:
    places, name = _places(policy)
    from anonsql.policy.policy import Policy

    follows = isinstance(policy, Policy) and policy.privacy.over_time is not None
    if not places.release.is_file or follows:
        return  # a ledger may change without a file
    read_files = [signature.path for signature in read]
    files = [*read_files, *policy.files.values(), *_files_of(places.release)]
    state = _state(Path(f"{file}{end}") for file in files for end in _BESIDE)
    if not _settled(state):
        return
    digest = _digest(policy)
    files_of_policy = (path for what, path in policy.files.items() if what.startswith("the policy"))
    named = next(files_of_policy, None)
    known_text = named is not None and _says(named, policy, digest)
    text_of = [__version__, str(named)] if known_text else None
    text = json.dumps({"policy": digest, "files": state, "text_of": text_of})
    catalog.record_state(str(places.release), name, text)


def _says(file: Path, policy: AnyPolicy, digest: str) -> bool:
    """Return whether a policy equals the text of its file, without variables of the environment."""
    text = text_files.read_text(file, "POLICY", text_files.MAX_YAML)
    data = yaml_text.parse(text, str(file))
    if "${" in json.dumps(data, default=str):
        return False
    return _digest(type(policy).parse(data, file.parent, file)) == digest


def _places(policy: AnyPolicy) -> tuple[JobLocations, str]:
    from anonsql.policy.locations import JobLocations

    return JobLocations.of(policy), policy.first.release.name


def _digest(policy: AnyPolicy) -> str:
    """Return a digest of the policy, and of the places of its source and population."""
    settings = policy.model_dump_json(exclude={"engine", "catalog", "measure"})
    places, _ = _places(policy)
    return hashlib.sha256(
        f"{__version__} {settings} {places.source} {places.population}".encode()
    ).hexdigest()


def _files_of(release: Location) -> list[Path]:
    if release.kind == "folder":
        return [release.path, *sorted(release.path.iterdir())]
    return [path for path in (release.path, release.companion) if path is not None]


def _state(paths: Iterable[Path]) -> dict[str, list[int] | None]:
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
    """Return whether no later change can leave the same times, and wait a moment for it where a
    file was just changed; not on file systems that know whole seconds alone."""
    latest = max((max(entry[2:]) for entry in state.values() if entry is not None), default=0)
    tick = _TICK if latest % _SECOND else 2 * _SECOND
    left = latest + tick - time.time_ns()
    if left > _TICK:
        return False
    time.sleep(max(left, 0) / _SECOND)
    return True
