"""What each command does, one module a command; ``run``, ``search`` and ``apply`` are stages alone:
see :mod:`anonsql.api`."""
