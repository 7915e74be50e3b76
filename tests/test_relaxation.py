"""What cannot be kept is answered with what can: every way that is named is followed here, and must
do."""

import copy
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.errors import PrivacyError
from anonsql.policy.policy import Policy

from .models import cases
from .support import job, make_source, make_table, policy_data

COLUMNS = {
    "a": {"role": "qi", "hierarchy": {"type": "suppression"}, "max_level": 0},
    "b": {"role": "qi", "hierarchy": {"type": "mask", "length": 2}, "max_level": 1},
    "c": {"role": "qi", "hierarchy": {"type": "suppression"}},
    "d": "sensitive",
    "person": "identifying",
}
ASKED = {
    "k": {"k": 6},
    "people": {"k": 4, "entity": "person"},
    "distinct": {"l_diversity": {"d": 4}},
    "entropy": {"l_diversity": {"d": {"l": 3.9, "type": "entropy"}}},
    "recursive": {"l_diversity": {"d": {"l": 3, "type": "recursive", "c": 0.8}}},
    "equal": {"t_closeness": {"d": 0.05}},
    "ordered": {
        "t_closeness": {"d": {"t": 0.02, "distance": "ordered", "order": ["w", "x", "y", "z"]}}
    },
    "alpha": {"alpha_k": {"d": 0.2}},
    **cases("ADVISED"),
    "k-map": {"k_map": 9},
    "presence": {"delta_presence": {"max": 0.2}},
    "several": {"k": 3, "l_diversity": {"d": 3}, "alpha_k": {"d": 0.4}},
}
ROW = st.tuples(
    st.sampled_from("pq"),
    st.sampled_from(["10", "11", "20"]),
    st.sampled_from("mn"),
    st.sampled_from("wxyz"),
    st.sampled_from("1234"),
)


def relaxed(data, way):
    """The policy after following one way; None when it is none."""
    data = copy.deepcopy(data)
    if found := re.fullmatch(r"raise max_level of (.+) to the top", way):
        for name in found[1].split(" and "):
            del data["columns"][name]["max_level"]
    elif found := re.fullmatch(r"(?:set|lower|raise) (privacy\..+) to ([0-9.]+)", way):
        *path, last = found[1].split(".")
        *path, column = path
        number = float(found[2]) if "." in found[2] else int(found[2])
        section = data["privacy"]
        for part in path[1:]:
            section = section[part]
        if column == "privacy":
            section[last] = number
        elif isinstance(section.get(column), dict):
            section[column][last] = number
        else:  # a bare number stands for the main parameter
            section[column] = number
    else:
        return None
    return data


@pytest.mark.parametrize("name", ASKED)
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(ROW, min_size=8, max_size=24), limit=st.sampled_from([0.0, 0.1]))
def test_following_the_advice_succeeds(tmp_path_factory, name, rows, limit):
    folder = tmp_path_factory.mktemp("advice")
    make_source(folder, dict.fromkeys(COLUMNS, "VARCHAR"), rows)
    data = policy_data(copy.deepcopy(COLUMNS), limit=limit, privacy=copy.deepcopy(ASKED[name]))
    if "k_map" in ASKED[name] or "delta_presence" in ASKED[name]:
        make_table(
            folder / "people.duckdb", dict.fromkeys("abc", "VARCHAR"), [row[:3] for row in rows] * 2
        )
        data["privacy"]["population"] = {"database": "people.duckdb", "table": "t"}
        if name == "k-map":
            data["privacy"]["k_map"] = {"k": 9}
    try:
        with job(Policy.parse(data, folder), folder):
            return
    except PrivacyError as error:
        if "in every class" in str(error):  # seen before the search: no generalization is advised
            return
        advice = re.search(
            r"in groups that (?:are too small|do not keep it)\. (.*)\.$", str(error)
        )[1]
    if advice == "Relax more than one of the parameters of privacy":
        return
    ways = [word[0].lower() + word[1:] for word in advice.split(", or ") if word != "leave it out"]
    followed = [relaxed(data, way) for way in ways]
    assert ways and all(followed), advice
    for item in followed:
        with job(Policy.parse(item, folder), folder) as done:
            assert done.schema.searched.nodes
