"""``anonymize``: anonymize a data frame in memory."""
