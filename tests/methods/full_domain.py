"""Cases of full-domain and attribute-suppression."""

METHODS = {
    "full-domain": {"type": "full-domain"},
    "attribute-suppression": {"type": "attribute-suppression"},
}
