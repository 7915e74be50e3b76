"""Cases of cell-generalization and cell-suppression."""

METHODS = {
    "cell-generalization": {"type": "cell-generalization"},
    "cell-suppression": {"type": "cell-suppression"},
}
