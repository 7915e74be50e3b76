"""How a policy names the method of anonymization: one model for each ``type``, full-domain where none is given."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from anonsql.errors import FieldError
from anonsql.policy.hierarchy import Number

Metric = Literal[
    "height", "weighted-height", "loss", "precision", "discernibility", "average_class_size"
]

Algorithm = Literal[
    "auto", "incognito", "super-roots", "cube", "bottom-up", "binary-search", "datafly"
]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Leveled(_Model):
    """What all methods have that release one level per column, for all its values."""

    algorithm: Algorithm = Field(
        "auto",
        description="of the search: all are complete and find the same, but binary-search (least height only) and datafly (one)",
    )
    roll_up: bool = Field(
        True, description="bottom-up: count a node from those below it instead of from the cells"
    )
    minimize: Metric = Field("loss", description="which satisfying generalization to publish")
    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] | None = Field(
        None, description="publish this one instead, if it satisfies"
    )


class FullDomain(Leveled):
    """Full-domain generalization (Incognito, 2005): one level per column, for all its values."""

    type: Literal["full-domain"] = "full-domain"


class AttributeSuppression(Leveled):
    """Attribute suppression (Incognito, 5.1.1): full-domain generalization where every column is as it is or ``*``; hierarchies
    do not count."""

    type: Literal["attribute-suppression"] = "attribute-suppression"


class FullSubtree(_Model):
    """Single-dimension full-subtree recoding (Incognito, 5.1.1): a cut through each column's hierarchy."""

    type: Literal["full-subtree"] = "full-subtree"
    starts: int = Field(
        4,
        ge=1,
        le=64,
        description="how many full-domain generalizations to specialize, besides the highest levels",
    )


class OrderedPartition(_Model):
    """Single-dimension ordered-set partitioning (Incognito, 5.1.2): each column's ordered domain is cut into intervals."""

    type: Literal["ordered-partition"] = "ordered-partition"
    minimize: Literal["loss", "discernibility"] = Field(
        "loss", description="what is as small as can be"
    )
    budget: int = Field(
        200, ge=1, description="partitions to branch from, at most, when several columns are cut"
    )
    resolution: int = Field(
        256, ge=2, le=100_000, description="places at most where a column may be cut"
    )


class FullSubgraph(_Model):
    """Multi-dimension full-subgraph recoding (Incognito, 5.1.3): the domain is cut into boxes of hierarchy nodes, and all
    combinations of a box get its nodes."""

    type: Literal["full-subgraph"] = "full-subgraph"


class Mondrian(_Model):
    """Multidimensional partitioning (LeFevre, DeWitt, Ramakrishnan, Mondrian, ICDE 2006): groups of near rows, each
    released as tightly as its own values allow."""

    type: Literal["mondrian"] = "mondrian"
    mode: Literal["strict", "relaxed"] = Field(
        "strict",
        description="relaxed: rows with the same value may be divided between groups where that helps",
    )
    values: Literal["range", "hierarchy"] = Field(
        "range",
        description="release intervals and sets of the values of a group, or nodes of the hierarchies",
    )
    cut: Literal["loss", "median"] = Field(
        "loss",
        description="where a group is cut: where most loss is shed, or, as the authors do, at the median of its widest attribute",
    )

    @model_validator(mode="after")
    def _known_together(self) -> Mondrian:
        if self.mode == "relaxed" and self.values == "hierarchy":
            raise FieldError(
                "mode",
                "relaxed does not go with `values: hierarchy`: nodes are cut into whole children",
            )
        if self.cut == "median" and self.values == "hierarchy":
            raise FieldError(
                "cut",
                "median does not go with `values: hierarchy`: nodes are cut into their children",
            )
        return self


class Hilbert(_Model):
    """Groups of k to 2k - 1 neighbours on a Hilbert curve, the best partition of that order (Ghinita, Karras, Kalnis, Mamoulis,
    VLDB 2007), with l-diversity groups made greedily: the homogeneous baseline HS / HR of Wong, Mamoulis, Cheung (2010)."""

    type: Literal["hilbert"] = "hilbert"
    representation: Literal["set", "range"] = Field(
        "set", description="release sets of a group's values (HS), or intervals (HR)"
    )


class CellGeneralization(_Model):
    """Local recoding by generalization (Incognito, 5.2): every cell as it is or as an ancestor, whatever happens to other
    cells of the same value."""

    type: Literal["cell-generalization"] = "cell-generalization"


class CellSuppression(_Model):
    """Local recoding by suppression (Incognito, 5.2): every cell as it is or as ``*``."""

    type: Literal["cell-suppression"] = "cell-suppression"


class Windows(_Model):
    """What the methods have that release rows as what several rows have in common."""

    representation: Literal["set", "range", "ancestor"] = Field(
        "set",
        description="release the set of the values, the interval from the least to the greatest, or the lowest node above them",
    )
    sets: Literal["text", "array"] = Field(
        "text", description="how sets are released: `{a, b}`, or a column of arrays"
    )

    @model_validator(mode="after")
    def _known_together(self) -> Windows:
        if self.sets == "array" and self.representation != "set":
            raise FieldError(
                "sets",
                f"array does not go with `representation: {self.representation}`: only sets are arrays",
            )
        return self


class Ring(Windows):
    """Non-homogeneous generalization (Wong, Mamoulis, Cheung, SIGMOD 2010): every row stands for the values of k neighbours of
    its own, and any of those may be its owner."""

    type: Literal["ring"] = "ring"
    seed: int | None = Field(
        None,
        ge=0,
        description="for tests alone: whoever knows it undoes the release; left out, the system's entropy",
    )


class Homogeneous(Windows):
    """The partitions of ``ring``, each released as one (the paper's HP)."""

    type: Literal["homogeneous"] = "homogeneous"


class Anatomy(_Model):
    """Anatomy (Xiao, Tao, VLDB 2006): quasi-identifying values as they are in one table, the sensitive values of each group of
    rows in another. Hides which row of a group has which sensitive value, and no identity."""

    type: Literal["anatomy"] = "anatomy"


class Local(_Model):
    """Local generalization and bucketization (Li, He, Sun 2019): each row's own quasi-identifying cells are generalized in groups
    of rows with the same ones, and what is sensitive to it lies in buckets, apart for each column."""

    type: Literal["local"] = "local"
    grouping: Literal["mdp", "ncp"] = Field(
        "ncp",
        description="top-down by least NCP, or multi-dimensional partition (Mondrian), which `cut` asks for too",
    )
    cut: Literal["loss", "median"] = Field(
        "median",
        description="of mdp: cut where most loss is shed, or, as the authors do, at the median of the widest attribute",
    )

    min_bucket: int = Field(
        2,
        ge=2,
        description="rows that a bucket of a column with t_closeness has at least; with l_diversity it has l",
    )

    @model_validator(mode="before")
    @classmethod
    def _cut_means_mdp(cls, given: Any) -> Any:
        if isinstance(given, dict) and "cut" in given and "grouping" not in given:
            return {**given, "grouping": "mdp"}
        return given

    @model_validator(mode="after")
    def _known_together(self) -> Local:
        if self.grouping == "ncp" and "cut" in self.model_fields_set:
            raise FieldError("cut", "only `grouping: mdp` cuts")
        return self

    @property
    def told(self) -> dict[str, str]:
        """What a release says of its buckets besides the promises."""
        return {"min_bucket": str(self.min_bucket)}


class Hybrid(_Model):
    """Generalization helped by relocation (Nergiz, Gök, Özkanlı 2013): rows of small groups are moved into other groups by
    changing some of their quasi-identifying cells, so that all can be released more finely."""

    type: Literal["hybrid"] = "hybrid"
    p: Number = Field(
        Decimal("0.01"),
        ge=0,
        lt=1,
        description="greatest share of the quasi-identifying cells that may be changed",
    )
    variant: Literal["deterministic", "randomized"] = Field(
        "deterministic",
        description="move rows to the closest group, or to one drawn at random, against attackers who know the algorithm",
    )
    alpha: Number | None = Field(
        None,
        gt=0,
        lt=1,
        description="significance level at which a chi-squared test must not tell the new group sizes from the old ones",
    )
    recoding: Literal["full-domain", "mondrian"] = Field(
        "full-domain",
        description="what is relocated between: the groups of a full-domain generalization, or Mondrian's",
    )
    search: Literal["best-first", "top-down"] = Field(
        "best-first",
        description="of full-domain: in the order of loss, or through the whole lattice from its top, as the authors do",
    )

    @field_validator("p", "alpha", mode="before")
    @classmethod
    def _share(cls, value: Any) -> Any:
        """A share is no percentage."""
        percentage = isinstance(value, str) and value.strip().endswith("%")
        if percentage or (
            isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1
        ):
            raise ValueError(f"found {value}: it is a share, 1 % is 0.01")
        return value

    @model_validator(mode="after")
    def _known_together(self) -> Hybrid:
        if self.recoding == "mondrian" and "search" in self.model_fields_set:
            raise FieldError("search", "only `recoding: full-domain` searches a lattice")
        return self

    @property
    def told(self) -> dict[str, str]:
        """What a release says that it promises of relocation."""
        asked = {"p": self.p, "alpha": self.alpha}
        return {
            name: format(each.normalize(), "f") for name, each in asked.items() if each is not None
        }

    def max_cells(self, rows: int, columns: int) -> int:
        """How many of the quasi-identifying cells of a table may be changed."""
        return int(Fraction(self.p) * rows * columns)


def _with_type(method: Any) -> Any:
    """A method without a type is full-domain."""
    return {"type": "full-domain", **method} if isinstance(method, dict) else method


_Any = (
    FullDomain
    | AttributeSuppression
    | FullSubtree
    | OrderedPartition
    | FullSubgraph
    | Mondrian
    | Hilbert
    | CellGeneralization
    | CellSuppression
    | Ring
    | Homogeneous
    | Anatomy
    | Local
    | Hybrid
)
METHODS = frozenset(str(each.model_fields["type"].default) for each in get_args(_Any))
"""What methods are called."""

Method = Annotated[
    _Any,
    Field(discriminator="type"),
    BeforeValidator(_with_type),
]


def needs_hierarchies(method: Any) -> bool:
    """Whether a method, as read from YAML, generalizes by hierarchies, so that every column needs one."""
    named = method.get("type") if isinstance(method, dict) else None
    if named in ("ring", "homogeneous"):
        return bool(method.get("representation") == "ancestor")
    return named not in (
        "attribute-suppression",
        "ordered-partition",
        "hilbert",
        "anatomy",
        "local",
    )
