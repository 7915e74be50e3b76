"""``verify``: prove the promises of a published release."""
