"""What the results of every engine are compared with: hashes of canonical JSON, stored in a file.

A test says ``golden_values.check("name", rows=…, metrics=…)``. Each part has a hash of its own, so
that a failure names the part that differs; each engine is compared with golden/parity.json by
itself, whichever ran before. Where results change because they are meant to, look at the change and
write what DuckDB finds anew, in one process:

    pytest -n0 --write-golden -k duckdb $(grep -l golden_values.check tests/test_*.py)

then run the tests of all engines without the option. Names that no test uses any more are removed
by hand.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel

FILE = Path(__file__).parent / "golden" / "parity.json"
OPTION = "--write-golden"
writing = False


def canonical(value):
    """Give a result as JSON can hold it, however a driver types it: numbers by twelve digits."""
    if value is None or isinstance(value, (bool, np.bool_, str)):
        return None if value is None else value if isinstance(value, str) else bool(value)
    if isinstance(value, (int, np.integer)):
        return str(value)
    if isinstance(value, (float, Decimal, np.floating)):
        whole = value == int(value) if abs(value) < 2**53 else False
        return str(int(value)) if whole else f"{float(value):.12g}"
    if isinstance(value, BaseModel):
        return canonical(value.model_dump())
    if dataclasses.is_dataclass(value):
        return canonical(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical(entry) for entry in value]
    raise TypeError(f"no canonical JSON for {type(value).__name__}: write it as a list or text")


def text_of(value):
    """Write the canonical JSON of a result."""
    return json.dumps(canonical(value), sort_keys=True, ensure_ascii=False)


def check(name, **parts):
    """Compare the parts of a result with those of a name; with --write-golden store them."""
    texts = {part: text_of(value) for part, value in parts.items()}
    found = {part: hashlib.sha256(text.encode()).hexdigest()[:32] for part, text in texts.items()}
    stored = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    if writing:
        stored[name] = found
        FILE.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", "utf-8")
    assert name in stored, f"golden/parity.json has no {name!r}: see tests/golden_values.py"
    differing = {
        part: texts[part][:1500] for part in parts if stored[name].get(part) != found[part]
    }
    assert not differing, f"{name}: not what golden/parity.json says: {differing}"
    assert stored[name].keys() == found.keys(), f"{name}: other parts than in golden/parity.json"


def begin(config):
    """Take the option; one process alone may write."""
    global writing  # noqa: PLW0603 - the one switch of a whole run
    writing = config.getoption(OPTION)
    if writing and config.getoption("numprocesses", 0):
        raise pytest.UsageError(f"{OPTION} needs -n0: several processes would overwrite one file")
