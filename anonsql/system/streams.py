"""Standard output and error that may be closed, full or abandoned by their reader without harm to
the work.

What a command publishes is published, whether or not anybody can read its report. So the failure of
a stream is recorded and the stream no longer written, a warning on stderr reports it, and the exit
code stays that of the work.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO


class Tolerant(io.TextIOBase):
    """A text stream whose failures are recorded in ``failure`` instead of raised. A ``stream`` of
    None is one that is closed.

    Characters that its encoding lacks are written as escapes.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.failure = "it is closed" if stream is None else ""
        self._missed = False
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    @property
    def missed(self) -> str:
        """Why something that was written did not arrive; empty when all did."""
        return self.failure if self._missed else ""

    def write(self, text: str) -> int:
        """Write what can be written."""
        if self._stream is None:
            self._missed = self._missed or bool(text)
            return len(text)
        try:
            self._stream.write(text)
        except (OSError, ValueError) as error:
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Flush what can be flushed."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._fail(error)

    def _fail(self, error: OSError | ValueError) -> None:
        """Record a failure; discard what is buffered, or Python would fail when it exits."""
        reason = error.strerror if isinstance(error, OSError) else None
        self.failure, self._missed = reason or "it is closed", True
        stream, self._stream = self._stream, None
        with suppress(OSError, ValueError, AttributeError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())  # type: ignore[union-attr]
            os.close(nothing)

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor under it."""
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    @property
    def buffer(self) -> BinaryIO:
        """The stream of bytes under it, for protocols that write bytes."""
        if self._stream is None:
            raise io.UnsupportedOperation("buffer")
        return self._stream.buffer

    def writable(self) -> bool:
        """Return that the stream can always be written."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream under it."""
        return getattr(self._stream, "encoding", None) or "utf-8"


@contextmanager
def tolerant() -> Iterator[None]:
    """Let the code inside the ``with`` block print to closed, full or broken streams; at the end
    say on stderr what did not arrive.

    Descriptors 0 to 2 are opened where they were closed: otherwise a file that is opened later
    could get one of them, and receive what a subprocess, for one, prints.
    """
    _take_descriptors()
    before = sys.stdout, sys.stderr
    out, err = Tolerant(sys.stdout), Tolerant(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        out.flush()
        if out.missed:
            err.write(
                f"warning: stdout could not be written ({out.missed}): the output is not complete\n"
            )
        err.flush()
        if all(before):
            sys.stdout, sys.stderr = before


def _take_descriptors() -> None:
    """Open the null device on each of the descriptors 0 to 2 that is closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            os.set_inheritable(number, True)
