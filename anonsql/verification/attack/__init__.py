"""The judge of any release against its source: what somebody who knows all quasi-identifying values
can tell from it."""
