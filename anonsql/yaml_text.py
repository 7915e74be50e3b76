"""YAML read the way people write policies.

PyYAML follows YAML 1.1, where ``NO`` is false, ``1_000`` and ``12:30`` are numbers, ``017`` is fifteen and a second
``age:`` silently wins over the first. In a policy these are values and column names, so here a plain scalar is a
number only when the number prints back as the same text, only ``true`` and ``false`` are booleans, dates stay text,
and a key given twice is an error.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from anonsql.errors import PolicyError

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without its guesses: every plain scalar reaches ``_scalar`` as text."""


_Loader.yaml_implicit_resolvers = {}


def _scalar(loader: _Loader, node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.style is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    """Keys are names: their text as it is written, so that ``1`` and ``"1"`` are the same key."""
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        place = f"line {key_node.start_mark.line + 1}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise PolicyError.at(place, "a key is a list or a mapping.", "Keys are plain words.")
        key = key_node.value
        if key in result:
            raise PolicyError.at(place, f"the key {key!r} is given twice.", "Keep one of the two.")
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor("tag:yaml.org,2002:str", _scalar)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def parse(text: str, where: str) -> Any:
    """The document in ``text``; raises :class:`PolicyError` naming ``where`` and the line when it is not YAML."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - _Loader is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}, line {mark.line + 1}" if mark is not None else where
        reason = (
            getattr(error, "problem", None)
            or getattr(error, "reason", None)
            or "it cannot be parsed"
        )
        raise PolicyError.at(
            place, f"this is not YAML: {reason}.", "Check indentation, colons and quotes."
        ) from None
    except PolicyError as error:
        problem = error.problems[0]
        raise PolicyError.at(f"{where}, {problem.where}", problem.found, problem.remedy) from None
    except RecursionError:
        raise PolicyError.at(where, "the document is nested too deeply.", "") from None
