"""Translate pydantic's errors into problems of a policy: the place, the finding, the remedy."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Sequence
from decimal import Decimal
from types import NoneType
from typing import Any

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

from anonsql.errors import FieldError, FieldsError, Problem, did_you_mean
from anonsql.system.scalars import WITHOUT_NUL

_SHOWN = 60
_CREDENTIALS = re.compile(r"://.*@")  # a URL in the wrong place
_KINDS: dict[type, str] = {dict: "a mapping", list: "a list"}
_NUMBERS = ("int", "float", "decimal")
_PERCENT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})? ?%")
_RIGHT = (
    ("int", "A whole number is needed."),
    ("decimal_max", "A number of at most 18 digits is needed, at most 6 of them after the point."),
    (
        "decimal_whole",
        "A number of at most 18 digits is needed, at most 6 of them after the point.",
    ),
    ("float", "A number is needed."),
    ("decimal", "A number is needed."),
    ("finite_number", "A finite number is needed."),
    ("bool", "Write true or false."),
    ("string_unicode", "It contains half of a surrogate pair, which is not a character."),
    ("string_type", "Text is needed."),
    ("dict_type", "A mapping is needed: lines of `name: value` below it, or `{{name: value}}`."),
    ("model", "A mapping is needed: lines of `name: value` below it, or `{{name: value}}`."),
    ("list_type", "A list is needed: lines of `- value` below it, or `[value, value]`."),
    ("greater_than_equal", "It must be at least {ge}."),
    ("greater_than", "It must be above {gt}."),
    ("less_than_equal", "It must be at most {le}."),
    ("less_than", "It must be below {lt}."),
    ("too_short", "It needs at least {min_length}."),
    ("string_too_short", "It must not be empty."),
)
"""What would be right, by the first letters of pydantic's name of the error."""


def problems_of(error: ValidationError, model: type[BaseModel], data: Any) -> list[Problem]:
    """Return one :class:`Problem` for each error that pydantic found in ``data``, with hints from
    ``model``'s own fields."""
    return [
        problem for entry in error.errors(include_url=False) for problem in _problems(entry, model)
    ]


def path_text(loc: Sequence[int | str]) -> str:
    """Return ``('columns', 'age', 'widths', 1)`` as ``columns.age.widths[1]``."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "policy"


def _problems(error: ErrorDetails, model: type[BaseModel]) -> list[Problem]:
    """Return the problems of an error: of a validator that found several, all of them."""
    cause = error.get("ctx", {}).get("error")
    if not isinstance(cause, FieldsError):
        return [_problem(error, model)]
    return [_problem({**error, "ctx": {"error": each}}, model) for each in cause.errors]


def _problem(error: ErrorDetails, model: type[BaseModel]) -> Problem:
    loc, result, kind = error["loc"], error["input"], error["type"]
    where = path_text(_without_tags(loc, model))
    context = error.get("ctx", {})
    if loc[-1:] == ("[key]",):
        where = path_text(_without_tags(loc[:-2], model))
        return Problem(where, f"found the name {_shown(result)}.", _right(error))
    if kind == "extra_forbidden":
        return Problem(
            where, "this field is not known.", did_you_mean(loc[-1], _fields_at(model, loc[:-1]))
        )
    if kind == "missing":
        return Problem(where, "this field is missing.", "Add it.")
    if loc and loc[-1] == "role" and (result is None or result == ""):
        return Problem(
            where,
            "the role is not chosen yet.",
            f"Choose one of {context.get('expected', 'the roles')}.",
        )
    if kind == "literal_error":
        return Problem(
            where,
            f"found {_shown(result)}.",
            did_you_mean(result, _quoted_words(str(context["expected"]))),
        )
    if kind == "union_tag_invalid":
        words = _quoted_words(str(context["expected_tags"]))
        return Problem(
            where + ".type", f"found {_shown(context['tag'])}.", did_you_mean(context["tag"], words)
        )
    if kind == "union_tag_not_found":
        return Problem(
            where + ".type",
            "the type of the hierarchy is missing.",
            "E.g. `{type: suppression}`.",
        )
    if kind == "value_error":
        cause = context.get("error")
        inner = cause.at if isinstance(cause, FieldError) else ""
        location = ".".join(part for part in (where if loc or not inner else "", inner) if part)
        return Problem(location, str(cause or error["msg"]) + ".")
    return Problem(where, f"found {_shown(result)}.", _right(error))


def _right(error: ErrorDetails) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if isinstance(value, str) and kind.startswith(_NUMBERS) and _PERCENT.fullmatch(value.strip()):
        share = Decimal(value.strip(" %")) / 100
        return f"Write a percentage as a share: {value.strip()} is {share}."
    if context.get("pattern") == WITHOUT_NUL:
        return "It must not contain the character with code 0."
    upper = context.get("lt", context.get("le"))
    if kind in ("less_than", "less_than_equal") and upper == 1:
        most = "below 1" if kind == "less_than" else "of at most 1"
        return f"Write a share, a number {most}: for 5 % write 0.05."
    for start, words in _RIGHT:
        if kind.startswith(start):
            return words.format(**context)
    return error["msg"].replace("Input should be", "It should be") + "."


def _shown(value: Any) -> str:
    """Return a policy's value for a message, shortened; structures by their kind only."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return f"a number of more than {_SHOWN} digits"
    if not isinstance(value, (str, int, float)):
        return _KINDS.get(type(value), f"a {type(value).__name__}")
    text = _CREDENTIALS.sub("://***@", repr(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} characters)"


def _quoted_words(expected: str) -> list[str]:
    """Return the words of pydantic's ``'a', 'b' or 'c'``."""
    return expected.split("'")[1::2]


def _models(annotation: Any) -> Iterable[type[BaseModel]]:
    """Yield every model class inside an annotation, through unions, lists and mappings."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)


def _tag(model: type[BaseModel]) -> str | None:
    field = model.model_fields.get("type")
    return str(field.default) if field is not None else None


def _marks(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__metadata__", ())


def _walk(model: type[BaseModel], loc: Sequence[int | str]) -> tuple[Any, list[int | str]]:
    """Return the annotation at the end of ``loc``, and ``loc`` without the tags that pydantic
    inserts for unions."""
    current: Any = model
    path: list[int | str] = []
    for part in loc:
        current = _bare(current)
        choices = list(_models(current))
        tagged = [choice for choice in choices if len(choices) > 1 and _tag(choice) == part]
        tagged += [
            member for member in typing.get_args(current) if Tag(str(part)) in _marks(member)
        ]
        if tagged:
            current = tagged[0]
        else:
            path.append(part)
            current = _inside(current, part)
    return current, path


def _bare(annotation: Any) -> Any:
    if typing.get_origin(annotation) is typing.Annotated:
        return _bare(typing.get_args(annotation)[0])
    others = [member for member in typing.get_args(annotation) if member is not NoneType]
    optional = NoneType in typing.get_args(annotation) and len(others) == 1
    return _bare(others[0]) if optional else annotation


def _inside(annotation: Any, part: int | str) -> Any:
    """Return the annotation of ``part`` within a model, mapping, list, or the first member of a
    union that has it."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is dict:
        return inner[1]
    if origin in (list, tuple):
        return inner[0]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(part))
        return field.annotation if field is not None else None
    return next((result for value in inner if (result := _inside(value, part)) is not None), None)


def _without_tags(loc: Sequence[int | str], model: type[BaseModel]) -> list[int | str]:
    return _walk(model, loc)[1]


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    models = list(_models(_walk(model, loc)[0]))
    return (
        [field.alias or name for name, field in models[0].model_fields.items()]
        if len(models) == 1
        else []
    )
