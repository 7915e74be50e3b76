"""Compiled templates, kept as Python keeps compiled modules.

Jinja takes some 4 ms to compile a template, and a small job renders a hundred of them. Their code
is kept in ``__pycache__`` beside the template, where Python keeps that of modules, and is trusted
as far: who can write there can change the package itself. In folders of other packages, of a user
or of the system nothing is kept or read. What is kept goes with one text of the template, one
version of Python and of Jinja, and one state of :mod:`anonsql.sql.templates`, whose filters it
calls.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import posixpath
import stat
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

import jinja2.compiler
from jinja2.bccache import Bucket, BytecodeCache

_DIGEST = hashlib.sha256().digest_size
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
"""Rights to write for anybody but the owner: what has them is not read."""


class CompiledTemplates(BytecodeCache):
    """The code of the templates in ``folders``, which are the package's own."""

    def __init__(self, folders: Sequence[Path], language: Path) -> None:
        self._folders = tuple(f"{folder}{os.sep}" for folder in folders)
        self._language = language

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the file that the code of a template is kept in; empty where it is not kept."""
        if filename is None or not filename.startswith(self._folders):
            return ""
        return cache_from_source(str(Path(filename).with_name(posixpath.basename(name))))

    def get_source_checksum(self, source: str) -> str:
        """Return the digest of a template's text and of what else its code depends on."""
        return hashlib.sha256(f"{_versions(self._language)}\n{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read the code that is kept; none where it is of another text or version."""
        if not bucket.key:
            return
        try:
            with Path(bucket.key).open("rb") as file:
                folder = Path(bucket.key).parent.stat()
                if (os.fstat(file.fileno()).st_mode | folder.st_mode) & _OTHERS:
                    return
                kept = file.read()
        except OSError:
            return
        if kept[:_DIGEST] == bytes.fromhex(bucket.checksum):
            with contextlib.suppress(EOFError, ValueError, TypeError):
                bucket.code = marshal.loads(kept[_DIGEST:])  # noqa: S302 - the package's own code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that was just compiled, where the folder can be written: in
        one step, and writable by its owner alone."""
        if not bucket.key or sys.dont_write_bytecode:
            return
        path = Path(bucket.key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o755, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(bytes.fromhex(bucket.checksum) + marshal.dumps(bucket.code))
                    os.fchmod(file.fileno(), 0o644)
                Path(name).replace(path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise


@cache
def _versions(language: Path) -> str:
    """Return what the code of all templates depends on besides their text: Python, Jinja's compiler
    and the ``language`` of templates."""
    compiler = Path(str(jinja2.compiler.__file__)).stat()
    read = hashlib.sha256(language.read_bytes()).hexdigest()
    return f"{sys.version} {compiler.st_size} {compiler.st_mtime_ns} {read}"
