"""Cases of hybrid."""

import anonsql
from anonsql.policy.policy import Policy
from tests.support import cells_of, make_table, policy_data

METHODS = {
    "hybrid": {"type": "hybrid", "p": 0.2},
    "hybrid by regions": {"type": "hybrid", "p": 0.2, "recoding": "mondrian"},
}
RANDOMIZED = {
    "hybrid, randomized": {"type": "hybrid", "p": 0.3, "variant": "randomized"},
    "hybrid by regions, randomized": {
        "type": "hybrid",
        "recoding": "mondrian",
        "variant": "randomized",
    },
}
ON_EVERY_ENGINE = {
    str(more): {"type": "hybrid", "p": 0.05, **more}
    for more in (
        {},
        {"alpha": 0.05},
        {"variant": "randomized"},
        {"variant": "randomized", "alpha": 0.3},
        {"search": "top-down"},
    )
}
MESSAGES = {
    "hybrid, p": (
        {"method": {"type": "hybrid", "p": 1.5}},
        "method.p: found 1.5; write a share, e.g. 0.01 for 1 %.",
    ),
    "hybrid, alpha": (
        {"method": {"type": "hybrid", "alpha": "5%"}},
        "method.alpha: found 5%; write a share, e.g. 0.01 for 1 %.",
    ),
    "hybrid, another diversity": (
        {
            "method": {"type": "hybrid"},
            "privacy": {"k": 5, "l_diversity": {"s": {"l": 2, "type": "entropy"}}},
        },
        "not entropy l_diversity (of s)",
    ),
}
IN_FEW_WORDS = {
    "hybrid": ({"type": "hybrid"}, "p=0.01"),
    "hybrid, all": (
        {"type": "hybrid", "p": 0.2, "variant": "randomized", "recoding": "mondrian"},
        "p=0.2 randomized mondrian",
    ),
}


def render_templates(folder, patch):
    """Render every template of hybrid, over tables and columns of test_engines."""
    from anonsql.methods.hybrid import nearest, regions
    from anonsql.methods.hybrid.settings import Hybrid
    from tests.test_engines import FEW_TYPES, WIDE_TYPES, few_columns, few_policy
    from tests.test_mondrian import mondrian_policy

    columns = {
        **dict.fromkeys(WIDE_TYPES, "insensitive"),
        "flag": {"role": "qi", "max_level": 1, "hierarchy": {"type": "suppression"}},
        "word": {"role": "qi", "max_level": 0, "hierarchy": {"type": "suppression"}},
    }
    data = policy_data(columns, k=9, limit=0.5)
    for suppressed, more in (
        ("mask", {"alpha": 0.05}),
        ("remove", {"variant": "randomized", "p": 0.1}),
    ):
        data["release"]["suppressed"] = suppressed
        data["method"] = {"type": "hybrid", **more}
        anonsql.run(policy := Policy.parse(data, folder))
        anonsql.verify(policy, against_source=True)
    make_table(folder / "columns.duckdb", FEW_TYPES, few_columns())
    for more, least in (
        ({"alpha": 0.3}, 2),
        ({}, 1),
        ({"variant": "randomized"}, 1),
        ({"recoding": "mondrian"}, 1),
        ({"recoding": "mondrian", "variant": "randomized", "alpha": 0.01}, 1),
    ):
        relocated = few_policy({"type": "hybrid", "p": 0.05, **more}, least)
        relocated["source"]["database"] = "columns.duckdb"
        anonsql.run(Policy.parse(relocated, folder))
        patch.setattr(nearest, "_PAIRS", 1)  # as if there were many groups
    (spare := folder / "spare").mkdir()
    numbers = [(value,) for value in (1, 1, 2, 2, *[100] * 4, *[200] * 4)]
    with cells_of(mondrian_policy(spare, ["INTEGER"], numbers, 3), spare) as cells:
        regions.relocate_regions(cells, Hybrid(recoding="mondrian", p="0.3"))


RENDERING = {"hybrid": render_templates}
