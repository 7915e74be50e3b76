"""Logs on stderr: names, rows and times, never values. As text for people, or one JSON object a
line for machines."""

from __future__ import annotations

import json
import logging
import textwrap
from datetime import UTC, datetime
from typing import Literal

Format = Literal["text", "json"]


class Lines(logging.Formatter):
    """Warnings as lines of 80 characters; what ``verbose`` adds as a line for each statement."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text."""
        text = super().format(record)
        if record.levelno < logging.WARNING:
            return text
        return "\n".join(
            textwrap.fill(line, 80, break_long_words=False, break_on_hyphens=False)
            for line in text.splitlines()
        )


class JsonLines(logging.Formatter):
    """Each record as a line of JSON: time (UTC), level, message, and its own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line of JSON."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure(form: Format, verbose: bool) -> None:
    """Send warnings to stderr, with ``verbose`` every statement; as JSON every stage too."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else Lines("%(message)s"))
    log = logging.getLogger("anonsql")
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.DEBUG if verbose else logging.INFO if form == "json" else logging.WARNING)
