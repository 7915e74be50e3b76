"""Text files that a user names: regular ones of a sensible size, with names that are valid text."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from anonsql.errors import RELATIVE_PATH, PolicyError, ResourceError

MEBIBYTE = 2**20
_SHOWN = 120  # characters of a path that is no path
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MAX_YAML = 16 * MEBIBYTE
MAX_HIERARCHY = 256 * MEBIBYTE
UNFINISHED = ".anonsql-"
"""How the names begin of files that are being written, or were when a process died."""
_PAGE = b"<!doctype html>"
"""How a page (HTML) begins, in lower case."""


def require_text(path: str | Path, where: str) -> None:
    """Raise PolicyError where a path is not UTF-8 text: databases and JSON could not name it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = str(path).encode(errors="backslashreplace").decode()
        raise PolicyError.at(
            where, f"the path {shown} is not UTF-8 text.", "Rename the file or folder."
        ) from None


def require_path(path: Path, where: str, longest: int = 255) -> None:
    """Raise PolicyError where a path cannot be one of a file, whether one is there or not: it is no
    text, it is too long or its name has more than ``longest`` bytes, links on it lead in a circle,
    or a folder on it may not be looked into."""
    require_text(path, where)
    reason, remedy = "", "Name another file."
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # whether it must be there is another question
    except ValueError:
        reason = "it contains a NUL character"
    except OSError as error:
        if error.errno == errno.ELOOP:
            reason = "it is a link that leads back to itself"
            remedy = "Name a file, or repair the link."
        elif error.errno == errno.EACCES:
            reason, remedy = "it cannot be read: Permission denied", "Change its permissions."
        else:
            reason = (error.strerror or "no such path").lower()
    if not reason and len(os.fsencode(path.name)) > longest:
        reason = (
            f"its name is longer than {longest} bytes, the limit that leaves room for files"
            " next to it"
        )
    if reason:
        shown = str(path) if len(str(path)) <= _SHOWN else f"{str(path)[:_SHOWN]}…"
        text = f"{shown} is not the path of a file: {reason}.".replace("\0", "\\0")
        raise PolicyError.at(where, text, remedy)


def chunks(path: Path, where: str, most: int, *, remedy: str = RELATIVE_PATH) -> Iterator[bytes]:
    """Yield a file's content piece by piece; raise PolicyError where it cannot be read, is larger
    than ``most`` bytes or no regular file: pipes may give nothing, devices never end."""
    require_path(path, where)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise PolicyError.at(where, f"{path} is not a file.", "Name a regular file.")
            size = status.st_size
            if size <= most:
                size = 0
                while size <= most and (content := file.read(MEBIBYTE)):
                    size += len(content)
                    yield content
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a valid file name"
        raise PolicyError.at(where, f"{path} cannot be read: {reason}.", remedy) from None
    if size > most:
        text = f"{path} is larger than {most // MEBIBYTE} MiB, the largest size that is read."
        raise PolicyError.at(where, text, "Name a smaller file.")


def read_bytes(path: Path, where: str, most: int, *, remedy: str = RELATIVE_PATH) -> bytes:
    """Return the content of a file; raise PolicyError as :func:`chunks` does."""
    return b"".join(chunks(path, where, most, remedy=remedy))


def digest(path: Path, where: str, most: int) -> str:
    """Return the SHA-256 of a file in hexadecimal; raise PolicyError as :func:`chunks` does."""
    made = hashlib.sha256()
    for content in chunks(path, where, most):
        made.update(content)
    return made.hexdigest()


def read_text(path: Path, where: str, most: int, *, remedy: str = RELATIVE_PATH) -> str:
    """Return the content of a file as :func:`read_bytes` does, decoded from UTF-8."""
    try:
        text = read_bytes(path, where, most, remedy=remedy).decode("utf-8-sig")
    except UnicodeDecodeError:
        text = f"{path} is not UTF-8 text."
        raise PolicyError.at(where, text, "Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def require_replaceable(path: Path, where: str) -> None:
    """Raise PolicyError unless a page can be written there: in a folder, in place of nothing, an
    empty file or a page. Any other file may be a table, a release or other work."""
    require_path(path, where)
    if not path.parent.is_dir():
        text = f"the folder {path.parent} does not exist."
        raise PolicyError.at(where, text, "Create the folder, or name another one.")
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            text = f"{path} exists and is not a regular file, so it is not replaced."
            raise PolicyError.at(where, text, "Name another file.")
        if beginning(path, where, len(_PAGE)).lower() not in (b"", _PAGE):
            text = f"{path} exists and is not a page, so it is not replaced."
            raise PolicyError.at(where, text, "Name another file.")


def beginning(path: Path, where: str, size: int) -> bytes:
    """Return the first bytes of a file; raise PolicyError where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(size)
    except FileNotFoundError:
        return b""
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror}, so it is not replaced."
        raise PolicyError.at(where, text, "Name another file.") from None


def write_private(path: Path, where: str, text: str) -> None:
    """Write a page for its owner alone (mode 0600), in place of one that is there: at every moment
    there is the old one or the whole new one. Raise PolicyError where it cannot be written,
    ResourceError where the disk is full."""
    require_replaceable(path, where)
    replace(path, where, text)


def replace(path: Path, where: str, text: str, *, mode: int = 0o600) -> None:
    """Replace a text file by one of a mode: at every moment there is all of the old or the new one.
    Raise PolicyError where it cannot be written, ResourceError on a full disk."""
    made: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)
        made = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fchmod(descriptor, mode)
            os.fsync(file.fileno())
        made.replace(path)
        made = None
    except OSError as error:
        if error.errno in NO_SPACE:
            full = f"no space left for {path}. Free some space and run again"
            raise ResourceError(where, full) from None
        remedy = "Name a file in a folder that you may write to."
        raise PolicyError.at(
            where, f"{path} cannot be written: {error.strerror}.", remedy
        ) from None
    finally:
        if made is not None:
            with contextlib.suppress(OSError):
                made.unlink()
