"""Which of the 18 identifiers of HIPAA's safe harbor, 45 CFR 164.514(b)(2), a policy lets through:
by the look of columns."""
