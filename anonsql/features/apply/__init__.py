"""``apply``: recode new rows by the levels of an earlier release."""
