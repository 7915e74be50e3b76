"""The properties of an anonymization method's settings that the rest of a policy needs.

Each method has a model of its own, in ``methods/<name>/settings.py``: its settings in a policy, the
privacy models that it keeps, and the properties of its releases that follow from the policy alone.
Its work on data is in :mod:`anonsql.methods.base`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from anonsql.errors import FieldError
from anonsql.privacy import plugins
from anonsql.privacy.base import ColumnModel
from anonsql.privacy.registry import MODELS

if TYPE_CHECKING:
    from anonsql.policy.columns import ColumnPolicy
    from anonsql.policy.privacy import Privacy

Form = Literal["level", "node", "range", "set", "numbers", "names", "itself"]
"""How the values of a quasi-identifying column are released: all at one ``level`` of its hierarchy;
each as a ``node`` of any level; as the ``range`` from the least to the greatest value of a group;
as a ``set`` of values; as an interval of the ordered domain, of ``numbers`` (or dates) or of
``names``; or as they are, ``itself``."""

Algorithm = Literal[
    "auto", "incognito", "super-roots", "cube", "bottom-up", "binary-search", "datafly"
]
"""How the satisfying generalizations of a lattice are searched for."""

CLASS_MODELS = frozenset(
    {"entity", "risk"}
    | {
        ".".join(named)
        for model in MODELS
        if issubclass(model, ColumnModel)
        for named in ((model.name,), *((model.name, variant) for variant in model.variants))
    }
)
"""All privacy models about the rows or people of an equivalence class: a method keeps them if it
judges every class by ``privacy/classes.sql``; with the limits to the ``risk`` of a release as a
whole, which classes of sufficient size keep."""

_FULL_DOMAIN = {
    "differential": "privacy.differential needs",
    "quasi_identifiers": "several quasi_identifiers need",
}
"""The models that only full-domain keeps, as a refusal says it."""


@dataclass(frozen=True)
class Requirements:
    """What a policy requires of its method: its columns, the promise, and whether suppressed rows
    are kept as ``*``."""

    columns: Mapping[str, ColumnPolicy]
    privacy: Privacy
    masks: bool


@dataclass(frozen=True)
class Apart:
    """Columns whose sensitive values are released in tables of their own: by column the part of the
    release that holds them, and the number by which rows are joined to that table: the row's
    ``group``, or a ``bucket`` for each column."""

    parts: Mapping[str, str]
    joined_by: Literal["group", "bucket"]


class MethodSettings(BaseModel):
    """The settings of a method, and their consequences for the rest of a policy.

    The defaults fit a method that assigns rows to groups, releases each group at nodes of the
    hierarchies, and keeps k alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    completed_evenly: ClassVar[bool] = False
    """Whether every value that a label may be is equally likely, and not by maximum likelihood."""
    least_loss: ClassVar[bool] = False
    """Whether a combination goes into the class of least loss whose labels cover it."""
    keeps: ClassVar[frozenset[str]] = frozenset()
    """The privacy models that the method keeps in addition to k, by the names of
    :meth:`Privacy.models_asked`; all others are refused."""
    semi_sensitive: ClassVar[bool] = False
    """Whether columns may be sensitive for some people only."""
    searches: ClassVar[bool] = False
    """Whether the method looks for its result in the generalization lattice."""
    equal_rows_are_classes: ClassVar[bool] = True
    """Whether rows with equal released values are an equivalence class: in a non-homogeneous
    generalization they are not."""
    classes_are: ClassVar[str] = "classes"
    """What a report calls the equivalence classes of a release."""
    releases_apart: ClassVar[bool] = False
    """Whether sensitive values are released in tables of their own."""
    changes_values: ClassVar[bool] = False
    """Whether the method may release quasi-identifying values that are not true of their rows."""
    all_or_nothing: ClassVar[bool] = False
    """Whether every quasi-identifying entry is released as it is or as ``*``."""
    label_for_each_row: ClassVar[bool] = False
    """Whether a release has about as many different labels as rows."""
    always_named: ClassVar[tuple[str, ...]] = ()
    """Settings that ``compare`` names even where they have their defaults."""
    incomparable: ClassVar[str | None] = None
    """The note that ``compare`` makes where the method cannot be compared with others."""

    averages: ClassVar[bool] = False
    """Whether means and medians of rows with equal released values can be released: only if these
    rows are groups of the source's own rows."""

    type: str

    @classmethod
    def needs_hierarchies(cls, parameters: Mapping[str, Any]) -> bool:
        """Return whether every quasi-identifying column needs a hierarchy; ``parameters`` are the
        settings as read from YAML."""
        return True

    def require_fit(self, required: Requirements) -> None:
        """Raise FieldError if the policy requires a property that the method does not keep."""
        for model, location in required.privacy.models_asked():
            if model == "population" and model not in self.keeps:
                text = f"{self.type} cannot be checked against privacy.population; full-domain can"
                raise FieldError("method.type", text)
            if model == "risk" and model not in self.keeps:
                text = (
                    f"{self.type} cannot limit the sizes of all classes: leave it out, or choose"
                    " full-domain, mondrian, cell-generalization, full-subtree, full-subgraph or"
                    " ordered-partition"
                )
                raise FieldError(location, text)
            if model in _FULL_DOMAIN and model not in self.keeps:
                text = f"found {self.type}; {_FULL_DOMAIN[model]} full-domain"
                raise FieldError("method.type", text)
            if not self.keeps_model(model):
                text = f"{self.type} cannot keep this: leave it out, or choose another method"
                raise FieldError(location, text)

    def keeps_model(self, model: str) -> bool:
        """Return whether the method keeps a model, by its name in :meth:`Privacy.models_asked`. A
        method that keeps all of anonsql's own judges every class by ``privacy/classes.sql``, so
        it keeps those that other packages add too."""
        added_too = self.keeps >= CLASS_MODELS
        return model in self.keeps or (added_too and model.partition(".")[0] in plugins.names())

    def require_levels(self, columns: Mapping[str, ColumnPolicy]) -> None:
        """Raise FieldError where the quasi-identifying ``columns`` limit levels and the method has
        no levels."""

    def ignores_hierarchy(self, *, ordered: bool, gives_order: bool) -> bool:
        """Return whether a quasi-identifying column's hierarchy is not used. ``ordered``: its
        values are numbers or dates; ``gives_order``: the hierarchy lists its values in order."""
        return False

    def form(self, *, ordered: bool, least: int) -> Form:
        """Return how the values of a column are released, from level ``least`` on. ``ordered``: its
        values are numbers or dates."""
        return "node"

    def apart(self, columns: Mapping[str, ColumnPolicy], privacy: Privacy) -> Apart | None:
        """Return which sensitive values are released in tables of their own, where the method does
        so."""
        return None

    def promised(self, privacy: Privacy) -> dict[str, str]:
        """Return the facts of a release that state the method's own promises, without the privacy
        models."""
        return {}

    def max_changed(self, rows: int, columns: int) -> int | None:
        """Return how many quasi-identifying entries of a table may be untrue; None where the method
        makes none untrue."""
        return None

    @property
    def needs_search(self) -> bool:
        """Whether all satisfying full-domain generalizations are to be found before the method
        begins."""
        return False

    @property
    def decides_levels(self) -> bool:
        """Whether levels are all that the method decides, so that it needs nothing of the cells but
        their lattice."""
        return False

    @property
    def leveled(self) -> bool:
        """Whether all values of a column are released at one level."""
        return False

    @property
    def facts(self) -> frozenset[str]:
        """The facts of ``__about`` that only releases of this method have."""
        return frozenset()

    @property
    def arrays(self) -> bool:
        """Whether labels are released as arrays of values, not as text."""
        return False

    @property
    def identity(self) -> str | None:
        """What a release must state about identities where the method does not hide them."""
        return None

    @property
    def least_bucket(self) -> int:
        """The least number of rows of a bucket, if sensitive values are in buckets."""
        return 1


def refuse_levels(method: str, columns: Mapping[str, ColumnPolicy]) -> None:
    """Raise FieldError where levels of a column are limited, for a method without levels."""
    for name, column in columns.items():
        if column.min_level is not None or column.max_level is not None:
            text = f"min_level and max_level have no effect with {method}: leave them out"
            raise FieldError(f"columns.{name}", text)


def asked_besides(privacy: Privacy, *kept: str) -> list[str]:
    """Return the requirements on sensitive columns other than the models ``kept``: the names of
    anonsql's other models; and ``entity``, unless that is kept."""
    own = {model.name for model in MODELS} - {*kept}
    asked = [model for model, _ in privacy.named_columns() if model in own]
    return [
        *dict.fromkeys(asked),
        *(["entity"] if privacy.entity is not None and "entity" not in kept else []),
    ]


def refuse_ranges(method: str, privacy: Privacy) -> None:
    """Raise FieldError if the policy asks for distances between values (``min_range``,
    ``min_span``), for a method that only considers how frequent they are."""
    for name, model in privacy.l_diversity.items():
        if model.apart:
            text = (
                f"{method} counts values and ignores how similar they are: leave it out, or"
                " choose another method"
            )
            raise FieldError(f"privacy.l_diversity.{name}.{model.apart}", text)


def require_no_semi_sensitive(columns: Mapping[str, ColumnPolicy], method: str) -> None:
    """Raise FieldError where a column is semi-sensitive."""
    for name, column in columns.items():
        if column.role == "semi-sensitive":
            text = (
                f"semi-sensitive columns need `method: {{type: local}}`, and the method is {method}"
            )
            raise FieldError(f"columns.{name}.role", text)
