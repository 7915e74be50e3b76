"""YAML read the way people write policies.

PyYAML follows YAML 1.1, where ``NO`` is false, ``1_000`` and ``12:30`` are numbers, ``017`` is
fifteen and a second ``age:`` silently wins over the first. In a policy these are values and column
names, so here a plain scalar is a number only when the number prints back as the same text (and has
no more than 18 digits), only ``true`` and ``false`` are booleans, dates stay text, and a key given
twice is an error. So are tags (``!!int``), text that is no Unicode (half of a surrogate pair), and
aliases that unfold to more nodes than a person would write.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from anonsql.errors import PolicyError

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DIGITS = 18
_UNFOLDED = 2_000_000
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_PLAIN = re.compile(r"[A-Za-z_/.][A-Za-z0-9_/.-]*")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without its guesses: every plain scalar reaches ``_scalar`` as text, and
    tags have no meaning."""


_Loader.yaml_implicit_resolvers = {}
_Loader.yaml_constructors = {
    "tag:yaml.org,2002:seq": yaml.SafeLoader.construct_yaml_seq,
}


def _scalar(loader: _Loader, node: yaml.ScalarNode) -> Any:
    text = _whole(node)
    if node.style is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _DIGITS and _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    """Return a mapping with keys as names: their text as it is written, so that ``1`` and ``"1"``
    are the same key."""
    result: dict[str, Any] = {}
    for key_node, value_node in node.value:
        location = f"line {key_node.start_mark.line + 1}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise PolicyError.at(
                location, "a key is a list or a mapping.", "Use plain words as keys."
            )
        key = _whole(key_node)
        if key in result:
            raise PolicyError.at(
                location, f"the key {key!r} is given twice.", "Keep one of the two."
            )
        result[key] = loader.construct_object(value_node, deep=True)
    return result


def _whole(node: yaml.ScalarNode) -> str:
    """Return a scalar's text, with the two escapes of a surrogate pair (as JSON writes it) joined
    to one character."""
    text: str = node.value
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        location = f"line {node.start_mark.line + 1}"
        raise PolicyError.at(
            location,
            "half of a surrogate pair is not a character.",
            "Write the character itself.",
        ) from None


def _undefined(_loader: _Loader, node: yaml.Node) -> Any:
    tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
    location = f"line {node.start_mark.line + 1}"
    raise PolicyError.at(
        location, f"found the tag {tag}.", "Leave it out: text and numbers need none."
    )


def _require_small(node: yaml.Node) -> None:
    """Raise PolicyError where aliases unfold to more nodes than a person would write, or one
    contains itself."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = _UNFOLDED  # while it is counted: too large if it contains itself
            inner = [
                part
                for value in node.value
                for part in (value if isinstance(value, tuple) else [value])
            ]
            sizes[id(node)] = 1 + (
                0 if isinstance(node, yaml.ScalarNode) else sum(map(size, inner))
            )
            if sizes[id(node)] >= _UNFOLDED:
                location = f"line {node.start_mark.line + 1}"
                text = "aliases expand to millions of nodes, or contain themselves."
                raise PolicyError.at(location, text, "Write out the text that they refer to.")
        return sizes[id(node)]

    size(node)


_Loader.add_constructor(None, _undefined)
_Loader.add_constructor("tag:yaml.org,2002:str", _scalar)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def quoted(text: str) -> str:
    """Return a YAML scalar: plain where that is safe, else quoted as JSON, which YAML reads.

    >>> print(quoted("age"), quoted("Größe (cm)"), quoted("true"), quoted("a\\u2028b"))
    age "Größe (cm)" "true" "a\\u2028b"
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def parse(text: str, where: str) -> Any:
    """Return the document in ``text``; raise :class:`PolicyError` naming ``where`` and the line
    when it is not YAML."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        _require_small(node)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        location = f"{where}, line {mark.line + 1}" if mark is not None else where
        reason = (
            getattr(error, "problem", None)
            or getattr(error, "reason", None)
            or "it cannot be parsed"
        )
        remedy = "Check indentation, colons and quotes."
        if "alias" in f"{getattr(error, 'context', None)} {reason}":
            reason, remedy = "a name begins with * and has no quotes", 'Write it in quotes: "*".'
        raise PolicyError.at(location, f"this is not YAML: {reason}.", remedy) from None
    except PolicyError as error:
        problem = error.problems[0]
        raise PolicyError.at(f"{where}, {problem.where}", problem.found, problem.remedy) from None
    except RecursionError:
        raise PolicyError.at(where, "the document is nested too deeply.", "") from None
