"""Cases of hilbert."""

METHODS = {
    "hilbert": {"type": "hilbert"},
    "hilbert ranges": {"type": "hilbert", "representation": "range"},
}
