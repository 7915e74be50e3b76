"""Files that only their owner may read, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from anonsql.errors import PolicyError, ResourceError
from anonsql.system import text_files

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write(path: Path, content: bytes, where: str) -> None:
    """Write a file with mode 0600 in the place of what was there, in one step: under another name
    in the same folder first. Raise PolicyError where what is there is no regular file or the folder
    cannot be written, ResourceError where the disk is full; then nothing is left."""
    text_files.require_text(path, where)
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if not stat.S_ISREG(path.lstat().st_mode):
            text = f"{path} is there and is no regular file, so it is not replaced."
            raise PolicyError.at(where, text, "Name another file.")
    making = path.with_name(f".{path.name}.anonsql-{secrets.token_hex(6)}")
    try:
        descriptor = os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            making.rename(path)
        except BaseException:
            making.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.errno in _NO_SPACE:
            text = f"no space left for {path}. Free some and run again"
            raise ResourceError("report", text) from None
        found = f"{path} cannot be written: {error.strerror}."
        raise PolicyError.at(where, found, "Name a file in a folder that you can write.") from None

