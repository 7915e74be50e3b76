"""Cases of ring and homogeneous."""

METHODS = {
    "ring": {"type": "ring"},
    "ring ranges": {"type": "ring", "representation": "range"},
    "ring ancestors": {"type": "ring", "representation": "ancestor"},
    "ring arrays": {"type": "ring", "sets": "array"},
    "homogeneous": {"type": "homogeneous"},
    "homogeneous ranges": {"type": "homogeneous", "representation": "range"},
}
