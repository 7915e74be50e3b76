"""Logs on stderr: names, rows and times, never values. As text for people, or one JSON object a
line for machines."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal

Format = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """Each record as one line of JSON: time (UTC), level, message, and its own fields (run, stage,
    statement, rows, ms)."""

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
    """Send anonsql's log to stderr: warnings; with ``verbose`` every statement; as JSON also every
    stage."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter("%(message)s"))
    log = logging.getLogger("anonsql")
    log.handlers[:] = [handler]
    log.propagate = False
    log.setLevel(logging.DEBUG if verbose else logging.INFO if form == "json" else logging.WARNING)
