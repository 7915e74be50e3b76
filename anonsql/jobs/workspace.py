"""A private folder next to the release for everything unfinished: plaintext that the engine spills,
staged rows, and the release before it is published.

It is on the release's file system, so that publishing is one rename. Only its owner may read it
(mode 0700). A lock shows whether the run that owns it is alive: the next run removes what a killed
run left behind.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import os
import re
import resource
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonsql.errors import BusyError, PolicyError, ResourceError
from anonsql.system import text_files

_OWNER = "owner"
_MAKING = "making-"
_GRACE_SECONDS = 60.0


class _Dumps:
    """How many commands of this process run, and the limit of core dumps before the first."""

    lock = threading.Lock()
    at_work = 0
    before = 0


@contextmanager
def private_memory() -> Iterator[None]:
    """Prevent core dumps of this process, and of the programs that it starts, so that a crash
    writes nothing of their memory to disk.

    The limit is the process's. Several threads may run commands at once: the last that ends
    restores it.
    """
    with _Dumps.lock:
        if not _Dumps.at_work:
            _Dumps.before, hard = resource.getrlimit(resource.RLIMIT_CORE)
            resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
        _Dumps.at_work += 1
    try:
        yield
    finally:
        with _Dumps.lock:
            _Dumps.at_work -= 1
            if not _Dumps.at_work:
                _, hard = resource.getrlimit(resource.RLIMIT_CORE)
                resource.setrlimit(resource.RLIMIT_CORE, (_Dumps.before, hard))


def usual_mode(folder: Path) -> int:
    """Return the mode of this process's new files, read from a file made in a private folder: the
    umask cannot be read without changing it, for all threads."""
    probe = folder / "mode"
    os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.unlink()
    return mode


@contextmanager
def workspace(release: Path) -> Iterator[Path]:
    """Make the private folder of one run, next to ``release``; remove it at the end."""
    prefix = f".{release.name}.anonsql-"
    with _owned_folder(release.parent, prefix, "release.database") as folder:
        if others := sweep(release.parent, prefix) - {folder}:
            raise BusyError(
                f"{release} is locked by another run, {_holder(sorted(others)[0])}. Wait until it"
                " has finished, then run again."
            )
        yield folder


def _holder(folder: Path) -> str:
    try:
        return f"process {(folder / _OWNER).read_text(encoding='ascii')}"
    except OSError:
        return "a process that is about to end"


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a private folder among the temporary files, for commands without a release."""
    with _owned_folder(
        Path(tempfile.gettempdir()), f".anonsql-{os.getuid()}-", "temporary files"
    ) as folder:
        yield folder


@contextmanager
def _owned_folder(parent: Path, prefix: str, where: str) -> Iterator[Path]:
    text_files.require_text(parent, where)
    sweep(parent, prefix)
    name = secrets.token_hex(6)
    making, folder = parent / f"{prefix}{_MAKING}{name}", parent / f"{prefix}{name}"
    try:
        making.mkdir(mode=0o700)
        owner = os.open(making / _OWNER, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(owner, fcntl.LOCK_EX)
        os.write(owner, str(os.getpid()).encode("ascii"))
        making.rename(folder)
    except OSError as error:
        shutil.rmtree(making, ignore_errors=True)
        raise _cannot_write(parent, where, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(owner)
        sweep(
            parent, prefix
        )  # remove what a dying process of an earlier run wrote after the sweep at the start


def _cannot_write(parent: Path, where: str, error: OSError) -> PolicyError | ResourceError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ResourceError(
            "workspace", f"no space left in {parent}. Free some space and run again"
        )
    if error.errno == errno.ENOENT:
        return PolicyError.at(where, f"the folder {parent} does not exist.", "Create it first.")
    remedy = "Choose another folder, or change its permissions."
    return PolicyError.at(
        where, f"the folder {parent} cannot be written: {error.strerror}.", remedy
    )


def sweep(parent: Path, prefix: str) -> set[Path]:
    """Remove folders of dead or never started runs; return those of living runs."""
    living: set[Path] = set()
    for folder in parent.glob(glob.escape(prefix) + "*"):
        if not re.fullmatch(rf"({_MAKING})?[0-9a-f]{{12}}", folder.name.removeprefix(prefix)):
            continue
        try:
            if folder.name.startswith(prefix + _MAKING):
                if time.time() - folder.stat().st_mtime > _GRACE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            owner = os.open(folder / _OWNER, os.O_RDWR)
        except FileNotFoundError:  # its owner died while removing it, or it is gone by now
            shutil.rmtree(folder, ignore_errors=True)
            continue
        except OSError:
            continue  # not ours
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            living.add(folder)
        finally:
            os.close(owner)
    return living
