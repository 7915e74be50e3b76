"""Cases of cell-generalization and cell-suppression."""

import anonsql


def render_templates(folder, patch):
    """A completed table whose rows draw again what lies in a class of less loss."""
    from tests.test_joint import ward_policy

    (own := folder / "wards").mkdir()
    policy = ward_policy(own, {"type": "cell-generalization", "effort": 2}, k=4)
    anonsql.run(policy)
    anonsql.read(policy, draws=1).expected()
    shown = {"completed": 1, "marginals": True}
    for number, method in enumerate(("cell-generalization", "full-domain")):
        (own := folder / f"shown {number}").mkdir()
        policy = ward_policy(own, {"type": method}, k=4, release=shown)
        anonsql.run(policy)
        anonsql.verify(policy, against_source=True)


RENDERING = {"cell-generalization": render_templates}
METHODS = {
    "cell-generalization": {"type": "cell-generalization"},
    "cell-suppression": {"type": "cell-suppression"},
}
