"""Secrets in URLs and connection strings: what names a place in a message goes through here."""

from __future__ import annotations

import re

_HIDDEN = "***"
_VARIABLE = r"\$\{[^}]*\}"
_NAMES = r"(?:token|password|passwd|pwd|passphrase|secret|(?:access|account|api|secret)[_-]?key)"
_AFTER_USER = re.compile(rf"((?:\A|[/@])[^/:@\s]*):(?!//)(?!{_VARIABLE}@[^@]*\Z)(.+)@", re.S)
_GIVEN = re.compile(rf"(?i)({_NAMES}=)(?!{_VARIABLE}(?:[;&]|\Z))[^;&]*")
_AFTER_USER_IN_TEXT = re.compile(rf"((?:\A|[/@\s'\"(=])[^/:@\s'\"]*):(?!//)(?!{_VARIABLE}@)(\S+)@")
_GIVEN_IN_TEXT = re.compile(
    rf"(?i)({_NAMES}\s?=\s?)(?!{_VARIABLE})('(?:[^'\\]|\\.)*'|[^;&\s'\")]+)"
)


def without_secrets(location: str, instead: str = _HIDDEN) -> str:
    """Return a URL or connection string alone with its passwords replaced; variables stay.

    A password may hold any character: all from the user's name to the last ``@`` is taken for one.
    """
    shown = _AFTER_USER.sub(lambda match: f"{match[1]}:{instead}@", location, count=1)
    return _GIVEN.sub(lambda match: f"{match[1]}{instead}", shown)


def masked(text: str) -> str:
    """Return a message with the secrets of the URLs in it replaced: the last line of defence, for
    what a message quotes may be a URL that was given where none belongs."""
    if "@" not in text and "=" not in text:
        return text
    shown = _AFTER_USER_IN_TEXT.sub(lambda match: f"{match[1]}:{_HIDDEN}@", text)
    return _GIVEN_IN_TEXT.sub(lambda match: f"{match[1]}{_HIDDEN}", shown)
