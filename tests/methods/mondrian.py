"""Cases of mondrian."""

METHODS = {
    "mondrian": {"type": "mondrian"},
    "mondrian relaxed": {"type": "mondrian", "mode": "relaxed"},
    "mondrian by hierarchies": {"type": "mondrian", "values": "hierarchy"},
}
