"""The choices that ``advise`` tries: methods, in the order of their promises, with numbers k."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import yaml

from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.advise.document import Change, Purpose
from anonsql.policy import methods as known
from anonsql.policy.envelope import plain, read_policy
from anonsql.policy.policy import Given, Policy

PROMISING: Mapping[Purpose, Sequence[str]] = {
    "counts": ("ring", "mondrian", "mondrian hierarchy", "cell-generalization", "full-domain"),
    "means": ("ring", "mondrian", "mondrian hierarchy", "cell-generalization", "full-domain"),
    "models": (
        *("cell-generalization weighted", "cell-generalization", "ring"),
        *("mondrian weighted", "mondrian", "full-domain"),
    ),
}
"""The methods that are tried if none are named, in addition to the policy's own: the most useful
first, as ranked by ``python -m benchmarks.usefulness``."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {"cell-generalization": {"effort": 4}}
"""Settings that a method is tried with, where the policy has another: as ``init`` proposes it."""
WEIGHTED = " weighted"
"""The end of the label of a method that is tried with weights of columns."""
_WEIGHTED = ("mondrian", "mondrian hierarchy", "cell-generalization")
"""The labels that are tried so."""
_LEAST_WEIGHT, _MOST_WEIGHT = 0.25, 4.0
_LEAST_EFFECT = 0.02
"""The share of the target's variance that a column explains at least, if columns get weights."""
_LEAST_HALF = 3
"""Half the policy's k is tried from here on: smaller classes hide no person."""


@dataclass(frozen=True)
class Choice:
    """A method (``label``: its type, the kind of values it releases if not the usual, and whether
    columns are weighted) with a k, the ``change`` of the policy that they need, and the ``policy`` that
    they make, or the error that refuses them."""

    label: str
    method: str
    k: int
    change: Change
    policy: Policy | PolicyError

    @property
    def name(self) -> str:
        """The name of the choice in the comparison."""
        return f"{self.label} k={self.k}"

    @property
    def valid(self) -> Policy:
        """The policy; raise PolicyError where it is refused."""
        if isinstance(self.policy, PolicyError):
            raise self.policy
        return self.policy


def choices_of(
    given: Given,
    base: Policy,
    ks: Sequence[int] | None,
    labels: Sequence[str] | None,
    purpose: Purpose,
    *,
    weights: Mapping[str, float] | None = None,
) -> list[Choice]:
    """Return the policies to try, those of a k one after the other. The policy's own method keeps
    its settings, others have their usual ones; ``weights`` of columns are tried too. Raise
    PolicyError for impossible numbers and unknown methods."""
    data = _data(given) | {"measure": base.measure.model_dump()}
    settings = _settings() | {_label(base): data.get("method", {})}
    if weights:
        settings |= {f"{label}{WEIGHTED}": settings[label] for label in _WEIGHTED}
    if labels is None:
        labels = [label for label in (*PROMISING[purpose], _label(base)) if label in settings]
    chosen = list(_labels(labels, list(settings)))
    return [
        _choice(data, base, k, label, settings[label], weights=weights or {})
        for k in _ks(ks, base.privacy.k)
        for label in chosen
    ]


def _data(policy: Given) -> dict[str, Any]:
    """Return a policy as read from YAML. The given one is valid, so it is a mapping."""
    if isinstance(policy, Policy):
        return policy.model_dump(by_alias=True, exclude_unset=True)
    return dict(plain(policy) if isinstance(policy, Mapping) else read_policy(policy))


def weights_of(effects: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of columns by their effects on a target: 1 for the mean effect. Empty where
    they would weigh the same, and where no effect is more than chance may give."""
    if max(effects.values(), default=0.0) < _LEAST_EFFECT:
        return {}
    mean = sum(effects.values()) / max(len(effects), 1) or 1.0
    weights = {
        name: round(min(max(effect / mean, _LEAST_WEIGHT), _MOST_WEIGHT), 2)
        for name, effect in effects.items()
    }
    return weights if len(set(weights.values())) > 1 else {}


def _settings() -> dict[str, Any]:
    """Return the settings of all methods by label: their usual ones, and those by which a method
    releases other ``values`` than it usually does."""
    found: dict[str, Any] = {}
    for name in sorted(known.names()):
        found[name] = {"type": name, **SETTINGS.get(name, {})}
        values = known.traits(name).model_fields.get("values")
        for other in get_args(values.annotation) if values is not None else ():
            if values is not None and other != values.default:
                found[f"{name} {other}"] = {"type": name, "values": other}
    return found


def _label(base: Policy) -> str:
    method = base.method
    values = getattr(method, "values", None)
    usual = values is None or values == type(method).model_fields["values"].default
    return method.type if usual else f"{method.type} {values}"


def _ks(ks: Sequence[int] | None, own: int) -> list[int]:
    """Return the numbers k to try, each once: the policy's own, half of it and twice that where
    none are given."""
    half = (own + 1) // 2
    numbers = list(ks) if ks is not None else [own] + [half] * (half >= _LEAST_HALF) + [2 * own]
    if not numbers or any(number < 2 for number in numbers):
        raise PolicyError.at(
            "k",
            f"found {', '.join(map(str, numbers)) or 'none'}.",
            "Give whole numbers of at least 2.",
        )
    return sorted(dict.fromkeys(numbers), key=lambda number: number != own)


def _labels(texts: Sequence[str], every: Sequence[str]) -> Iterator[str]:
    """Yield the methods to try, each once; ``all`` means every method."""
    labels = [name for word in texts for name in (every if word == "all" else [word])]
    if not labels:
        raise PolicyError.at("methods", "there are no values of k.", "Give one or more.")
    for name in labels:
        if name not in every:
            hint = did_you_mean(name, every) or "`anonsql guide choose` lists them."
            if name.endswith(WEIGHTED):
                hint = "Weights need `--for models`, and a target that some columns predict best."
            raise PolicyError.at("methods", f"there is no method {name!r}.", hint)
    yield from dict.fromkeys(labels)


def _choice(
    data: dict[str, Any],
    base: Policy,
    k: int,
    label: str,
    settings: Any,
    *,
    weights: Mapping[str, float],
) -> Choice:
    made = {**data, "method": settings, "privacy": {**data.get("privacy", {}), "k": k}}
    weighed = {n: {"weight": w} for n, w in weights.items() if label.endswith(WEIGHTED)}
    weighed = {n: own for n, own in weighed.items() if own["weight"] != base.columns[n].weight}
    change = Change(
        method=None if label.removesuffix(WEIGHTED) == _label(base) else _flow(settings),
        k=None if k == base.privacy.k else k,
        columns=_flow(weighed) if weighed else None,
    )
    result: Policy | PolicyError
    try:
        result = Policy.parse(made, base.origin.folder, base.origin.file)
        others = {n: result.columns[n].model_copy(update=own) for n, own in weighed.items()}
        result = result.changed(columns={**result.columns, **others})
    except PolicyError as error:
        result = error
    return Choice(label, label.partition(" ")[0], k, change, result)


def _flow(settings: Mapping[str, Any]) -> str:
    """Return settings as a line of YAML."""
    return yaml.safe_dump(
        dict(settings), default_flow_style=True, width=math.inf, sort_keys=False, allow_unicode=True
    ).strip()
