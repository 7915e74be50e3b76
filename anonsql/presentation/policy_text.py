"""A policy as a page may show it: without passwords, keys, salts and seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import yaml

from anonsql.masking import masked, without_secrets
from anonsql.policy.envelope import read_policy
from anonsql.policy.policies import AnyPolicy

HIDDEN = "***"
_SECRET = re.compile(
    r"(?i)(secret|token|passw|pwd|passphrase|credential|salt|seed"
    r"|(?:access|account|api|private|shared)[._-]?key)"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://|.*=", re.DOTALL)


def shown(policy: AnyPolicy) -> str:
    """Return the YAML of a policy as written, without comments and secrets; ${NAME} stays."""
    whole = policy.first
    file = whole.files.get("the policy")
    data = policy.model_dump(exclude_unset=True) if file is None else read_policy(file)
    return yaml.safe_dump(
        without(data), sort_keys=False, allow_unicode=True, default_flow_style=None, width=96
    )


def without(value: Any, name: str = "") -> Any:
    """Return a structure as read from YAML without its secrets.

    >>> without({"database": "postgresql://me:pw@host/db", "spark": {"fs.s3a.secret.key": "x"}})
    {'database': 'postgresql://me:***@host/db', 'spark': {'fs.s3a.secret.key': '***'}}
    """
    if isinstance(value, Mapping):
        return {key: without(entry, str(key)) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without(item, name) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Decimal):
        return without(int(value) if value == int(value) else float(value), name)
    if _SECRET.search(name) and not re.fullmatch(r"\$\{[^}]*\}", str(value)):
        return HIDDEN
    if isinstance(value, str):
        return masked(without_secrets(value) if _URL.match(value) else value)
    return value
